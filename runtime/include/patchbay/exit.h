/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Exits of functions: what handlers of a tracer with @exit see, and can do.
 *
 * If a function has such a tracer, its site does not return into the function. The
 * trampoline calls the code after the site like a separate function, with the same
 * arguments, and returns to the caller. No return address is replaced. So CPUs predict all
 * returns, and shadow
 * stacks agree (for exceptions see runtime/doc/explanation.md: Architectures).
 * A function may also be left in other ways:
 *
 *  - an exception, pthread_exit(), a thread's cancellation: @exit is called
 *    while the stack is unwound, with PATCHBAY_EXIT_UNWIND;
 *  - longjmp(): @exit is called if the program calls patchbay_jump();
 *  - exit(), a fiber that is never resumed: @exit is not called;
 *  - a fiber that is resumed by another thread: @exit is called in that thread;
 *  - a tail call: the callee is part of the call. Its parent_ip is in the trampoline,
 *    and so is the result of __builtin_return_address() in every
 *    function with such a tracer.
 *
 * @exit is called if the same tracer saw the entry (or would have, with an entry
 * handler) and is still armed on the function. So there is never an exit without
 * its entry. There are entries without an exit only if longjmp() or the like ended the
 * call, or if the tracer was disarmed during it. Several tracers are called in the
 * reverse order of their entry handlers. Tracers miss the calls of a thread that is
 * already in a handler (struct patchbay_ops_info).
 *
 * To measure durations, and skip short calls, give a threshold instead of an entry
 * handler (struct patchbay_ops_attr). Then the library reads the clock at entry and
 * exit, and @exit gets both times, but no arguments. On x86-64 the trampoline reads the
 * clock without a call, if the function has no other tracer and this one is FAST.
 *
 * Each call needs some 300 bytes more of the stack (several tracers: 380; ppc64le: 560).
 * If vector registers are kept, a call needs 850 (AArch64: 450, ppc64le: 870). They are kept
 * unless all handlers are FAST, and either the result is in integer registers or all tracers
 * with @exit have PATCHBAY_OPS_NO_RESULT_FP. A copy of the arguments on the stack also needs
 * space. This stack is freed when the call ends, including its tail calls.
 *
 * A chain of guaranteed tail calls must run in constant stack: interpreters, parsers and
 * coroutines that resume each other rely on it. So a function with the record flag
 * PATCHBAY_RECORD_MUSTTAIL has no exit. Arming a tracer with @exit on such a function
 * returns -EOPNOTSUPP; tracers without @exit see its calls. Other tail calls are not
 * guaranteed, and a chain of these needs stack for each traced function.
 *
 * On x86-64 a call of a function with such a tracer ends with the return
 * instruction before the function's entry. No unwind table covers that
 * instruction, so a profiler's sample there has no callers.
 *
 * Only handlers of tracers with @exit may call these functions, with the handler's own
 * parameters. The functions call no others, use only general registers, are
 * async-signal-safe and cannot fail.
 */
#ifndef PATCHBAY_EXIT_H
#define PATCHBAY_EXIT_H

#include <patchbay/patchbay.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The maximum number of tracers with @exit on one function; more are refused with -E2BIG.
 */
#define PATCHBAY_EXIT_MAX 64

/*
 * A function with one of these flags has no exit: the runtime cannot copy its arguments,
 * the function never returns, or it must leave its stack to the function that it tail-calls.
 */
#define PATCHBAY_RECORD_NO_EXIT                                                \
	(PATCHBAY_RECORD_VARIADIC | PATCHBAY_RECORD_UNKNOWN_ARGS |             \
	 PATCHBAY_RECORD_NORETURN | PATCHBAY_RECORD_MUSTTAIL)

/*
 * Result registers of floating-point and vector types, and the eight-byte words of
 * each.
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
 * struct patchbay_call - a call of a function with such tracers (internal), directly before
 * struct patchbay_regs. Directly before the call are the words of the tracers
 * @vector: the result, in floating-point or vector registers
 * @gp:     the result, in integer registers
 * @set:    at the entry: the tracers, NULL if there was one
 * @duration: at the exit, instead of @set: the duration
 * @told:   a bit for each tracer, by its word, that was enabled at the entry
 * @since:  tracers that were armed later do not see the exit. PATCHBAY_EXIT_* use
 *          bits that cell->since does not use
 * @ip:     the function
 * @frame_pointer, @parent_ip: of the caller, adjacent as in any frame
 * @way_out: return address into the trampoline
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
 * The time in ticks of the CPU's counter (TSC, CNTVCT_EL0, time base or the time CSR),
 * which is the cheapest clock. Reading it is not ordered with other instructions.
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
 * Ticks from one time to a later time. Returns 0 if the later time looks earlier: the
 * thread may have migrated, and CPUs' counters may differ.
 */
PATCHBAY_INLINE uint64_t patchbay_ticks(uint64_t start, uint64_t end)
{
	return (int64_t)(end - start) < 0 ? 0 : end - start;
}

#define PATCHBAY_EXIT_UNWIND 1 /* by an exception or the end of the thread */
#define PATCHBAY_EXIT_SKIP 2   /* the body is not, or was not, called */
#define PATCHBAY_EXIT_JUMP 8   /* with UNWIND: by longjmp() */

PATCHBAY_INLINE struct patchbay_call *patchbay_call(struct patchbay_regs *regs)
{
	return (struct patchbay_call *)regs - 1;
}

/*
 * A word for this call and this tracer. The entry handler may store a value there for
 * its exit handler. The word is not initialized.
 */
PATCHBAY_INLINE uint64_t *
patchbay_session_word(const struct patchbay_cell *cell,
		      struct patchbay_regs *regs)
{
	return (uint64_t *)patchbay_call(regs) - 1 + (int8_t)(cell->since >> 8);
}

/*
 * In an exit handler of a tracer with a threshold: the duration of the call,
 * patchbay_ticks(). Its start is in the session word.
 */
PATCHBAY_INLINE uint64_t patchbay_duration(struct patchbay_regs *regs)
{
	return patchbay_call(regs)->duration;
}

/*
 * In an exit handler: the reason for the exit. PATCHBAY_EXIT_UNWIND: there is no result.
 * With PATCHBAY_EXIT_JUMP, patchbay_jump() was called, and there is no exception.
 * PATCHBAY_EXIT_SKIP: a handler that skipped the body has set the result. 0: the
 * function has returned.
 */
PATCHBAY_INLINE unsigned int patchbay_exit_reason(struct patchbay_regs *regs)
{
	return (unsigned int)patchbay_call(regs)->since &
	       (PATCHBAY_EXIT_UNWIND | PATCHBAY_EXIT_SKIP | PATCHBAY_EXIT_JUMP);
}

/*
 * In an entry handler: skips the function's body and returns the values in
 * patchbay_result_gp() and patchbay_result_fp(). Handlers of other tracers are still
 * called; later ones may change the result.
 */
PATCHBAY_INLINE void patchbay_skip_body(struct patchbay_regs *regs)
{
	patchbay_call(regs)->since |= PATCHBAY_EXIT_SKIP;
}

/*
 * In an entry handler: this tracer does not need the exit of this call. On x86-64, if the
 * function has no other tracer, the body then runs like that of a function without @exit,
 * and needs no extra stack. That leaves stack for deep recursion. On other architectures,
 * and if the function has several tracers, this changes nothing: @exit may be called, and
 * must see from its session word that it has nothing to do.
 */
PATCHBAY_INLINE void patchbay_forgo_exit(struct patchbay_regs *regs)
{
	patchbay_call(regs)->since |= PATCHBAY_CELL_DIRECT_EXIT;
}

/*
 * An exit handler that does nothing, for tracers that may call patchbay_skip_body() and do
 * not need exits. On x86-64, if the function has no other tracer and this one is FAST, the
 * body runs like that of a function without @exit.
 */
void patchbay_no_exit(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs);

/*
 * The result, to be read or written in an exit handler, or set together with
 * patchbay_skip_body(). patchbay_result_gp(): integer register @n, 0 or 1, in the order
 * in which results fill them. patchbay_result_fp(): floating-point register @n, below
 * PATCHBAY_RESULT_VECTORS. float and double use its lower bits. On ppc64le a float has the
 * format of a double. On riscv64 the upper half of a float is, and must be, all ones.
 *
 * The function decides which registers it uses. PATCHBAY_RECORD_RETURN_MASK of its record
 * gives their kind; floating-point registers are not read if the kind is
 * PATCHBAY_RECORD_RETURN_GP or PATCHBAY_RECORD_RETURN_VOID. Tracers with
 * PATCHBAY_OPS_NO_RESULT_FP cannot call patchbay_result_fp(). On x86-64 a long double is in
 * neither register, and is kept. The address of a structure in memory is in register 0 or,
 * on AArch64, in x8 of @regs.
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
 * patchbay_jump - announce longjmp(3) or the like
 * @sp: the stack pointer that longjmp() restores
 *
 * Code that runs before longjmp(), such as a preloaded library, calls this and then
 * longjmp(). Tracers with @exit see the calls that the jump ends, innermost first, with
 * PATCHBAY_EXIT_UNWIND and PATCHBAY_EXIT_JUMP. If a signal handler calls this to leave
 * a tracer's handler that it has interrupted, the thread counts as outside of handlers
 * from here on, and tracers see its calls. So longjmp() has to follow. While the thread
 * is in another handler, its calls are still missed. If @sp is in no frame on the
 * stack, tracers see nothing: the jump is to another stack, and the calls may continue. The
 * same happens if the unwinder cannot unwind the stack.
 *
 * Unlike the other functions here, this function is not for handlers. Signal handlers may
 * call it where they may call _Unwind_Backtrace(): with glibc from 2.35 and libgcc from 12
 * on, which take no lock. A call costs some 300 ns for each frame, and uses at most 6 KB of
 * its stack, in addition to handlers (x86-64, libgcc 12: 4.8 KB, mostly for the unwinder).
 */
void patchbay_jump(uintptr_t sp);

#ifdef __cplusplus
}
#endif

#endif /* PATCHBAY_EXIT_H */
