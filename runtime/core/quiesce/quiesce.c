/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "quiesce/quiesce.h"

#include "quiesce/handler_frame.h"
#include "system/linux.h"
#include "system/private.h"
#include "system/stats.h"
#include "system/text.h"
#include "types/tracer.h"

#include <errno.h>

#define load(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define store(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)

/* Every OFTEN-th call from within a handler uses system calls to detect abandoned handlers. */
#define OFTEN 64

/* The address of @no_reader is the mark in frames of threads without a reader. */
static const struct pb_reader no_reader;

/* The callback of libpatchbay-trace, or NULL. */
static void (*told)(const struct patchbay_ops *ops);

static void report_missed(const struct patchbay_ops *ops)
{
	void (*also)(const struct patchbay_ops *) =
		__atomic_load_n(&told, __ATOMIC_ACQUIRE);

	if (also)
		also(ops);
}

void pb_miss(const struct patchbay_cell *cell)
{
	__atomic_fetch_add(&cell->ops->missed, 1, __ATOMIC_RELAXED);
	report_missed(cell->ops);
}

int pb_private_on_missed(void (*func)(const struct patchbay_ops *ops))
{
	return pb_compare_and_swap(&told, NULL, func) ? 0 : -EBUSY;
}

static int is_outside(const struct pb_reader *self)
{
	return load(&self->outer.phase) == PB_THREAD_OUTSIDE;
}

/* The thread has abandoned the handler that it was in: mark it as outside. */
static void forget_outer(struct pb_reader *self)
{
	pb_count(&pb_stats.left);
	store(&self->outer.phase, PB_THREAD_OUTSIDE);
	store(&self->outer.frame, 0);
}

/*
 * The call that took the inner mark is gone: free the mark. A plain store would be wrong: a
 * signal handler may have freed the mark, and another call may have taken it since.
 */
static void forget_inner(struct pb_reader *self, uintptr_t frame)
{
	if (__atomic_compare_exchange_n(&self->inner.frame, &frame, 0, 0,
					__ATOMIC_RELEASE, __ATOMIC_RELAXED))
		pb_count(&pb_stats.left);
}

/*
 * Has the calling thread abandoned the handler with @frame? @from, @to: the part of the stack
 * that the library is using now.
 */
typedef int (*has_left)(const struct pb_reader *self, uintptr_t frame, uintptr_t from,
			uintptr_t to);

/* Remove the marks of abandoned handlers, except marks with an unknown frame (0; reader.h). */
static void forget_left(struct pb_reader *self, has_left has_left, uintptr_t from,
			uintptr_t to)
{
	uintptr_t inner = load(&self->inner.frame);

	if (!is_outside(self) && self->outer.frame &&
	    has_left(self, self->outer.frame, from, to))
		forget_outer(self);
	if (inner && has_left(self, inner, from, to))
		forget_inner(self, inner);
}

static int has_left_as_seen(const struct pb_reader *self, uintptr_t frame,
			    uintptr_t from, uintptr_t to)
{
	return pb_handler_is_overwritten(self, frame, from, to) ||
	       ((self->nested + 1) % OFTEN == 0 && pb_handler_is_gone(self, frame));
}

static int has_left_surely(const struct pb_reader *self, uintptr_t frame,
			   uintptr_t from, uintptr_t to)
{
	(void)from;
	return pb_handler_is_surely_gone(self, frame, to);
}

/*
 * Take the inner mark, unless an interrupted call has it. This function loads the phase after
 * it has taken the mark. The caller loads slot and cell after both stores. At the barrier of
 * pb_quiesce_begin(), this thread either has made both stores visible, or will later load
 * what the waiter stored before the barrier. The outer mark relies on the same order. No
 * store-load barrier is needed here, because membarrier(2) supplies it on the waiting side.
 */
static int mark_inner(struct pb_reader *self, const struct patchbay_regs *frame)
{
	uintptr_t none = 0;

	self->nested++;
	if (!__atomic_compare_exchange_n(&self->inner.frame, &none, (uintptr_t)frame,
					 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return 0;
	store(&self->inner.phase, load(&pb_reader_phase));
	return 1;
}

/* Not inlined, because forget_left() ignores the stack below this function's frame address. */
__attribute__((noinline)) enum pb_entry
pb_thread_enter(const struct patchbay_regs *frame, const void *end,
		struct pb_reader **self)
{
	const uintptr_t from = (uintptr_t)__builtin_frame_address(0);
	struct pb_reader *reader = pb_reader_take();
	enum pb_entry entry = PB_NOT_ENTERED;

	*self = reader;
	pb_mark_handler_frame(frame, reader ? reader : &no_reader);
	if (reader) {
		forget_left(reader, has_left_as_seen, from, (uintptr_t)end);
		if (is_outside(reader)) {
			store(&reader->outer.frame, (uintptr_t)frame);
			store(&reader->outer.phase, load(&pb_reader_phase));
			entry = PB_ENTERED;
		} else if (mark_inner(reader, frame)) {
			entry = PB_ENTERED_TO_MISS;
		}
	}
	if (entry == PB_NOT_ENTERED) {
		/*
		 * Count one missed call for the whole process. The thread may not read a cell,
		 * because it is counting another missed call, or has no reader (reader.h).
		 */
		pb_count(&pb_stats.unseen);
		report_missed(NULL);
	}
	/*
	 * In program order, the mark comes before the loads of slot and cell. The barrier of
	 * pb_quiesce_begin() relies on this order.
	 */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return entry;
}

/* The stores are releases: they become visible after all accesses of the handler. */
void pb_thread_leave(struct pb_reader *self, enum pb_entry entry)
{
	if (entry == PB_ENTERED) {
		store(&self->outer.phase, PB_THREAD_OUTSIDE);
		store(&self->outer.frame, 0);
	} else {
		store(&self->inner.frame, 0);
	}
}

int pb_thread_inside_below(const void *frame)
{
	struct pb_reader *self = pb_reader_find();

	if (!self)
		return 0;
	forget_left(self, has_left_surely, 0, (uintptr_t)frame);
	return !is_outside(self) || load(&self->inner.frame);
}

size_t pb_thread_frames(uintptr_t frames[PB_FRAMES_MAX])
{
	const struct pb_reader *self = pb_reader_find();
	size_t nr = 0;

	if (!self)
		return 0;
	if (!is_outside(self) && self->outer.frame)
		frames[nr++] = self->outer.frame;
	frames[nr] = load(&self->inner.frame);
	return nr + (frames[nr] != 0);
}

void pb_thread_forget(uintptr_t frame)
{
	struct pb_reader *self = pb_reader_find();

	if (!self)
		return;
	forget_inner(self, frame);
	if (!is_outside(self) && self->outer.frame == frame)
		forget_outer(self);
}

int pb_quiesce_begin(uint64_t *phase)
{
	/*
	 * Pairs with the trampolines' plain loads and stores. After this barrier, each thread
	 * has either made its mark visible, or will see the caller's stores when it loads its
	 * slot and cell. Increment the phase after the barrier, because weakly ordered
	 * processors may load slot and cell before the phase: a thread that loads the new
	 * phase must also load the new cell.
	 */
	int error = pb_sync_core();

	if (!error)
		*phase = __atomic_add_fetch(&pb_reader_phase, 1,
					    __ATOMIC_SEQ_CST);
	return error;
}

/*
 * With @closely: has the handler with @frame been abandoned? Returns 0 without @closely, or
 * if @frame is 0 (unknown).
 */
static int is_gone(const struct pb_reader *reader, uintptr_t frame, int closely)
{
	return closely && frame && pb_handler_is_gone(reader, frame);
}

/*
 * If the thread of @reader is in a handler that was running when @phase began, returns the
 * phase at which it entered that handler. Otherwise returns @phase. Unless @closely, an
 * abandoned handler counts as running.
 *
 * This function reads the phase of a mark before its frame. If the handler that stored the
 * phase is still running, the frame that is read here is the handler's, or is 0. So if that
 * frame is gone, the handler is gone. Then the mark may belong to a later handler, which the
 * caller need not wait for.
 */
static uint64_t inside_since(const struct pb_reader *reader, uint64_t phase,
			     int closely)
{
	uint64_t seen = load(&reader->outer.phase);
	uint64_t since = phase;
	uintptr_t frame;

	if (seen >= PB_PHASE_FIRST && seen < since &&
	    !is_gone(reader, load(&reader->outer.frame), closely))
		since = seen;
	frame = load(&reader->inner.frame);
	if (!frame)
		return since;
	seen = load(&reader->inner.phase);
	if (seen < since && !is_gone(reader, frame, closely))
		since = seen;
	return since;
}

/*
 * Like inside_since(). With @closely, also detects that the thread has ended. Copies the
 * current phase to @next_phase, for the thread's next call. Several waiters may copy at the
 * same time: if an older copy overwrites a newer one, the next waiter copies again.
 */
static uint64_t waits_since(struct pb_reader *reader, uint64_t phase, int closely)
{
	const uint64_t now = load(&pb_reader_phase);

	if (load(&reader->next_phase) != now)
		store(&reader->next_phase, now);
	/* Read @life first: data read later belong to this thread or to a later thread. */
	const uint64_t life = pb_reader_life(reader);
	uint64_t since = life ? inside_since(reader, phase, closely) : phase;

	if (since < phase && closely && pb_reader_reclaim(reader, life))
		return phase;
	return since;
}

uint64_t pb_quiesce_until(uint64_t phase, int closely)
{
	struct pb_reader *reader;

	for (size_t i = 0; phase && (reader = pb_reader_at(i)); i++)
		phase = waits_since(reader, phase, closely);
	return phase;
}

int pb_quiesce_over(uint64_t phase)
{
	return pb_quiesce_until(phase, 0) == phase;
}

int pb_quiesce_thread(uint64_t phase, int *over)
{
	struct pb_reader *reader;
	int process, number, found = 0;

	*over = 1;
	pb_os_thread(&process, &number);
	for (size_t i = 0; !found && (reader = pb_reader_at(i)); i++) {
		if (waits_since(reader, phase, 1) == phase)
			continue;
		*over = 0;
		if (reader->process == (uint32_t)process)
			found = (int)reader->number;
	}
	return found;
}
