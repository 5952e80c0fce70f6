/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "attach.h"
#include "name_list.h"
#include "program.h"
#include "stack.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* The interval between reads of ring buffers, in ms. */
#define TICK 100

/* The maximum number of refused functions in the list for the client. */
#define SAID_MAX 20

static struct attached {
	int client;
	struct pb_attached_program program;
} attached[PB_ATTACHED_MAX];
static nfds_t nr_attached;

void pb_say(int client, const char *format, ...)
{
	char line[PB_CONTROL_SAID_MAX];
	va_list args;
	int size;

	va_start(args, format);
	size = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (size >= (int)sizeof(line))
		size = sizeof(line) - 1;
	if (size <= 0)
		return;
	/*
	 * SO_SNDTIMEO limits the duration of send() (listen.c). After the first timeout
	 * shut the connection down, so that later calls of send() fail immediately, and
	 * poll(2) reports the end of the client.
	 */
	if (send(client, line, (size_t)size, MSG_NOSIGNAL) < 0 &&
	    errno == EAGAIN)
		shutdown(client, SHUT_RDWR);
}

void pb_program_log(void *arg, const char *name, uintptr_t entry, int error,
		    const char *reason)
{
	struct pb_program_request *request = arg;

	(void)error;
	if (request->nr_said++ >= SAID_MAX)
		return;
	if (name)
		pb_say(request->client, "%s: %s", name, reason);
	else if (entry)
		pb_say(request->client, "%#lx: %s", (unsigned long)entry,
		       reason);
	else
		pb_say(request->client, "%s", reason);
}

/*
 * Returns -EBADF instead of the errno of fstat(2), because -ENOENT would tell the client
 * that no function matches.
 */
static int check_file(const struct pb_program_request *request)
{
	struct stat status;

	if (request->file < 0 || fstat(request->file, &status))
		return -EBADF;
	if (!S_ISREG(status.st_mode)) {
		pb_say(request->client, "%s: no regular file", request->path);
		return -EINVAL;
	}
	return 0;
}

/* Returns -EINVAL if the request has too few strings. */
static int parse_request(const struct pb_control_request *request,
			 struct pb_program_request *parsed)
{
	const char *strings[PB_CONTROL_ATTACH_STRINGS];
	const char *text = request->text;
	const char *end = text + sizeof(request->text);

	for (int i = 0; i < PB_CONTROL_ATTACH_STRINGS; i++) {
		if (text == end)
			return -EINVAL;
		strings[i] = text;
		/* The last byte of request->text is 0 (message.c). */
		text += strlen(text) + 1;
	}
	parsed->kind = strings[0];
	parsed->filter.glob = strings[1];
	parsed->path = strings[2];
	parsed->symbol = strings[3];
	parsed->flags = *strings[4] ? PATCHBAY_LINK_SKIP_INVALID : 0;
	return 0;
}

struct attaching {
	struct pb_program_request *request;
	struct pb_attached_program *program;
	int nr;
};

static void attach_code(void *arg)
{
	struct attaching *of = arg;

	of->nr = *of->request->symbol ? pb_program_attach_so(of->request, of->program) :
					pb_program_attach_bpf(of->request, of->program);
}

static void free_code(void *program)
{
	pb_program_free(program);
}

/* @attached must have a free element. */
static int attach_program(struct pb_program_request *request)
{
	struct attached *new = &attached[nr_attached];
	struct attaching attaching = { .request = request, .program = &new->program };
	int nr = check_file(request);

	if (nr)
		return nr;
	memset(new, 0, sizeof(*new));
	new->client = request->client;
	/* Constructors, handlers and verifiers of programs may need a large stack. */
	nr = pb_on_large_stack(attach_code, &attaching);
	if (nr) {
		pb_say(request->client, "its listening thread cannot have a larger stack");
		return nr;
	}
	nr = attaching.nr;
	if (request->nr_said > SAID_MAX)
		pb_say(request->client, "and %u more",
		       request->nr_said - SAID_MAX);
	if (nr >= 0)
		nr_attached++;
	return nr;
}

int pb_attach(int client, const struct pb_message *message)
{
	struct pb_program_request parsed = {
		.client = client,
		.file = message->program,
		.filter = { .size = sizeof(parsed.filter) },
	};
	struct pb_name_list names = { 0 };
	int nr = parse_request(&message->request, &parsed);

	if (!nr && message->names >= 0)
		nr = pb_name_list_read(&names, message->names, &parsed.filter);
	if (nr)
		return nr;
	if (nr_attached == PB_ATTACHED_MAX) {
		pb_say(client, "the process has %d attached programs already",
		       PB_ATTACHED_MAX);
		nr = -EUSERS;
	} else {
		nr = attach_program(&parsed);
	}
	pb_name_list_free(&names);
	return nr;
}

/*
 * The entry stays in the table until the program is detached, so that a child that is
 * forked during this call finds the entry.
 */
static void end_attachment(nfds_t index)
{
	struct attached *a = &attached[index], one;
	int error;

	if (a->program.object) {
		pb_program_tell_records(a->client, &a->program);
		pb_program_tell_maps(a->client, &a->program);
	}
	error = pb_program_leave(&a->program);
	one = *a;
	*a = attached[--nr_attached];
	/*
	 * On error the code stays loaded, because calls may still reach it. The code also
	 * stays loaded if there is no memory for the stack of its destructors.
	 */
	if (!error)
		pb_on_large_stack(free_code, &one.program);
	close(one.client);
}

int pb_attach_tick(void)
{
	int has_records = 0;

	for (nfds_t i = 0; i < nr_attached; i++) {
		struct attached *a = &attached[i];

		if (!a->program.object)
			continue;
		has_records = 1;
		pb_program_tell_records(a->client, &a->program);
	}
	return has_records ? TICK : -1;
}

nfds_t pb_attach_poll(struct pollfd *fds)
{
	for (nfds_t i = 0; i < nr_attached; i++)
		fds[i] = (struct pollfd){ attached[i].client, POLLIN, 0 };
	return nr_attached;
}

void pb_attach_polled(const struct pollfd *fds, nfds_t nr)
{
	/*
	 * Iterate from the end, because end_attachment() replaces the removed entry by the
	 * last entry.
	 */
	while (nr--)
		if (fds[nr].revents)
			end_attachment(nr);
}

void pb_attach_end(void)
{
	while (nr_attached)
		end_attachment(nr_attached - 1);
}

void pb_attach_leave(void)
{
	/*
	 * Ignore errors, for example in a chroot(2) without /proc, because no client is
	 * left.
	 */
	while (nr_attached)
		pb_program_leave(&attached[--nr_attached].program);
}

void pb_attach_forget(void)
{
	nr_attached = 0;
}
