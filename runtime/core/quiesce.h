/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Knowing when nobody is in a handler any more.
 *
 * A trampoline marks its thread as *inside* before it reads the slot, and as
 * outside after the handler has returned. The mark is the value of
 * pb_quiesce_phase at that time, in a thread-local variable: plain stores, no
 * atomic exchange and no full barrier; that is on the side of
 * pb_quiesce_begin(), by membarrier(2). This is the scheme of user-space RCU's
 * "memb" flavour with a phase that only grows. The mark of being outside is a
 * store with release semantics, and cell->enter is loaded with acquire: plain
 * instructions on x86-64, to be asked for elsewhere.
 *
 * (Desnoyers et al., User-Level Implementations of Read-Copy Update, IEEE
 * TPDS 23(2), 2012.)
 */
#ifndef PB_CORE_QUIESCE_H
#define PB_CORE_QUIESCE_H

/* Values of pb_thread.outer.phase that are no phase; phases are greater. */
#define PB_THREAD_OUTSIDE 0
#define PB_THREAD_NEW 1     /* has never been in a trampoline */
#define PB_THREAD_UNLISTED 2 /* not on the list of threads: see unlisted.h */
#define PB_PHASE_FIRST 3

/* Of struct pb_thread, for the trampolines; outer.phase is at 0. */
#define PB_THREAD_FRAME 8

#ifndef __ASSEMBLER__

#include <patchbay/patchbay.h>

#include <stddef.h>

/*
 * That a thread is in a handler.
 * @phase: when it went in, by pb_quiesce_phase
 * @frame: where the trampoline that the handler returns to has its struct
 *         patchbay_regs; see left.h
 */
struct pb_mark {
	uint64_t phase;
	uintptr_t frame;
};

/*
 * How many handlers may be running that interrupted others of their thread: those
 * that signal handlers lead to. Of calls in even more of them no handler is called.
 */
#define PB_NESTED_MAX 8

/*
 * One per thread, in its thread-local storage. The trampolines (arch/.../entry.S)
 * read and write @outer.
 * @outer:  the mark of the handler that was entered from outside
 * @depth:  handlers entered while PB_THREAD_UNLISTED that have no mark
 * @nested: calls that came from within a handler, or seemed to. It is counted
 *          without regard to signals, but it never becomes 0 again: until then
 *          nobody has to look at @inner
 * @next, @link: of the list of threads; @link is what leads here, if it is known
 * @inner:  marks of handlers that were entered while the thread was in one. The
 *          last is only for who counts a call that is missed
 *
 * A signal may come between any two stores, and its handler make traced calls, or
 * never return, or go on with another coroutine.
 *
 * @outer is of a handler if it has a phase. So that its frame is never that of
 * another handler than the one which is running, who goes in stores it before the
 * phase, and who goes out stores 0 after the phase. Of a handler that was
 * interrupted between the two it is 0 then: not known. (AArch64 stores both by one
 * instruction when it goes in.)
 *
 * One of @inner is of a handler if it has a frame, and is taken by one atomic
 * instruction; it belongs to whoever did so until its frame is 0 again. Its phase
 * is stored after the frame: for a moment it is that of a handler before, which
 * makes others wait rather too long than too short.
 *
 * Why each of them has its own mark: the handler that @outer is of may have been
 * left for good (left.h). As soon as its frame is used for something else nobody
 * waits for it any more, but those that seem to be within it are running.
 */
struct pb_thread {
	struct pb_mark outer;
	uint64_t depth;
	uint64_t nested;
	struct pb_thread *next;
	struct pb_thread **link;
	struct pb_mark inner[PB_NESTED_MAX + 1];
} __attribute__((aligned(16)));

_Static_assert(offsetof(struct pb_thread, outer.phase) == 0, "phase");
_Static_assert(offsetof(struct pb_thread, outer.frame) == PB_THREAD_FRAME, "frame");

extern __thread struct pb_thread pb_thread
	__attribute__((tls_model("initial-exec")));
extern uint64_t pb_quiesce_phase;

/*
 * How pb_thread_enter() found the thread.
 * FREE:     not in a handler
 * NESTED:   in one, or seemingly: handlers may be called that may nest
 * TOO_DEEP: in so many that one more has no mark: tracers may be looked at, to
 *           count the call as missed, and no handler may be called
 */
enum pb_nesting {
	PB_NESTING_FREE,
	PB_NESTING_NESTED,
	PB_NESTING_TOO_DEEP,
};

/*
 * The general way in and out, for what the trampolines do not do themselves:
 * the first call of a thread, calls from within a handler, calls of a thread
 * that is being torn down, or that has left a handler for good (left.h).
 * Async-signal-safe.
 *
 * pb_thread_enter() returns the value that pb_thread_leave() takes, and tells
 * whether this thread was in a handler already. @frame is the trampoline's. From
 * here up to @end there is only one stack, and nothing on it that is anybody else's.
 */
uint64_t pb_thread_enter(const struct patchbay_regs *frame, const void *end,
			 enum pb_nesting *nesting);
void pb_thread_leave(uint64_t token);

/*
 * The frames of the handlers that the calling thread is in, innermost last, without
 * those that are not known: returns how many. And for who can prove that the one
 * with @frame will not go on: the thread is not in that one any more.
 * Async-signal-safe.
 */
#define PB_FRAMES_MAX (1 + PB_NESTED_MAX + 1)
size_t pb_thread_frames(uintptr_t frames[PB_FRAMES_MAX]);
void pb_thread_forget(uintptr_t frame);

/*
 * Is this thread inside a handler? Who asks says where the library's part of the
 * stack ends: at the frame of the function that the program called.
 */
#define pb_thread_inside() pb_thread_inside_below(__builtin_frame_address(0))
int pb_thread_inside_below(const void *frame);

/* Before the first trampoline can be entered; may be called again. */
void pb_quiesce_init(void);

/*
 * Is any handler running that was running at pb_quiesce_begin()? Handlers that
 * are entered later see what was stored before it. It returns 0 or an error of
 * membarrier(2); pb_quiesce_over() returns 1 if there is none, and does not wait:
 * who waits calls pb_wait() (wait.h).
 */
int pb_quiesce_begin(uint64_t *phase);
int pb_quiesce_over(uint64_t phase);

/*
 * The last phase, but not behind @phase, for which pb_quiesce_over() would return 1;
 * or an earlier one, 0 at least, if threads are in handlers that they entered since.
 * It is so for all phases before it, too. @closely: it takes more time, a system call
 * for each thread in a handler, and it knows which handlers were left (left.h).
 */
uint64_t pb_quiesce_until(uint64_t phase, int closely);

/*
 * The kernel's number of a thread in a handler that was running at
 * pb_quiesce_begin(); 0: there is none, or it is not on the list. It takes more
 * time than pb_quiesce_over(): *@over is what that would return if it knew which
 * handlers were left (left.h).
 */
int pb_quiesce_thread(uint64_t phase, int *over);

#endif /* __ASSEMBLER__ */

#endif /* PB_CORE_QUIESCE_H */
