/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "losses.h"

#include "recording.h"
#include "session.h"
#include "start.h"
#include "sys.h"
#include "thread.h"
#include "under.h"

#include <core/private.h>

static void add(uint64_t *count)
{
	__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

enum pbd_loss pb_loss_of(int error)
{
	switch (error) {
	case -ENOBUFS:
		return PBD_LOST_FULL;
	case -PB_OVER_SIZE:
		return PBD_LOST_SIZE;
	case -PB_OVER_MEMORY:
		return PBD_LOST_MEMORY;
	default:
		return PBD_LOST_SPACE;
	}
}

/*
 * This thread's own counts. Returns NULL if the thread is not known (yet), or
 * if there is no room. An interrupting signal handler may take a second element
 * for the thread.
 */
static struct pbd_loss_counts *own_counts(struct pbd_losses *losses)
{
	struct pb_thread_state *self = pb_self;
	uint64_t nr;

	if (!self || !self->number)
		return NULL;
	/* Do not use counts in a file that the process has left. */
	if ((uintptr_t)self->losses - (uintptr_t)losses < sizeof(*losses))
		return self->losses;
	/* Keeps @nr from growing without limit. */
	if (__atomic_load_n(&losses->nr, __ATOMIC_RELAXED) >= PBD_LOSS_THREADS)
		return NULL;
	nr = __atomic_fetch_add(&losses->nr, 1, __ATOMIC_RELAXED);
	if (nr >= PBD_LOSS_THREADS)
		return NULL;
	losses->thread[nr].thread = self->number;
	losses->thread[nr].tid = self->tid;
	self->losses = &losses->thread[nr];
	return self->losses;
}

/* The losses of this process, or of its nearest ancestor that has a file. */
static struct pbd_losses *nearest;

void pb_count_loss(enum pbd_loss why)
{
	struct pbd_losses *losses =
		__atomic_load_n(&pb_session->losses, __ATOMIC_ACQUIRE);
	struct pbd_loss_counts *own;

	if (losses) {
		own = own_counts(losses);
		if (own)
			add(&own->count[why]);
	} else {
		losses = nearest;
		if (why != PBD_MISSED_IN_HANDLER &&
		    why != PBD_MISSED_IN_RECORDER)
			why = PBD_LOST_CHILD;
	}
	if (losses)
		add(&losses->process.count[why]);
}

void pb_count_no_context(void)
{
	struct pbd_losses *losses =
		__atomic_load_n(&pb_session->losses, __ATOMIC_ACQUIRE);

	if (losses)
		add(&losses->no_context);
}

/*
 * Calls that were open when the recording began, and the state in this
 * process's file.
 */
static int64_t open_before;
static enum pbd_returns returns;

void pb_losses_begin_returns(void)
{
	struct pbd_losses *losses = pb_session->losses;

	open_before = pb_private_open_calls();
	returns = PBD_RETURNS_PENDING;
	if (losses)
		losses->returns = returns;
}

static void write_returns(enum pbd_returns state, uint64_t nr)
{
	struct pbd_losses *losses =
		__atomic_load_n(&pb_session->losses, __ATOMIC_ACQUIRE);

	if (!losses || returns == PBD_RETURNS_NOT_COUNTED)
		return;
	__atomic_store_n(&losses->no_return, nr, __ATOMIC_RELAXED);
	__atomic_store_n(&losses->returns, state, __ATOMIC_RELEASE);
}

/*
 * A call may end here that began before the recording, or in the process that
 * forked this one.
 */
void pb_losses_write_returns(void)
{
	const int64_t open = pb_private_open_calls() - open_before;

	if (returns == PBD_RETURNS_PENDING)
		write_returns(PBD_RETURNS_COUNTED, open > 0 ? (uint64_t)open : 0);
}

void pb_losses_take_back_returns(void)
{
	write_returns(returns, 0);
}

void pb_losses_forget_returns(void)
{
	if (returns == PBD_RETURNS_PENDING)
		returns = PBD_RETURNS_UNKNOWN;
	write_returns(returns, 0);
}

/* Counts only calls that would have been recorded, as far as that is known. */
void pb_count_missed(const struct patchbay_ops *ops)
{
	/* NULL: the tracer is not known. */
	if ((ops && ops != pb_tracer && ops != pb_values_tracer &&
	     ops != pb_typed_tracer) ||
	    pb_untraced ||
	    !pb_tracer_is_recording() || !pb_under_is_open() ||
	    (pb_options.nr_threads && !pb_self))
		return;
	pb_count_loss(PBD_MISSED_IN_HANDLER);
}

void pb_losses_no_file(int error)
{
	if (!nearest || nearest->child_error)
		return;
	nearest->child_user = (uint32_t)pb_sys(SYS_geteuid);
	nearest->child_error = (uint32_t)-error;
}

const void *pb_losses_file(void)
{
	return nearest;
}

void pb_losses_forget(void)
{
	nearest = NULL;
	returns = PBD_RETURNS_NOT_COUNTED;
}

void pb_losses_go_back(struct pbd_losses *losses)
{
	__atomic_store_n(&pb_session->losses, losses, __ATOMIC_RELEASE);
	nearest = losses;
	losses->returns = returns;
}

int pb_losses_begin(void)
{
	struct pbd_losses *losses;
	int error;

	losses = pb_data_reserve(&pb_session->file, PBD_LOSSES, sizeof(*losses),
				 &error);
	if (!losses)
		return error;
	losses->returns = returns;
	pb_data_commit(&pb_session->file, &losses->chunk);
	/* Only the last file of a process has the number. */
	if (pb_session->losses)
		pb_session->losses->returns = PBD_RETURNS_NOT_COUNTED;
	else
		pb_session->inherited = nearest;
	__atomic_store_n(&pb_session->losses, losses, __ATOMIC_RELEASE);
	nearest = losses;
	return 0;
}
