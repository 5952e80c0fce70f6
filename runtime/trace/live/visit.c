/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "visit.h"

#include "attach.h"
#include "functions/site_check.h"
#include "handover.h"
#include "listen.h"
#include "message.h"
#include "session/losses.h"
#include "session/recording.h"
#include "session/session.h"
#include "start/live_part.h"
#include "start/start.h"
#include "system/fork_lock.h"
#include "system/moment.h"
#include "system/wrap.h"
#include "threads/rotate.h"
#include "threads/thread.h"
#include "tracers/context.h"
#include "watch.h"

#include <core/system/private.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* The time limit for a client to hold the recording that it has begun. */
#define PATIENCE_NS 10000000000ull

/*
 * @is_on:         a visit exists, with or without a recording
 * @is_idle:       nothing is recorded: the visit serves attached programs (attach.h)
 * @is_unfinished: a handler was still running when a recording ended: its tracers are
 *                 disarmed, but its memory stays, and no other recording can begin
 * @tried_ns:      time of the last attempt to finish that recording
 * @is_let_go:     the client that held the recording, or the last keeper, has left
 * @is_broken:     the visit must end, regardless of clients
 * @holder:        the connection that holds the recording, or -1
 * @holder_pid:    the holder's process; 0: a process of another PID namespace
 * @keeper:        connections of clients that hold the runtime (*keepers*)
 * @last:          the last keeper, which waits for a reply, or -1
 * @idle:          options for a visit that continues without a recording
 * A thread that begins a visit, other than the listening thread, reads only @is_on,
 * which no other thread sets.
 */
static struct {
	int is_on;
	int is_idle;
	int is_unfinished;
	int is_let_go;
	int is_broken;
	int holder;
	int32_t holder_pid;
	uint64_t since_ns, tried_ns;
	int keeper[PB_CONTROL_KEEPERS];
	nfds_t nr_keepers;
	int last;
	char idle[PB_CONTROL_TEXT_MAX];
} visit;

/* End the recording and free everything. @is_own: the file belongs to this process. */
static int undo(int is_own)
{
	const void *inherited;
	int error;

	/* Skip this in a child: a thread of the parent may have held the loader's lock. */
	if (is_own)
		pb_site_check();
	error = pb_start_undo();
	visit.is_unfinished = error != 0;
	if (error)
		return error;
	pb_rotate_end();
	/*
	 * A child without a file has its parent's file mapped, which keeps that file
	 * locked. Read the address now: after pb_session_forget() has unmapped the
	 * process's own file, other memory may be at that address.
	 */
	inherited = pb_session->file.header ? NULL : pb_losses_held;
	pb_session_forget();
	pb_data_unmap_all(inherited);
	pb_options_free(&pb_options);
	memset(&pb_options, 0, sizeof(pb_options));
	return 0;
}

/* Make handlers record nothing. Functions may stay armed. */
static void record_nothing(void)
{
	visit.is_on = 0;
	if (!pb_session)
		return;
	pb_session_own();
	pb_session->failed = -EAGAIN;
}

/* Disarm the functions that were armed for the parent's recording. */
static void disarm_in_child(void)
{
	visit.is_on = 0;
	/*
	 * On failure, as in a chroot(2) without /proc, functions stay armed, so record
	 * nothing.
	 */
	if (undo(0))
		pb_session->failed = -EAGAIN;
}

static void reset(void)
{
	visit.is_let_go = visit.is_broken = 0;
	visit.holder = visit.last = -1;
	visit.nr_keepers = 0;
	visit.since_ns = pb_now_ns(CLOCK_MONOTONIC);
}

/*
 * A handler of pthread_atfork(3), which was registered last and so runs last, after the C
 * library and other libraries have reset their locks in the child.
 */
static void begin_in_child(void)
{
	const int is_changing = pb_fork_child();

	pb_handover_forget();
	if (!visit.is_on)
		return;
	if (is_changing) {
		record_nothing();
		return;
	}
	pb_session_own();
	pb_data_forget();
	pb_attach_leave();
	if (!pb_options.follow) {
		disarm_in_child();
		return;
	}
	reset();
	if (pb_listen_start(0))
		disarm_in_child();
}

static int fail(int error, char *why, size_t size, const char *text)
{
	snprintf(why, size, "%s", text);
	return error;
}

/*
 * A counting tracer would make its file when it arms the first function. Make the file now,
 * so that the command gets errors immediately.
 */
static int make_file(void)
{
	if (!pb_options.nr_filters && !pb_options.nr_symbols &&
	    !pb_options.nr_args && !pb_options.nr_typed)
		return 0;
	pb_guard(&pb_session->lock);
	return pb_session_file();
}

static int start_recording(const char *options, char *why, size_t size)
{
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
	visit.is_idle = pb_options.idle;
	return error;
}

static int not_started(int error, char *why, size_t size)
{
	if (!*why)
		snprintf(why, size, "output='%s': %s", pb_options.output,
			 strerror(-error));
	if (pb_tracer || pb_options.output)
		undo(1);
	return error;
}

static int begin(const char *options, char *why, size_t size)
{
	static int has_fork_handler;
	int error;

	*why = 0;
	error = start_recording(options, why, size);
	if (!error && !has_fork_handler)
		error = -pthread_atfork(pb_fork_prepare, pb_fork_parent,
					begin_in_child);
	has_fork_handler |= !error;
	if (!error)
		error = pb_listen_start(1);
	if (!error && !pb_listens())
		error = -ECONNREFUSED;
	return error ? not_started(error, why, size) : 0;
}

static int begin_visit(const char *options, char *why, size_t size)
{
	int error = 0;

	if (pb_tracer && !visit.is_unfinished)
		return fail(-EALREADY, why, size,
			    "it has been recorded since its start");
	pb_fork_change();
	if (visit.is_unfinished)
		error = undo(1);
	if (error) {
		pb_fork_changed();
		return fail(-EAGAIN, why, size,
			    "a handler of the last recording is still running");
	}
	reset();
	/* Set @is_on before the thread listens. */
	__atomic_store_n(&visit.is_on, 1, __ATOMIC_SEQ_CST);
	error = begin(options, why, size);
	if (error)
		__atomic_store_n(&visit.is_on, 0, __ATOMIC_SEQ_CST);
	pb_fork_changed();
	if (!error)
		pb_start_arm();
	return error;
}

int pb_visit_is_on(void)
{
	return __atomic_load_n(&visit.is_on, __ATOMIC_SEQ_CST);
}

int pb_visit_is_idle(void)
{
	return visit.is_on && visit.is_idle;
}

PB_PUBLIC int patchbay_trace_visit(const char *options, char *why, size_t size)
{
	return pb_handover(options, why, size, begin_visit);
}

/* Like undo(), but without waiting, because an earlier wait has timed out. */
static int undo_rest(void)
{
	const unsigned int limit = pb_private_wait_limit(0);
	const int error = undo(1);

	pb_private_wait_limit(limit);
	return error;
}

/*
 * Replaces this recording by another recording, or by none (option idle=1). @why has
 * PB_WHY_MAX bytes. Only the listening thread calls this and the functions below.
 */
static int change_recording(const char *options, char *why)
{
	int error;

	*why = 0;
	pb_fork_change();
	error = visit.is_unfinished ? undo_rest() : undo(1);
	visit.tried_ns = pb_now_ns(CLOCK_MONOTONIC);
	if (error)
		fail(error, why, PB_WHY_MAX,
		     "a handler that was running when the last recording ended "
		     "is still running");
	else if ((error = start_recording(options, why, PB_WHY_MAX)))
		error = not_started(error, why, PB_WHY_MAX);
	pb_fork_changed();
	if (!error)
		pb_start_arm();
	return error;
}

/*
 * Stop recording. Programs stay attached. Returns 0, or an error of undo(), which the
 * thread retries later.
 */
static int become_idle(void)
{
	char why[PB_WHY_MAX];
	const int error = change_recording(visit.idle, why);

	if (error && !visit.is_unfinished)
		visit.is_broken = 1;
	/* start_recording() sets @is_idle only on success. */
	visit.is_idle = 1;
	visit.is_let_go = 0;
	return error;
}

#define AGAIN_NS 500000000ull

static void finish(void)
{
	if (visit.is_unfinished &&
	    pb_now_ns(CLOCK_MONOTONIC) - visit.tried_ns >= AGAIN_NS)
		become_idle();
}

/*
 * If another process has reused the pid, returns 0, and the visit ends after PATIENCE_NS.
 */
static int is_dead(uint64_t command)
{
	return command && pb_sys(SYS_kill, (int)command, 0) == -ESRCH;
}

static int is_late(void)
{
	return visit.holder < 0 &&
	       (pb_now_ns(CLOCK_MONOTONIC) - visit.since_ns > PATIENCE_NS ||
		is_dead(pb_options.by));
}

int pb_visit_is_over(void)
{
	if (!visit.is_on)
		return 0;
	return visit.is_broken ||
	       (!visit.nr_keepers && (visit.is_let_go || is_late()));
}

static void reply_and_close(int *client, int result)
{
	const struct pb_control_reply reply = { .version = PB_CONTROL_VERSION,
						.result = result };

	if (*client < 0)
		return;
	pb_message_reply(*client, &reply, -1);
	close(*client);
	*client = -1;
}

static int32_t process_of(int client)
{
	struct ucred peer = { 0 };
	socklen_t size = sizeof(peer);

	getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size);
	return peer.pid;
}

static int keep(int client, const char *idle)
{
	if (visit.nr_keepers == PB_CONTROL_KEEPERS)
		return -EUSERS;
	if (strlen(idle) >= sizeof(visit.idle))
		return -EINVAL;
	strcpy(visit.idle, idle);
	visit.keeper[visit.nr_keepers++] = client;
	reply_and_close(&visit.last, PB_CONTROL_STAYS);
	if (visit.is_idle)
		visit.is_let_go = 0;
	return 0;
}

int pb_visit_hold(int client, const char *idle)
{
	if (!visit.is_on)
		return -ENOTTY;
	if (*idle)
		return keep(client, idle);
	if (visit.is_idle || visit.holder >= 0)
		return -EBUSY;
	visit.holder = client;
	visit.holder_pid = process_of(client);
	return 0;
}

nfds_t pb_visit_poll(struct pollfd *fds)
{
	fds[0] = (struct pollfd){ visit.is_on ? visit.holder : -1, POLLIN, 0 };
	for (nfds_t i = 0; i < visit.nr_keepers; i++)
		fds[1 + i] = (struct pollfd){ visit.keeper[i], POLLIN, 0 };
	return 1 + visit.nr_keepers;
}

/* Remove a keeper. The last keeper gets its reply only when the visit has ended. */
static void let_keeper_go(nfds_t index)
{
	int client = visit.keeper[index];

	visit.keeper[index] = visit.keeper[--visit.nr_keepers];
	if ((visit.is_idle || visit.is_let_go) && !visit.nr_keepers) {
		visit.last = client;
		visit.is_let_go = 1;
		return;
	}
	reply_and_close(&client, PB_CONTROL_STAYS);
}

void pb_visit_polled(const struct pollfd *fds, nfds_t nr)
{
	if (fds[0].revents)
		visit.is_let_go = 1;
	/*
	 * Iterate from the end, because let_keeper_go() replaces the removed entry by the
	 * last entry.
	 */
	while (--nr)
		if (fds[nr].revents)
			let_keeper_go(nr - 1);
}

static void end_recording(void)
{
	/* No recording exists, or the recording has already ended. */
	if (!pb_tracer || visit.is_unfinished)
		return;
	pb_watch_end();
	pb_tracer_stop(1);
	pb_write_end();
}

/* Refuse a visit because of a recording, which may not have a holder yet. */
static int say_recorded(char *why, size_t size)
{
	if (visit.holder < 0)
		return fail(-EALREADY, why, size,
			    "it is recorded already, by a command that just began or "
			    "was killed: try again in ten seconds");
	if (!visit.holder_pid)
		return fail(-EALREADY, why, size,
			    "it is recorded already, by a process of another PID "
			    "namespace: end that first");
	snprintf(why, size, "it is recorded already, by process %d: end that first",
		 (int)visit.holder_pid);
	return -EALREADY;
}

/* Begin the visit of another command, in the listening thread (handover.h). */
static int begin_here(const char *options, char *why, size_t size)
{
	struct pb_options wanted = { 0 };
	char text[PB_WHY_MAX] = "";
	int error = pb_options_parse(&wanted, options, text);
	const int is_idle = !error && wanted.idle;

	pb_options_free(&wanted);
	/* The command needs only the runtime, which is already loaded. */
	if (is_idle)
		return 0;
	if (!visit.is_idle)
		return say_recorded(why, size);
	error = change_recording(options, text);
	snprintf(why, size, "%s", text);
	visit.since_ns = pb_now_ns(CLOCK_MONOTONIC);
	if (visit.is_unfinished)
		return -EAGAIN;
	if (error)
		become_idle();
	return error;
}

void pb_visit_look(void)
{
	int error;

	if (!visit.is_on || visit.is_broken)
		return;
	if (!visit.is_idle && visit.nr_keepers &&
	    (visit.is_let_go || is_late())) {
		end_recording();
		error = become_idle();
		if (!visit.is_broken)
			reply_and_close(&visit.holder, error ? error : PB_CONTROL_STAYS);
	}
	if (pb_visit_is_over())
		return;
	finish();
	if (!visit.is_broken)
		pb_handover_look(begin_here);
}

void pb_visit_end(void)
{
	int holder = visit.holder, last = visit.last, result;

	if (!visit.is_on)
		return;
	pb_attach_end();
	end_recording();
	pb_fork_change();
	result = undo(1);
	visit.holder = visit.last = -1;
	while (visit.nr_keepers)
		close(visit.keeper[--visit.nr_keepers]);
	/*
	 * Reset @is_on before the replies: a client that has its reply, or a waiting
	 * visitor (handover.h), must not find a visit.
	 */
	__atomic_store_n(&visit.is_on, 0, __ATOMIC_SEQ_CST);
	pb_fork_changed();
	reply_and_close(&holder, result);
	reply_and_close(&last, result);
}
