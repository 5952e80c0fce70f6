/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "visit.h"

#include "answer.h"
#include "attach.h"
#include "context.h"
#include "left_out.h"
#include "listen.h"
#include "losses.h"
#include "message.h"
#include "moment.h"
#include "others.h"
#include "refused.h"
#include "session.h"
#include "start.h"
#include "thread.h"
#include "watch.h"
#include "wrap.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* So long a client may take before it holds what it has begun. */
#define PATIENCE_NS 10000000000ull

static struct {
	int is_on;
	int is_unfinished; /* a handler was running at the end */
	int is_over;	   /* its client has let go */
	int holder;	   /* a connection, or -1 */
	uint64_t since_ns;
} visit;

/* Nothing is armed: as if it had not been. @is_own: the file is this process's. */
static int undo(int is_own)
{
	const void *file = pb_losses_file();
	int error = pb_start_undo();

	visit.is_unfinished = error != 0;
	if (error)
		return error;
	if (is_own)
		pb_rotate_end();
	pb_session_forget();
	/* Else its parent would seem to be recorded as long as a child lives. */
	pb_data_unmap_all(file);
	pb_options_free(&pb_options);
	memset(&pb_options, 0, sizeof(pb_options));
	return 0;
}

/* What is armed is its parent's business. */
static void disarm_in_child(void)
{
	visit.is_on = 0;
	/* As in a chroot(2) without /proc. At least it records nothing. */
	if (undo(0))
		pb_session->failed = -EAGAIN;
}

/*
 * The C library has made its own locks anew before it calls this, and so have others
 * who registered such a function: ours was the last.
 */
static void begin_in_child(void)
{
	if (!visit.is_on)
		return;
	pb_session_own();
	pb_data_forget();
	if (!pb_options.follow) {
		disarm_in_child();
		return;
	}
	visit.holder = -1;
	visit.is_over = 0;
	visit.since_ns = pb_now_ns(CLOCK_MONOTONIC);
	if (pb_listen_start(0))
		disarm_in_child();
}

static int fail(int error, char *why, size_t size, const char *text)
{
	snprintf(why, size, "%s", text);
	return error;
}

/*
 * What only counts makes its file when it arms the first function. Here there is one, and
 * whoever asked for it should be told at once if it cannot be made.
 */
static int make_file(void)
{
	pb_sigset signals;
	int error;

	if (!pb_options.nr_filters && !pb_options.nr_symbols &&
	    !pb_options.nr_args && !pb_options.nr_typed)
		return 0;
	pb_signal_lock(&pb_session->lock, &signals);
	error = pb_session_file();
	pb_signal_unlock(&pb_session->lock, signals);
	return error;
}

static int begin(const char *options, char *why, size_t size)
{
	static int has_fork_handler;
	char text[PB_WHY_MAX] = "";
	int error = pb_start_read(options, text);

	if (!error)
		error = pb_context_start(0, text);
	if (error) {
		memset(&pb_options, 0, sizeof(pb_options));
		return fail(error, why, size, text);
	}
	if (pb_session)
		pb_threads_begin_again();
	error = pb_start_begin();
	if (!error)
		error = make_file();
	if (!error && !has_fork_handler)
		error = -pthread_atfork(NULL, NULL, begin_in_child);
	has_fork_handler |= !error;
	if (!error)
		error = pb_listen_start(1);
	if (!error && !pb_listens())
		error = -ECONNREFUSED;
	if (error) {
		snprintf(why, size, "output='%s': %s", pb_options.output,
			 strerror(-error));
		undo(1);
	}
	return error;
}

PB_PUBLIC int patchbay_trace_visit(const char *options, char *why, size_t size)
{
	int error = 0;

	if (visit.is_on || (pb_tracer && !visit.is_unfinished))
		return fail(-EALREADY, why, size, "it is recorded already, or 'patchbay attach' is at it");
	if (visit.is_unfinished)
		error = undo(1);
	if (error)
		return fail(-EAGAIN, why, size,
			    "a handler of the last recording is still running");
	visit.is_over = 0;
	visit.holder = -1;
	visit.since_ns = pb_now_ns(CLOCK_MONOTONIC);
	visit.is_on = 1;
	error = begin(options, why, size);
	if (error)
		visit.is_on = 0;
	else
		pb_start_arm();
	return error;
}

int pb_visit_is_over(void)
{
	if (!visit.is_on)
		return 0;
	return visit.is_over ||
	       (visit.holder < 0 && pb_now_ns(CLOCK_MONOTONIC) -
					    visit.since_ns > PATIENCE_NS);
}

int pb_visit_hold(int client)
{
	if (!visit.is_on)
		return -ENOTTY;
	if (visit.holder >= 0)
		return -EBUSY;
	visit.holder = client;
	return 0;
}

int pb_visit_holder(void)
{
	return visit.is_on ? visit.holder : -1;
}

void pb_visit_let_go(void)
{
	visit.is_over = 1;
}

/* What the file is to say of the end. */
static void write_end(void)
{
	pb_sigset signals;

	pb_note(pb_refused());
	pb_others_write();
	pb_left_out_write();
	pb_signal_lock(&pb_session->lock, &signals);
	if (pb_session->chunk)
		pb_session_tick();
	pb_signal_unlock(&pb_session->lock, signals);
}

void pb_visit_end(void)
{
	struct pb_control_reply reply = { .version = PB_CONTROL_VERSION };

	if (!visit.is_on)
		return;
	pb_attach_end();
	pb_watch_end();
	pb_tracer_stop(1);
	write_end();
	reply.result = undo(1);
	visit.is_on = 0;
	if (visit.holder >= 0) {
		pb_message_reply(visit.holder, &reply, -1);
		close(visit.holder);
		visit.holder = -1;
	}
}
