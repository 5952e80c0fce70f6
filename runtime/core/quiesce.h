/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Knowing when nobody is in a handler any more.
 *
 * A trampoline marks its thread as *inside* before it reads the slot, and as
 * outside after the handler has returned. The mark is the value of
 * pb_quiesce_phase at that time, in a thread-local variable: two stores per
 * call, no atomic exchange and no full barrier; that is on the side of
 * pb_quiesce(), by membarrier(2). This is the scheme of user-space RCU's
 * "memb" flavour with a phase that only grows. The mark of being outside is a
 * store with release semantics, and cell->enter is loaded with acquire: plain
 * instructions on x86-64, to be asked for elsewhere.
 *
 * (Desnoyers et al., User-Level Implementations of Read-Copy Update, IEEE
 * TPDS 23(2), 2012.)
 */
#ifndef PB_CORE_QUIESCE_H
#define PB_CORE_QUIESCE_H

/* Values of pb_thread.phase that are no phase; phases are greater. */
#define PB_THREAD_OUTSIDE 0
#define PB_THREAD_NEW 1     /* has never been in a trampoline */
#define PB_THREAD_UNLISTED 2 /* being set up or torn down: counted instead */
#define PB_PHASE_FIRST 3

/*
 * x86-64: for the trampoline, from what it called: outside again, and the
 * function's body has been called. Nobody waits for such a thread.
 */
#define PB_THREAD_CALLED (-1) /* what else is there is positive */

#ifndef __ASSEMBLER__

#include <stdint.h>

/*
 * One per thread, in its thread-local storage.
 * @phase: read and written by the trampolines (arch/.../entry.S) at offset 0
 * @depth: handlers entered while PB_THREAD_UNLISTED
 */
struct pb_thread {
	uint64_t phase;
	uint64_t depth;
	struct pb_thread *next;
};

extern __thread struct pb_thread pb_thread
	__attribute__((tls_model("initial-exec")));
extern uint64_t pb_quiesce_phase;

/*
 * The general way in and out, for what the trampolines do not do themselves:
 * the first call of a thread, calls from within a handler, calls of a thread
 * that is being torn down. Async-signal-safe.
 *
 * pb_thread_enter() returns the value that pb_thread_leave() takes, and tells
 * whether this thread was in a handler already.
 */
uint64_t pb_thread_enter(int *nested);
void pb_thread_leave(uint64_t token);

/* Is this thread inside a handler? */
int pb_thread_inside(void);

/* Before the first trampoline can be entered; may be called again. */
void pb_quiesce_init(void);

/*
 * Return when every handler that was running at the time of the call has
 * returned. Handlers that are entered meanwhile see what was stored before.
 * Returns 0, -EDEADLK from within a handler, or an error of membarrier(2).
 *
 * The caller holds the caller lock and not the engine lock: handlers may be
 * waiting for others that need that one.
 */
int pb_quiesce(void);

/*
 * The same without waiting: 1 if no handler is running that was running at
 * pb_quiesce_begin(), which returns 0 or an error of membarrier(2).
 */
int pb_quiesce_begin(uint64_t *phase);
int pb_quiesce_over(uint64_t phase);

#endif /* __ASSEMBLER__ */

#endif /* PB_CORE_QUIESCE_H */
