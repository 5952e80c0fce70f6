/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "count_losses.h"

#include "session/losses.h"
#include "session/session.h"
#include "thread.h"

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
 * Returns this thread's counts, or NULL if the thread has no number yet, or if all elements
 * are taken. If a signal handler interrupts this function, the thread may get two elements.
 */
static struct pbd_loss_counts *own_counts(struct pbd_losses *losses)
{
	struct pb_thread_state *self = pb_self;
	uint64_t nr;

	if (!self || !self->number)
		return NULL;
	/*
	 * Is self->losses in the present file? With rotation it may point to an earlier
	 * file.
	 */
	if ((uintptr_t)self->losses - (uintptr_t)losses < sizeof(*losses))
		return self->losses;
	/* Without this check, failed attempts would increase @nr without limit. */
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
		losses = pb_losses_nearest;
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
