/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "unlisted.h"

#include "left.h"
#include "stats.h"

#define load(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define store(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)

/*
 * @thread: whose it is, NULL: nobody's. Who has taken it by one atomic instruction
 *          owns it: but for those in a forked child only that thread, and signal
 *          handlers in it, write to the rest, and give it back
 * @mark:   of the handler. Its frame is 0 as long as @thread has not stored it, and
 *          from then on until it is given back it is that handler's. Its phase is
 *          stored after the frame: for a moment it is that of a handler before, which
 *          makes others wait rather too long than too short
 *
 * Who waits may read @thread of one owner and the frame of the next, and think that
 * the next has gone. The next came while he was waiting, so is not waited for.
 */
struct pb_unlisted {
	const struct pb_thread *thread;
	struct pb_mark mark;
};

static struct pb_unlisted marks[PB_UNLISTED_MAX];

/* Handlers entered without a mark. */
static uint64_t counted;

#define for_each_mark(m) for (m = marks; m < marks + PB_UNLISTED_MAX; m++)

static void give_back(struct pb_unlisted *m)
{
	/* The owner goes last: whoever is the next finds no frame. */
	store(&m->mark.frame, 0);
	store(&m->thread, NULL);
}

struct pb_unlisted *pb_unlisted_enter(uintptr_t frame)
{
	struct pb_unlisted *m;

	for_each_mark(m) {
		const struct pb_thread *nobody = NULL;

		if (load(&m->thread) ||
		    !__atomic_compare_exchange_n(&m->thread, &nobody, &pb_thread,
						 0, __ATOMIC_ACQ_REL,
						 __ATOMIC_RELAXED))
			continue;
		store(&m->mark.frame, frame);
		store(&m->mark.phase, load(&pb_quiesce_phase));
		return m;
	}
	pb_thread.depth++;
	__atomic_fetch_add(&counted, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

void pb_unlisted_leave(struct pb_unlisted *m)
{
	if (m) {
		give_back(m);
		return;
	}
	__atomic_fetch_sub(&counted, 1, __ATOMIC_SEQ_CST);
	pb_thread.depth--;
}

/*
 * The handler that has @m, with @frame, has gone. A signal handler may have found out
 * the same, and given the mark back.
 */
static void forget(struct pb_unlisted *m, uintptr_t frame)
{
	if (!__atomic_compare_exchange_n(&m->mark.frame, &frame, 0, 0,
					 __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		return;
	pb_count(&pb_stats.left);
	store(&m->thread, NULL);
}

int pb_unlisted_is_inside(pb_has_left has_left, uintptr_t from, uintptr_t to)
{
	struct pb_unlisted *m;
	int inside = pb_thread.depth != 0;

	for_each_mark(m) {
		uintptr_t frame;

		if (load(&m->thread) != &pb_thread)
			continue;
		/* 0: it is not in the handler yet, or has returned from it. */
		frame = load(&m->mark.frame);
		if (frame && has_left(frame, from, to))
			forget(m, frame);
		else if (frame)
			inside = 1;
	}
	return inside;
}

size_t pb_unlisted_frames(uintptr_t *frames, size_t max)
{
	struct pb_unlisted *m;
	size_t nr = 0;

	for_each_mark(m) {
		if (nr == max)
			break;
		if (load(&m->thread) != &pb_thread)
			continue;
		frames[nr] = load(&m->mark.frame);
		nr += frames[nr] != 0;
	}
	return nr;
}

void pb_unlisted_forget(uintptr_t frame)
{
	struct pb_unlisted *m;

	for_each_mark(m)
		if (load(&m->thread) == &pb_thread &&
		    load(&m->mark.frame) == frame)
			forget(m, frame);
}

uint64_t pb_unlisted_until(uint64_t phase, int closely)
{
	struct pb_unlisted *m;

	if (load(&counted))
		return 0;
	for_each_mark(m) {
		const struct pb_thread *thread = load(&m->thread);
		uintptr_t frame;
		uint64_t seen;

		if (!thread)
			continue;
		frame = load(&m->mark.frame);
		seen = load(&m->mark.phase);
		if (seen < phase &&
		    !(closely && frame && pb_left_is_gone(thread, frame)))
			phase = seen;
	}
	return phase;
}

void pb_unlisted_begin_thread(void)
{
	struct pb_unlisted *m;

	for_each_mark(m)
		if (load(&m->thread) == &pb_thread)
			give_back(m);
}

void pb_unlisted_forked(void)
{
	struct pb_unlisted *m;

	for_each_mark(m)
		if (load(&m->thread) != &pb_thread)
			give_back(m);
	counted = pb_thread.depth;
}
