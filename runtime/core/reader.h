/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Readers: where a thread marks that it is in a handler, so that threads that wait
 * for handlers can see it.
 *
 * Readers lie in an arena that is never unmapped. A thread has a pointer to its
 * reader in thread-local storage, and nothing leads to that storage. So a thread may
 * end without notice at any time; its reader stays readable, and is used again:
 *
 *	when				by
 *	------------------------------	---------------------------------------------
 *	the thread ends			the destructor of a pthread key, in its last
 *					round (POSIX: PTHREAD_DESTRUCTOR_ITERATIONS)
 *	a thread registers whose	that thread, without a system call: the two
 *	thread-local storage is where	cannot exist at the same time
 *	the old thread's was
 *	all readers are taken, or a	the kernel says that the thread has ended
 *	thread waits for this one	(tgkill(2))
 *
 * User-space RCU's "bulletproof" flavour keeps its readers in the same way.
 */
#ifndef PB_CORE_READER_H
#define PB_CORE_READER_H

/* Values of pb_reader.outer.phase: outside, or the phase when the thread went in. */
#define PB_THREAD_OUTSIDE 0
#define PB_PHASE_FIRST 1

/* Of struct pb_reader, for the trampolines; outer.phase is at 0. */
#define PB_THREAD_FRAME 8
#define PB_THREAD_NEXT_PHASE 16

/* Of struct pb_thread; its reader is at 0. */
#define PB_THREAD_OPEN_CALLS 8

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

/*
 * That a thread is in a handler.
 * @phase: when it went in, by pb_reader_phase
 * @frame: where the trampoline that the handler returns to has its struct
 *         patchbay_regs; see left.h
 */
struct pb_mark {
	uint64_t phase;
	uintptr_t frame;
};

/*
 * The trampolines (arch/.../entry.S) read and write @outer, plain stores by the thread
 * that has the reader.
 * @outer:   the mark of the handler that the thread is in
 * @next_phase: what the trampolines store as the phase of @outer: pb_reader_phase, as
 *           the last waiter has copied it. With an older one others wait longer than they
 *           would have to, until they have copied theirs
 * @inner:   the mark of a call that is counted as missed, because it comes from within
 *           a handler: the tracer is read for that, and the outer handler may have been
 *           left for good meanwhile
 * @life:    whether the reader is taken, and how often it has been (reader.c)
 * @storage: where the thread has its pointer to the reader
 * @process, @number: what the kernel calls the thread and its process; 0: not known,
 *           since no system call could be made
 * @nested:  calls that came from within a handler, or seemed to
 * @rounds:  rounds of key destructors that the thread has been through
 *
 * A signal may come between any two stores, and its handler make traced calls, or
 * never return, or go on with another coroutine.
 *
 * @outer is of a handler if it has a phase. Its frame must never be that of another
 * handler than the one which is running. So the frame is stored before the phase on
 * the way in, and cleared after the phase on the way out. Of a handler that was
 * interrupted between the two stores the frame is 0: not known. (AArch64 stores both
 * by one instruction on the way in.)
 *
 * @inner is of a call if it has a frame. It is taken by one atomic instruction. Its
 * phase is stored after the frame: for a moment it is that of a call before, which
 * makes others wait rather too long than too short.
 */
struct pb_reader {
	struct pb_mark outer;
	uint64_t next_phase;
	struct pb_mark inner;
	uint64_t life;
	const uintptr_t *storage;
	uint32_t process, number;
	uint32_t nested;
	uint32_t rounds;
} __attribute__((aligned(64)));

_Static_assert(offsetof(struct pb_reader, outer.phase) == 0, "phase");
_Static_assert(offsetof(struct pb_reader, outer.frame) == PB_THREAD_FRAME, "frame");
_Static_assert(offsetof(struct pb_reader, next_phase) == PB_THREAD_NEXT_PHASE, "next phase");
_Static_assert(sizeof(struct pb_reader) % 64 == 0, "no two share a cache line");

/*
 * What the library keeps in each thread.
 * @reader:     the thread's reader, as the trampolines of the architecture want it
 *              (PB_READER_IS_RELATIVE in its entry.h); 0: it has none
 * @open_calls: calls that it has begun and not ended, of tracers with a threshold
 *              (open_calls.h); of a thread with a reader counted from
 *              PB_OPEN_CALLS_FIRST, so that it is negative
 */
struct pb_thread {
	uintptr_t reader;
	int64_t open_calls;
};
extern __thread struct pb_thread pb_thread
	__attribute__((tls_model("initial-exec")));

_Static_assert(offsetof(struct pb_thread, reader) == 0, "reader");
_Static_assert(offsetof(struct pb_thread, open_calls) == PB_THREAD_OPEN_CALLS,
	       "open calls");

/* Which phase it is: it grows with each wait for handlers (quiesce.h). */
extern uint64_t pb_reader_phase;

/* The calling thread's reader, or NULL. Async-signal-safe. */
struct pb_reader *pb_reader_find(void);

/*
 * The same, and take one if there is none. NULL: all are taken, and there is no memory,
 * or no system call may be made to get more. Async-signal-safe, errno stays.
 */
struct pb_reader *pb_reader_take(void);

/* All that have ever been taken, from 0 on; NULL: there are no more. */
struct pb_reader *pb_reader_at(size_t index);

/* Does the word @value in @storage, of some thread, lead to @reader? */
int pb_reader_is_in(const struct pb_reader *reader, const uintptr_t *storage,
		    uintptr_t value);

/*
 * @life of one that is taken, or 0. And for who has read that and finds the reader in
 * the way: give it back if its thread has ended, so that it is in no handler any more.
 * Returns 1 if so.
 */
uint64_t pb_reader_life(const struct pb_reader *reader);
int pb_reader_reclaim(struct pb_reader *reader, uint64_t life);

/* Before the first is taken; may be called again. */
void pb_readers_init(void);

#endif /* __ASSEMBLER__ */

#endif /* PB_CORE_READER_H */
