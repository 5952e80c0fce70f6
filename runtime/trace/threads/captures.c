/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "captures.h"

#include "ring.h"
#include "session/session.h"
#include "session/syscalls.h"
#include "thread.h"
#include "thread_choice.h"

/*
 * Words after the captured words of each call: frame, function, number of captured words.
 */
#define TRAILER 3

/*
 * Slow path of own(): the thread has no captures yet. If it takes over the object of an
 * ended thread, it reuses the captures of that object.
 */
static __attribute__((noinline)) struct pb_captures *begin(void)
{
	struct pb_captures *captures = NULL;
	struct pb_thread_state *self;
	int saved_errno = errno, error;

	if (pb_untraced || pb_locked || !pb_syscalls_begin())
		return NULL;
	if (!pb_session->failed &&
	    pb_thread_is_chosen(!pb_self || !pb_self->number)) {
		pb_guard(&pb_session->lock);
		error = pb_session_events();
		self = error ? NULL : pb_thread_begin(&error);
		if (self && !self->captures)
			self->captures =
				pb_session_alloc(sizeof(*captures), &error);
		captures = self ? self->captures : NULL;
	}
	pb_syscalls_end();
	errno = saved_errno;
	return captures;
}

static inline struct pb_captures *own(void)
{
	struct pb_thread_state *self = pb_self;

	return self && self->number && self->captures ? self->captures :
							begin();
}

/*
 * Drop the words of all calls with frames up to @frame: these calls have ended, by a return
 * or by longjmp().
 */
static void leave(struct pb_captures *captures, uintptr_t frame)
{
	uint64_t top = captures->top;

	while (top >= TRAILER) {
		const uint64_t *trailer = &captures->word[top - TRAILER];

		if (trailer[0] > frame)
			break;
		/* A signal handler that did not return may have left an invalid trailer. */
		if (trailer[2] > top - TRAILER) {
			top = 0;
			break;
		}
		top -= TRAILER + trailer[2];
	}
	captures->top = top;
}

static void write_trailer(uint64_t *trailer, uintptr_t frame, uint64_t function,
			  size_t nr)
{
	__atomic_store_n(&trailer[0], frame, __ATOMIC_RELAXED);
	__atomic_store_n(&trailer[1], function, __ATOMIC_RELAXED);
	__atomic_store_n(&trailer[2], nr, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/*
 * A signal handler that interrupts this function keeps its own words after @top, and
 * removes them before it returns. A handler that runs before @top is stored overwrites the
 * new trailer, and increments @uses. In that case write the trailer again.
 */
uint64_t *pb_captures_keep(uintptr_t frame, uint64_t function, size_t nr)
{
	struct pb_captures *captures = own();
	uint64_t *words, uses;

	if (!captures)
		return NULL;
	leave(captures, frame);
	if (nr + TRAILER > PB_CAPTURES_WORDS - captures->top)
		return NULL;
	words = &captures->word[captures->top];
	uses = ++captures->uses;
	write_trailer(words + nr, frame, function, nr);
	__atomic_store_n(&captures->top, captures->top + nr + TRAILER,
			 __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&captures->uses, __ATOMIC_RELAXED) != uses)
		write_trailer(words + nr, frame, function, nr);
	return words;
}

/*
 * Until @top is stored, a signal handler that interrupts this function reads the old
 * trailer. So the new trailer must not overlap the old trailer.
 */
void pb_captures_trim(uint64_t *words, size_t most, size_t nr)
{
	struct pb_captures *captures = pb_self->captures;
	const uint64_t *trailer = words + most;

	if (nr + TRAILER > most ||
	    captures->top != (uint64_t)(trailer + TRAILER - captures->word))
		return;
	write_trailer(words + nr, trailer[0], trailer[1], nr);
	__atomic_store_n(&captures->top, captures->top - (most - nr),
			 __ATOMIC_RELAXED);
}

const uint64_t *pb_captures_take(uintptr_t frame, uint64_t function, size_t *nr)
{
	struct pb_thread_state *self = pb_self;
	struct pb_captures *captures = self ? self->captures : NULL;
	const uint64_t *trailer;

	if (!captures || !self->number)
		return NULL;
	leave(captures, frame - 1);
	if (captures->top < TRAILER)
		return NULL;
	trailer = &captures->word[captures->top - TRAILER];
	if (trailer[0] != frame || trailer[1] != function ||
	    trailer[2] > captures->top - TRAILER)
		return NULL;
	*nr = trailer[2];
	captures->top -= TRAILER + trailer[2];
	return trailer - trailer[2];
}
