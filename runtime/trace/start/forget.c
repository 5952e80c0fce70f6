/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Not in session.c, which handlers call, because memset() may use vector registers. */
#include "forget.h"

#include "file/arena.h"
#include "file/quota.h"
#include "functions/left_out.h"
#include "functions/modules.h"
#include "functions/typed_program.h"
#include "session/losses.h"
#include "session/parent.h"
#include "session/requested_names.h"
#include "session/session.h"
#include "session/untraceable_modules.h"
#include "threads/thread.h"
#include "tracers/why.h"

#include <stddef.h>
#include <string.h>

/* Clear the session, except the data of the process and of its threads. The lock stays held. */
static void empty(struct pb_session *session)
{
	const struct pb_session before = *session;
	const size_t lock = offsetof(struct pb_session, nr_modules);

	memset((char *)session + lock, 0, sizeof(*session) - lock);
	session->owner = before.owner;
	session->first_leaving = before.first_leaving;
	session->last_leaving = before.last_leaving;
	session->lots = before.lots;
	session->newest_lot = before.newest_lot;
	session->nr_new_threads = before.nr_new_threads;
	/* Keep what other threads increment and decrement. */
	session->in_syscalls = before.in_syscalls;
	session->waiting = before.waiting;
	session->turn = before.turn;
}

void pb_session_forget(void)
{
	pb_sigset signals;

	pb_signal_lock(&pb_session->lock, &signals);
	pb_threads_forget();
	pb_why_forget();
	pb_left_out_forget();
	pb_others_forget();
	pb_session_forget_modules();
	pb_parent_forget();
	pb_losses_forget();
	if (pb_session->file.header)
		pb_quota_count(-(int64_t)pb_session->file.allocated);
	pb_arena_close(&pb_session->file);
	pb_data_close(&pb_session->file);
	pb_session_forget_start();
	empty(pb_session);
	pb_signal_unlock(&pb_session->lock, signals);
	pb_asked_forget();
	pb_typed_forget();
}
