/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Attaches BPF objects. Loads libpatchbay-bpf at the first use, because it is optional and
 * depends on many libraries.
 */
#include "program.h"
#include "system/read_file.h"

#include <core/system/memory.h>

#include <patchbay/bpf.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LIBRARY "libpatchbay-bpf.so.0"

/* The maximum number of bytes to show of a key, a value or a record. */
#define SHOWN_MAX 128

/* X(function of libpatchbay-bpf, without "patchbay_bpf_") */
#define FUNCTIONS(X)                                                           \
	X(open_mem) X(close) X(attach_all) X(detach) X(next_program) X(next_map) \
	X(map_get_info) X(map_for_each) X(ringbuf_consume)

#define POINTER(name) __typeof__(patchbay_bpf_##name) *name;
static struct {
	FUNCTIONS(POINTER)
} bpf;

static int load_library(int client)
{
	void *handle;

	if (bpf.open_mem)
		return 0;
	handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		pb_say(client, "no BPF: %s", dlerror());
		return -ENOTSUP;
	}
#define FIND(name) bpf.name = (__typeof__(bpf.name))dlsym(handle, "patchbay_bpf_" #name);
	FUNCTIONS(FIND)
	return 0;
}

static void log_open(void *arg, const char *name, int error,
		     const char *reason)
{
	pb_program_log(arg, name, 0, error, reason);
}

/* The same limit as in patchbay_bpf_open(). */
#define FILE_MAX (64 << 20)

static int open_object(struct pb_program_request *request,
		       struct patchbay_bpf_object **object)
{
	const struct patchbay_bpf_opts opts = {
		.size = sizeof(opts),
		.log = log_open,
		.log_arg = request,
	};
	size_t size;
	char *bytes;
	int error = pb_read_file(request->file, FILE_MAX, &bytes, &size);

	if (error) {
		pb_say(request->client, "%s: %s", request->path,
		       error == -EINVAL ? "no file with an object" :
					  strerror(-error));
		return error;
	}
	error = bpf.open_mem(bytes, size, &opts, object);
	pb_free(bytes);
	return error;
}

int pb_program_attach_bpf(struct pb_program_request *request,
			  struct pb_attached_program *program)
{
	const struct patchbay_link_opts opts = {
		.size = sizeof(opts),
		.flags = request->flags,
		.log = pb_program_log,
		.log_arg = request,
	};
	int nr = load_library(request->client);

	if (!nr)
		nr = open_object(request, &program->object);
	if (nr)
		return nr;
	nr = bpf.attach_all(program->object, &opts);
	if (nr < 0) {
		bpf.close(program->object);
		program->object = NULL;
	}
	return nr;
}

int pb_program_leave_bpf(struct pb_attached_program *program)
{
	struct patchbay_bpf_program *one = NULL;
	int first = 0;

	while ((one = bpf.next_program(program->object, one))) {
		int error = bpf.detach(one);

		if (error && error != -ENOLINK && !first)
			first = error;
	}
	return first;
}

void pb_program_free_bpf(struct pb_attached_program *program)
{
	bpf.close(program->object);
}

/* The map that is being printed. */
struct telling {
	int client;
	struct patchbay_bpf_map_info info;
};

/* Prints 1, 2, 4 or 8 bytes as a decimal number, other sizes as hexadecimal bytes. */
static const char *show(char *to, size_t room, const void *data, size_t size)
{
	const unsigned char *bytes = data;
	unsigned long long number = 0;
	size_t at = 0;

	if (size == 1 || size == 2 || size == 4 || size == 8) {
		__builtin_memcpy(&number, data, size);
		snprintf(to, room, "%llu", number);
		return to;
	}
	*to = '\0';
	for (size_t i = 0; i < size && i < SHOWN_MAX; i++)
		at += (size_t)snprintf(to + at, room - at, "%02x", bytes[i]);
	if (size > SHOWN_MAX)
		snprintf(to + at, room - at, "...");
	return to;
}

static int tell_element(void *arg, const void *key, const void *value)
{
	const struct telling *telling = arg;
	char k[2 * SHOWN_MAX + 8], v[2 * SHOWN_MAX + 8];

	pb_say(telling->client, "%s[%s] = %s", telling->info.name,
	       show(k, sizeof(k), key, telling->info.key_size),
	       show(v, sizeof(v), value, telling->info.value_size));
	return 0;
}

static int tell_record(void *arg, const void *data, size_t size)
{
	const struct telling *telling = arg;
	char record[2 * SHOWN_MAX + 8];

	pb_say(telling->client, "%s: %s", telling->info.name,
	       show(record, sizeof(record), data, size));
	return 0;
}

static void for_each_map(int client, const struct pb_attached_program *program,
			 int rings)
{
	struct telling telling = { .client = client,
				   .info = { .size = sizeof(telling.info) } };
	struct patchbay_bpf_map *map = NULL;

	while ((map = bpf.next_map(program->object, map))) {
		bpf.map_get_info(map, &telling.info);
		if (rings)
			bpf.ringbuf_consume(map, tell_record, &telling);
		else
			bpf.map_for_each(map, tell_element, &telling);
	}
}

void pb_program_tell_records(int client,
			     const struct pb_attached_program *program)
{
	for_each_map(client, program, 1);
}

void pb_program_tell_maps(int client, const struct pb_attached_program *program)
{
	for_each_map(client, program, 0);
}
