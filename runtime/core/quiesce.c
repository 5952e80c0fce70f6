/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "quiesce.h"

#include "left.h"
#include "missed.h"
#include "os/linux.h"
#include "stats.h"
#include "text.h"

#define load(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define store(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)

/* Of so many calls that come from within a handler one asks the kernel (left.h). */
#define OFTEN 64

/* The trampolines of threads without a reader have this one in their frames. */
static const struct pb_reader nobody;

static int is_outside(const struct pb_reader *self)
{
	return load(&self->outer.phase) == PB_THREAD_OUTSIDE;
}

/* The handler that the thread is in has gone: the thread is outside. */
static void forget_outer(struct pb_reader *self)
{
	pb_count(&pb_stats.left);
	store(&self->outer.phase, PB_THREAD_OUTSIDE);
	store(&self->outer.frame, 0);
}

/*
 * So has the call that had the inner mark. Not by a plain store: a signal handler may
 * have found out the same, and the mark be another call's by now.
 */
static void forget_inner(struct pb_reader *self, uintptr_t frame)
{
	if (__atomic_compare_exchange_n(&self->inner.frame, &frame, 0, 0,
					__ATOMIC_RELEASE, __ATOMIC_RELAXED))
		pb_count(&pb_stats.left);
}

/* Has the calling thread, whose stack is from @from to @to, left who had @frame? */
typedef int (*has_left)(const struct pb_reader *self, uintptr_t frame, uintptr_t from,
			uintptr_t to);

/* Forget what was left. A frame that is not known is not asked about; see reader.h. */
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
	return pb_left_is_reused(self, frame, from, to) ||
	       ((self->nested + 1) % OFTEN == 0 && pb_left_is_gone(self, frame));
}

static int has_left_surely(const struct pb_reader *self, uintptr_t frame,
			   uintptr_t from, uintptr_t to)
{
	(void)from;
	return pb_left_is_surely_gone(self, frame, to);
}

/*
 * Take the inner mark, if a call has not taken it that this one interrupts. The phase is
 * loaded when it has been taken, and our caller loads slot and cell later than both
 * stores: so after the barrier of pb_quiesce_begin() this thread has either made both
 * visible, or will find what was stored before it. It is the same as with the
 * outer mark, and for this kind of waiting it is enough: no processor has to be
 * kept from loading the cell before the stores are seen by others.
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

static enum pb_entry mark(struct pb_reader *self, const struct patchbay_regs *frame)
{
	if (is_outside(self)) {
		store(&self->outer.frame, (uintptr_t)frame);
		store(&self->outer.phase, load(&pb_reader_phase));
		return PB_ENTERED;
	}
	return mark_inner(self, frame) ? PB_ENTERED_TO_MISS : PB_NOT_ENTERED;
}

/* Not inlined: what is below its frame address is not looked at. */
__attribute__((noinline)) enum pb_entry
pb_thread_enter(const struct patchbay_regs *frame, const void *end,
		struct pb_reader **self)
{
	const uintptr_t from = (uintptr_t)__builtin_frame_address(0);
	struct pb_reader *reader = pb_reader_take();
	enum pb_entry entry = PB_NOT_ENTERED;

	*self = reader;
	pb_left_mark_frame(frame, reader ? reader : &nobody);
	if (reader) {
		forget_left(reader, has_left_as_seen, from, (uintptr_t)end);
		entry = mark(reader, frame);
	}
	if (entry == PB_NOT_ENTERED)
		pb_miss_unseen();
	/*
	 * The mark comes before the load of slot and cell, in the order of the
	 * program: that is what the barrier of pb_quiesce_begin() relies on.
	 */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return entry;
}

/* The stores are releases: what the handler did is over before they are seen. */
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
	 * Pairs with the trampolines' plain loads and stores: after this every
	 * thread has either made its mark visible, or will read its slot and
	 * cell after what our caller stored. The phase moves afterwards: weakly
	 * ordered processors may load slot and cell before it, so who finds the
	 * new phase must be known to find the new cell, too.
	 */
	int error = pb_sync_core();

	if (!error)
		*phase = __atomic_add_fetch(&pb_reader_phase, 1,
					    __ATOMIC_SEQ_CST);
	return error;
}

/* Has the handler that owns @frame gone, as far as the caller wants to know? */
static int is_gone(const struct pb_reader *reader, uintptr_t frame, int closely)
{
	return closely && frame && pb_left_is_gone(reader, frame);
}

/*
 * Since which phase has the thread of @reader been in a handler that was running at
 * @phase? @phase: it is in none. Without looking @closely one that was left is taken for
 * running.
 *
 * A handler that has been running all the time since @phase was read has the frame
 * that is read here, or 0. If the frame has gone, so has the handler; another one
 * that has the mark by now is not waited for.
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
 * The same, and a thread that has ended is in none. One that is in a handler with a phase
 * that is too old has the new one the next time. As many threads as want may copy it: a
 * copy that is older than another's makes the next waiter look once more.
 */
static uint64_t waits_since(struct pb_reader *reader, uint64_t phase, int closely)
{
	const uint64_t now = load(&pb_reader_phase);

	if (load(&reader->next_phase) != now)
		store(&reader->next_phase, now);
	/* Before all else: what is read then is of the thread that had it, or later. */
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
