/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Marks of handlers whose thread is not on the list of threads (quiesce.h): one that
 * is being set up or torn down, or any if the C library had no key left by which we
 * would be told that a thread ends.
 *
 * Threads that are on the list come here when all marks of their own are taken.
 *
 * What such a thread has in its own storage nobody else may look at, because it may
 * be gone. So its marks are in a table that stays. Each says whose it is, since that
 * is what the frame of a handler is known by (left.h), but nobody follows that.
 *
 * There are so many marks and no more. Who finds none is counted instead: then those
 * who wait know that somebody is in a handler, and not who, nor since when, nor
 * whether he left it.
 */
#ifndef PB_CORE_UNLISTED_H
#define PB_CORE_UNLISTED_H

#include "quiesce.h"

/* How many handlers may be running, or have been left, that are not only counted. */
#define PB_UNLISTED_MAX 64

struct pb_unlisted;

/*
 * The handler with @frame is entered; and has returned. Between the two the calling
 * thread reads nothing that others change before it has a mark: the same as with the
 * marks of threads that are on the list. NULL: it is counted. Async-signal-safe.
 */
struct pb_unlisted *pb_unlisted_enter(uintptr_t frame);
void pb_unlisted_leave(struct pb_unlisted *mark);

/* Has the calling thread, whose stack is from @from to @to, left who had @frame? */
typedef int (*pb_has_left)(uintptr_t frame, uintptr_t from, uintptr_t to);

/* Forget handlers of the calling thread that were left; is it in one? */
int pb_unlisted_is_inside(pb_has_left has_left, uintptr_t from, uintptr_t to);

/*
 * As pb_thread_frames(), of those which are here, and no more than @max; and
 * pb_thread_forget().
 */
size_t pb_unlisted_frames(uintptr_t *frames, size_t max);
void pb_unlisted_forget(uintptr_t frame);

/* As pb_quiesce_until(), if there were no other threads. */
uint64_t pb_unlisted_until(uint64_t phase, int closely);

/*
 * The calling thread has not been in a handler before. Marks that seem to be its own
 * are of a thread that ended, whose storage it has.
 */
void pb_unlisted_begin_thread(void);

/* In a forked child: other threads' marks are nobody's. */
void pb_unlisted_forked(void);

#endif /* PB_CORE_UNLISTED_H */
