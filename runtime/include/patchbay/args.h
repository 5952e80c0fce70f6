/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Arguments by number, for handlers, as far as a function's record locates them.
 *
 * A record counts registers, not parameters: it knows how many integer
 * registers hold arguments, but no types. So arguments are counted like
 * registers: f(double x, int a, char *b) has a as 0 and b as 1, and a
 * structure that is passed in two integer registers has two numbers. The upper
 * bits of a type narrower than 64 bits are undefined.
 *
 * Floating-point arguments are counted separately, like their registers: in the
 * example, x is 0. A record does not distinguish double, float and, except on
 * ppc64le, vectors: the caller has to know the type.
 *
 * Only handlers may call these functions, with the handler's own parameters. The
 * functions call no others, use only general registers, and are async-signal-safe.
 */
#ifndef PATCHBAY_ARGS_H
#define PATCHBAY_ARGS_H

#include <patchbay/patchbay.h>

#include <errno.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The integer register, counted from 0, of argument 0; and the offset of the
 * arguments on the stack, in bytes from patchbay_regs_sp().
 */
#if defined(__x86_64__)
#define PATCHBAY_ARG_SRET_REGS 1 /* the result's address is argument 0 */
#define PATCHBAY_ARG_STACK 8     /* after the return address */
#elif defined(__aarch64__)
#define PATCHBAY_ARG_SRET_REGS 0 /* the result's address is in x8 */
#define PATCHBAY_ARG_STACK 0
#elif defined(__powerpc64__)
#define PATCHBAY_ARG_SRET_REGS 1
#define PATCHBAY_ARG_STACK 96 /* after the header and words for registers */
#elif defined(__riscv)
#define PATCHBAY_ARG_SRET_REGS 1
#define PATCHBAY_ARG_STACK 0
/* If all of these are in use, further floating-point arguments use integer registers. */
#define PATCHBAY_ARG_FP_REGS 8
#endif

/*
 * Finds integer or pointer argument @n, to be read or written: the function receives
 * the value that is there when the handler returns. The hidden address of a result
 * in memory is not counted.
 *
 * Returns 0 and sets *@arg, or
 * -ERANGE:  the function has no such argument
 * -ENODATA: the record does not locate the argument: it may be on the stack, or one of
 *           `...`; the counts are unreliable (PATCHBAY_RECORD_UNKNOWN_ARGS); preceding
 *           floating-point arguments may have used its register (on ppc64le any, on
 *           riscv64 8 or more)
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
 * Like patchbay_arg(), for floating-point argument @n; see patchbay_regs_fp(). Not for
 * handlers with PATCHBAY_OPS_FAST, for which the library does not save vector registers.
 *
 * Returns 0 and sets *@arg, or
 * -ERANGE:  the function has no such argument
 * -ENODATA: the record does not locate the argument: it may be on the stack, one of
 *           `...`, or, on riscv64, in an integer register; or the counts are
 *           unreliable (PATCHBAY_RECORD_UNKNOWN_ARGS)
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
 * Finds word @n, counted from 0, of the arguments on the stack: those of any type
 * that are not in registers, in order. Words are 8 bytes. An argument with a larger
 * alignment may have an unused word before it.
 *
 * Returns 0 and sets *@word; -ERANGE if there are fewer words; or -ENODATA if the
 * number of words is unknown: `...` or PATCHBAY_RECORD_UNKNOWN_ARGS.
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
