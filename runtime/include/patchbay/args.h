/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Arguments by their number, for handlers: what a function's record proves
 * about where its arguments are.
 *
 * A record counts registers, not parameters: it knows how many integer
 * registers hold arguments, but no types. So arguments are counted here as
 * registers are: f(double x, int a, char *b) has a as 0 and b as 1, and a
 * structure that is passed in two integer registers has two numbers. Of a type
 * narrower than 64 bits the upper bits mean nothing.
 *
 * Floating-point arguments are counted on their own, also as their registers
 * are: that f has x as 0. A record does not tell double from float or, but on
 * ppc64le, vectors: who asks has to know.
 *
 * All functions here are for handlers, with what these were given. They call
 * nothing and use general registers only, and are async-signal-safe.
 */
#ifndef PATCHBAY_ARGS_H
#define PATCHBAY_ARGS_H

#include <patchbay/patchbay.h>

#include <errno.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The integer register, counted from 0, of argument 0; and where the words of
 * arguments on the stack begin, in bytes from patchbay_regs_sp().
 */
#if defined(__x86_64__)
#define PATCHBAY_ARG_SRET_REGS 1 /* the result's address is argument 0 */
#define PATCHBAY_ARG_STACK 8     /* behind the return address */
#elif defined(__aarch64__)
#define PATCHBAY_ARG_SRET_REGS 0 /* it is in x8 */
#define PATCHBAY_ARG_STACK 0
#elif defined(__powerpc64__)
#define PATCHBAY_ARG_SRET_REGS 1
#define PATCHBAY_ARG_STACK 96 /* behind the header and words for registers */
#elif defined(__riscv)
#define PATCHBAY_ARG_SRET_REGS 1
#define PATCHBAY_ARG_STACK 0
/* Numbers that find all of these taken go on with registers of integers. */
#define PATCHBAY_ARG_FP_REGS 8
#endif

/*
 * Where integer or pointer argument @n is, to be read or written: what is there
 * when the handler returns is what the function receives. Not counted is the
 * address of a result in memory.
 *
 * Returns 0 and sets *@arg, or
 * -ERANGE:  the function has no such argument
 * -ENODATA: the record does not tell where it is: it may be on the stack, among
 *           others; or be one of `...`; or the counts cannot be relied on
 *           (PATCHBAY_RECORD_UNKNOWN_ARGS); or, on ppc64le, floating-point
 *           arguments before it may have taken its register, and on riscv64 if
 *           there are 8 or more of them
 */
PATCHBAY_INLINE int patchbay_arg(const struct patchbay_cell *cell,
				 struct patchbay_regs *regs, unsigned int n,
				 uint64_t **arg)
{
	const struct patchbay_record *record = cell->record;
	unsigned int hidden = record->flags & PATCHBAY_RECORD_SRET ?
				      PATCHBAY_ARG_SRET_REGS :
				      0;

	if (record->flags & PATCHBAY_RECORD_UNKNOWN_ARGS)
		return -ENODATA;
#if defined(__powerpc64__)
	if (record->fp_args)
		return -ENODATA;
#elif defined(__riscv)
	if (record->fp_args == PATCHBAY_ARG_FP_REGS)
		return -ENODATA;
#endif
	if (n >= record->gp_args || n + hidden >= record->gp_args) {
		if (record->flags & PATCHBAY_RECORD_VARIADIC)
			return -ENODATA;
		return record->stack_arg_words ? -ENODATA : -ERANGE;
	}
	*arg = patchbay_regs_gp(regs, n + hidden);
	return 0;
}

/*
 * Where floating-point argument @n is, to be read or written alike: what
 * patchbay_regs_fp() gives. Not for handlers that are PATCHBAY_OPS_FAST: for
 * these it is in the register itself, and nowhere else.
 *
 * Returns 0 and sets *@arg, or
 * -ERANGE:  the function has no such argument
 * -ENODATA: the record does not tell where it is: it may be on the stack, among
 *           others, or on riscv64 in an integer register; or be one of `...`; or
 *           the counts cannot be relied on (PATCHBAY_RECORD_UNKNOWN_ARGS)
 */
PATCHBAY_INLINE int patchbay_arg_fp(const struct patchbay_cell *cell,
				    struct patchbay_regs *regs, unsigned int n,
				    uint64_t **arg)
{
	const struct patchbay_record *record = cell->record;

	if (record->flags & PATCHBAY_RECORD_UNKNOWN_ARGS)
		return -ENODATA;
	if (n >= record->fp_args) {
		if (record->flags & PATCHBAY_RECORD_VARIADIC)
			return -ENODATA;
#if defined(__riscv)
		if (n >= PATCHBAY_ARG_FP_REGS && record->gp_args)
			return -ENODATA;
#endif
		return record->stack_arg_words ? -ENODATA : -ERANGE;
	}
	*arg = patchbay_regs_fp(regs, n);
	return 0;
}

/*
 * Where word @n, counted from 0, of the arguments on the stack is: those that
 * found no register, of whatever type, in order. Words are 8 bytes; arguments
 * of a larger alignment may have an unused one before them.
 *
 * Returns 0 and sets *@word, or -ERANGE: there are not so many; or -ENODATA, of
 * a function with `...` or PATCHBAY_RECORD_UNKNOWN_ARGS: nobody knows.
 */
PATCHBAY_INLINE int patchbay_arg_stack(const struct patchbay_cell *cell,
				       const struct patchbay_regs *regs,
				       unsigned int n, uint64_t **word)
{
	const struct patchbay_record *record = cell->record;

	if (record->flags & PATCHBAY_RECORD_UNKNOWN_ARGS)
		return -ENODATA;
	if (n >= record->stack_arg_words)
		return record->flags & PATCHBAY_RECORD_VARIADIC ? -ENODATA :
								  -ERANGE;
	*word = (uint64_t *)(patchbay_regs_sp(regs) + PATCHBAY_ARG_STACK) + n;
	return 0;
}

#ifdef __cplusplus
}
#endif

#endif /* PATCHBAY_ARGS_H */
