/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Readers: a thread marks in its reader that it is in a handler. Threads that wait for
 * handlers read these marks.
 *
 * Readers are in an arena that is never unmapped. A thread has a pointer to its reader
 * in thread-local storage. The library never follows a pointer to that storage, so a
 * thread may end at any time without notice. Its reader stays readable and is reused:
 *
 *	when				how
 *	------------------------------	---------------------------------------------
 *	the thread ends			the destructor of a pthread key frees it, in
 *					its last round
 *					(POSIX: PTHREAD_DESTRUCTOR_ITERATIONS)
 *	a new thread registers, whose	the new thread takes it over without a system
 *	thread-local storage is where	call: the two threads cannot exist at the
 *	the old thread's was		same time
 *	all readers are taken, or a	the library asks the kernel whether the
 *	thread waits for this one	thread has ended (tgkill(2))
 *
 * User-space RCU's "bulletproof" flavour keeps its readers in the same way.
 */
#pragma once

/* Values of pb_reader.outer.phase: outside, or the phase when the thread entered. */
#define PB_THREAD_OUTSIDE 0
#define PB_PHASE_FIRST 1

/* Offsets in struct pb_reader, for the trampolines; outer.phase is at 0. */
#define PB_THREAD_FRAME 8
#define PB_THREAD_NEXT_PHASE 16

/* Offset in struct pb_thread; its reader is at 0. */
#define PB_THREAD_OPEN_CALLS 8

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

/*
 * Marks a thread as in a handler.
 * @phase: the value of pb_reader_phase when the thread entered
 * @frame: the struct patchbay_regs of the trampoline that the handler returns to; see
 *         handler_frame.h
 */
struct pb_mark {
	uint64_t phase;
	uintptr_t frame;
};

/*
 * The trampolines (arch/.../entry.S) read and write @outer. The thread that owns the
 * reader uses plain stores.
 * @outer:   the mark of the handler that the thread is in
 * @next_phase: the trampolines store this as the phase of @outer. It is a copy of
 *           pb_reader_phase, made by the last waiter. If the copy is old, other threads
 *           wait longer than necessary, until they make their own copy
 * @inner:   the mark of a call from within a handler, while it is counted as missed.
 *           Counting reads the tracer. The outer mark does not protect the tracer, because
 *           the outer handler may have been abandoned
 * @life:    whether the reader is taken, and a count of takings (reader.c)
 * @storage: the address of the thread's pb_thread.reader
 * @process, @number: the kernel's ids of the thread and its process; 0: unknown, because
 *           system calls were restricted
 * @nested:  counts calls that came, or seemed to come, from within a handler
 * @rounds:  counts rounds of key destructors of the thread
 *
 * A signal may arrive between any two stores. Its handler may make traced calls, never
 * return, or continue another coroutine.
 *
 * @outer is in use if its phase is not PB_THREAD_OUTSIDE. Its frame must never belong to
 * another handler than the running one. So the trampoline stores the frame before the
 * phase at the entry, and clears it after the phase at the exit. If a signal interrupts
 * the thread between the two stores, the frame may be 0: unknown. (AArch64 stores both
 * by one instruction at the entry.)
 *
 * @inner is in use if its frame is not 0. One atomic instruction takes it. Its phase is
 * stored after the frame. Between the two stores it has the phase of an earlier call, so
 * waiters wait too long rather than too short.
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
 * Is pb_thread.reader an offset from the thread pointer? Then x86-64's trampolines need no
 * register for the reader's address.
 */
#ifdef __x86_64__
#define PB_READER_IS_RELATIVE 1
#else
#define PB_READER_IS_RELATIVE 0
#endif

/*
 * The library's thread-local data.
 * @reader:     the thread's reader, encoded as the architecture's trampolines use it
 *              (PB_READER_IS_RELATIVE); 0: the thread has none
 * @open_calls: the number of calls that the thread has begun and not ended, of tracers with
 *              a threshold (open_calls.h). If the thread has a reader, the count starts at
 *              PB_OPEN_CALLS_FIRST and is negative
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

/* The current phase. Each wait for handlers increments it (quiesce.h). */
extern uint64_t pb_reader_phase;

/* The calling thread's reader, or NULL. Async-signal-safe. */
struct pb_reader *pb_reader_find(void);

/*
 * Return the calling thread's reader; take one if the thread has none. Returns NULL if all
 * readers are taken and no more can be mapped, because memory is exhausted or system calls
 * are restricted. Async-signal-safe; preserves errno.
 */
struct pb_reader *pb_reader_take(void);

/* The readers that were ever taken, by index from 0; NULL: @index is past the last. */
struct pb_reader *pb_reader_at(size_t index);

/* Does the word @value in @storage, of any thread, encode @reader? */
int pb_reader_is_in(const struct pb_reader *reader, const uintptr_t *storage,
		    uintptr_t value);

/*
 * pb_reader_life() returns @life if the reader is taken, otherwise 0. pb_reader_reclaim()
 * frees the reader if its thread has ended and @life has not changed. Returns 1 if the reader
 * was freed: the thread is in no handler.
 */
uint64_t pb_reader_life(const struct pb_reader *reader);
int pb_reader_reclaim(struct pb_reader *reader, uint64_t life);

/* Call before the first reader is taken. May be called again. */
void pb_readers_init(void);

#endif /* __ASSEMBLER__ */
