/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The exit of functions: what the handlers of a tracer with @exit see of a call.
 *
 * Such a tracer's site does not lead back into the function. Its trampoline
 * calls what is behind the site as a function of its own, with the same
 * arguments, and returns to the caller in its place. No return address is
 * exchanged, so processors predict all returns, shadow stacks agree (exceptions:
 * see the table of architectures in runtime/README.md), and what leaves a
 * function by other ways finds nothing that it would have to undo:
 *
 *  - an exception, pthread_exit(), a thread's cancellation: @exit is called
 *    while the stack is unwound, with PATCHBAY_EXIT_UNWIND;
 *  - longjmp(): @exit is called if somebody says so (patchbay_jump());
 *  - exit(), a fiber that is never resumed: @exit is not called;
 *  - a fiber that is resumed by another thread: @exit is called there;
 *  - a tail call: the function it leads to is part of the call. Its parent_ip
 *    is in the trampoline, as is what __builtin_return_address() gives in every
 *    function with such a tracer.
 *
 * @exit is called for calls whose entry the same tracer saw, or would have seen
 * had it a handler, and whose function it is still armed on: so there is never
 * an exit without its entry, and there are entries without exit only of what
 * longjmp() and the like cut off, or of what was disarmed meanwhile. Several
 * tracers are called in the opposite order of their entry handlers. A thread
 * that is in a handler already makes calls that tracers miss (struct
 * patchbay_ops_info).
 *
 * Who wants to know how long calls take, and of short ones nothing, gives a
 * threshold in the place of an entry handler (struct patchbay_ops_attr). Then
 * the library reads the clock at entry and exit, and @exit finds both. On x86-64
 * that is done without calling anybody, if the tracer is alone on its function
 * and FAST.
 *
 * Each call takes some 300 bytes more of the stack (several tracers: 380; ppc64le:
 * 560), or 850 (AArch64: 450, ppc64le: 870) where vector registers are kept, which
 * is unless all handlers are FAST and the result is in integer registers; and what
 * the arguments on the stack take, which are copied. It is given back when the call
 * is over, tail calls and all.
 *
 * A chain of guaranteed tail calls must run in constant stack: interpreters, parsers and
 * coroutines that resume each other rely on it. So a function with the record flag
 * PATCHBAY_RECORD_MUSTTAIL has no exit. Arming such a tracer on it returns -EOPNOTSUPP;
 * tracers without @exit see its calls. Other tail calls are not guaranteed, and a chain
 * of them needs stack for each traced function.
 *
 * On x86-64 such a call ends by the return instruction before the function's
 * entry. No unwinder knows about that one: a sample that a profiler takes there
 * has no callers.
 *
 * All functions here are for handlers of tracers with @exit, with what these
 * were given. They call nothing, use general registers only, are
 * async-signal-safe and cannot fail.
 */
#ifndef PATCHBAY_EXIT_H
#define PATCHBAY_EXIT_H

#include <patchbay/patchbay.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * How many tracers with @exit one function may have; the next is refused with
 * -E2BIG.
 */
#define PATCHBAY_EXIT_MAX 64

/*
 * A function with one of these flags has no exit: the runtime cannot copy its arguments,
 * it never returns, or it must leave its stack to the function that it tail-calls.
 */
#define PATCHBAY_RECORD_NO_EXIT                                                \
	(PATCHBAY_RECORD_VARIADIC | PATCHBAY_RECORD_UNKNOWN_ARGS |             \
	 PATCHBAY_RECORD_NORETURN | PATCHBAY_RECORD_MUSTTAIL)

/*
 * Registers for results of floating-point and vector types, and the eight-byte
 * words of each.
 */
#if defined(__x86_64__)
#define PATCHBAY_RESULT_VECTORS 2 /* xmm, ymm or zmm 0 and 1 */
#define PATCHBAY_RESULT_VECTOR_WORDS 8
#elif defined(__aarch64__)
#define PATCHBAY_RESULT_VECTORS 4 /* q0 to q3 */
#define PATCHBAY_RESULT_VECTOR_WORDS 2
#elif defined(__powerpc64__)
#define PATCHBAY_RESULT_VECTORS 16 /* f1 to f8, then v2 to v9 */
#define PATCHBAY_RESULT_VECTOR_WORDS 2
#elif defined(__riscv)
#define PATCHBAY_RESULT_VECTORS 2 /* fa0 and fa1 */
#define PATCHBAY_RESULT_VECTOR_WORDS 1
#endif

/*
 * struct patchbay_call - a call of a function with such tracers; it lies before
 * struct patchbay_regs, and the words of the tracers lie before it (internal)
 * @vector: the result, in floating-point or vector registers
 * @gp:     in integer registers
 * @set:    the tracers at the entry, NULL if it was one
 * @duration: at the exit in its place
 * @told:   by their words, who was not disabled at the entry
 * @since:  tracers that came later are not told of the exit; PATCHBAY_EXIT_* are
 *          where cell->since has a word
 * @ip:     the function
 * @frame_pointer, @parent_ip: of the caller, together as in any frame
 * @way_out: into the trampoline
 * @frames: ppc64le: stack frames begin before struct patchbay_regs
 */
struct patchbay_call {
	uint64_t vector[PATCHBAY_RESULT_VECTORS][PATCHBAY_RESULT_VECTOR_WORDS];
	uint64_t gp[2];
	union {
		const struct pb_set *set;
		uint64_t duration;
	};
	uint64_t told;
	uint64_t since;
	uintptr_t ip;
	uintptr_t frame_pointer, parent_ip, way_out;
#ifdef __powerpc64__
	uint64_t frames[11];
#endif
};

/*
 * The time in ticks of the processor's counter: TSC, CNTVCT_EL0, time base or the
 * time CSR. It is the cheapest clock that there is, and is not ordered with what
 * comes before and after it.
 */
PATCHBAY_INLINE uint64_t patchbay_clock(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#elif defined(__powerpc64__)
	return __builtin_ppc_get_timebase();
#elif defined(__riscv)
	uint64_t ticks;

	__asm__ volatile("rdtime %0" : "=r"(ticks));
	return ticks;
#endif
}

/*
 * From one time to a later one. Where processors' counters differ, and a thread
 * went from one to another, it may look as if it were earlier: that is 0.
 */
PATCHBAY_INLINE uint64_t patchbay_ticks(uint64_t start, uint64_t end)
{
	return (int64_t)(end - start) < 0 ? 0 : end - start;
}

#define PATCHBAY_EXIT_UNWIND 1 /* by an exception or the end of the thread */
#define PATCHBAY_EXIT_SKIP 2   /* the body is not, or was not, called */
#define PATCHBAY_EXIT_JUMP 8   /* beside UNWIND: by longjmp() */

PATCHBAY_INLINE struct patchbay_call *patchbay_call(struct patchbay_regs *regs)
{
	return (struct patchbay_call *)regs - 1;
}

/*
 * A word of this call and this tracer: what the entry handler leaves there its
 * exit handler finds. It is not initialized.
 */
PATCHBAY_INLINE uint64_t *
patchbay_session_word(const struct patchbay_cell *cell,
		      struct patchbay_regs *regs)
{
	return (uint64_t *)patchbay_call(regs) - 1 -
	       (cell->since & PATCHBAY_CELL_WORD);
}

/*
 * In an exit handler of a tracer with a threshold: how long the call took,
 * patchbay_ticks(). When it began is in the session word.
 */
PATCHBAY_INLINE uint64_t patchbay_duration(struct patchbay_regs *regs)
{
	return patchbay_call(regs)->duration;
}

/*
 * In an exit handler: why. PATCHBAY_EXIT_UNWIND: there is no result; with
 * PATCHBAY_EXIT_JUMP patchbay_jump() said so, and no exception is on its way.
 * PATCHBAY_EXIT_SKIP: the result is that of the handler which asked for it. 0:
 * the function has returned.
 */
PATCHBAY_INLINE unsigned int patchbay_exit_reason(struct patchbay_regs *regs)
{
	return (unsigned int)patchbay_call(regs)->since &
	       (PATCHBAY_EXIT_UNWIND | PATCHBAY_EXIT_SKIP | PATCHBAY_EXIT_JUMP);
}

/*
 * In an entry handler: do not call the function's body, but return what
 * patchbay_result_gp() and patchbay_result_fp() are set to. Handlers of other
 * tracers are called all the same; who asks later may change the result.
 */
PATCHBAY_INLINE void patchbay_skip_body(struct patchbay_regs *regs)
{
	patchbay_call(regs)->since |= PATCHBAY_EXIT_SKIP;
}

/*
 * In an entry handler: of this call nobody has to know the exit. On x86-64, if the
 * tracer is alone on its function, the body is gone on with as after any entry, and
 * takes no more of the stack; so a tracer can leave deep recursions room. Elsewhere,
 * and among several tracers, it changes nothing: @exit may be called, and has to
 * know by its session word that it has nothing to do.
 */
PATCHBAY_INLINE void patchbay_forgo_exit(struct patchbay_regs *regs)
{
	patchbay_call(regs)->since |= PATCHBAY_CELL_DIRECT_EXIT;
}

/*
 * The exit handler of tracers that may call patchbay_skip_body() and do not want
 * to know of exits. It does nothing, and the library knows that: on x86-64, if
 * the tracer is alone on its function and FAST, the body is gone on with as after
 * any entry, and not called.
 */
void patchbay_no_exit(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs);

/*
 * The result, to be read or written in an exit handler, or set beside
 * patchbay_skip_body(): integer register @n, 0 or 1, in the order in which
 * results fill them, and floating-point register @n, below
 * PATCHBAY_RESULT_VECTORS, of which float and double take the lower bits (on
 * ppc64le a float is there as a double; on riscv64 the upper half of one is, and has
 * to be, all ones). Which of them are in use is the
 * function's matter; PATCHBAY_RECORD_RETURN_MASK of its record says of what kind
 * they are, and floating-point registers are not looked at if it is
 * PATCHBAY_RECORD_RETURN_GP or PATCHBAY_RECORD_RETURN_VOID. On x86-64 a long
 * double is in neither; it is kept. Of a structure in memory, the address is in
 * register 0 or, on AArch64, in x8 of @regs.
 */
PATCHBAY_INLINE uint64_t *patchbay_result_gp(struct patchbay_regs *regs,
					     unsigned int n)
{
	return &patchbay_call(regs)->gp[n];
}

PATCHBAY_INLINE uint64_t *patchbay_result_fp(struct patchbay_regs *regs,
					     unsigned int n)
{
	return patchbay_call(regs)->vector[n];
}

/*
 * patchbay_jump - say that longjmp(3) or the like is next
 * @sp: the stack pointer that it restores
 *
 * Who has a place before longjmp(), as a library that is preloaded, calls this, and
 * then longjmp(). The calls that are left are told to tracers with @exit, innermost
 * first, with PATCHBAY_EXIT_UNWIND and PATCHBAY_EXIT_JUMP. If a signal handler that
 * interrupted a tracer's handler leaves that, too, the thread counts as outside from
 * here on, and its calls are seen: so longjmp() has to follow. As long as the thread
 * is in another handler, its calls are missed, as ever. If @sp is in none of the
 * frames on the stack, nobody is told of anything: it is another stack, and the
 * calls may go on. So it is where an unwinder cannot find the way.
 *
 * Unlike all else here this is no function for handlers. It may be called from
 * signal handlers where _Unwind_Backtrace() may: with glibc from 2.35 and libgcc
 * from 12 on, which take no lock. It takes some 300 ns for each frame, and no more
 * than 6 KB of the stack that it is called on, beside what handlers take (x86-64,
 * libgcc 12: 4.8 KB, most of them the unwinder's).
 */
void patchbay_jump(uintptr_t sp);

#ifdef __cplusplus
}
#endif

#endif /* PATCHBAY_EXIT_H */
