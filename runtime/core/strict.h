/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Strict mode: changing code as the architecture's manual asks for where the
 * one store of pb_arch_arm() is not in it by its letter. arch/<name>/strict.c;
 * where there is none the manual allows what is done anyway, and strict.c has
 * nothing to do.
 *
 * A change is staged: for some time the first byte of the instruction is a trap
 * and nobody executes the rest. A thread that meets the trap goes on as if the
 * site were disarmed, or the tramp indirect.
 *
 * The caller holds the engine lock. Errors are those of text.h where no others
 * are named.
 */
#ifndef PB_CORE_STRICT_H
#define PB_CORE_STRICT_H

#include "text.h"

/* Whether changes have to be staged; never where there is nothing to do. */
extern int pb_strict;

/* What is changed that cannot be staged; this mode is not for such a process. */
extern int pb_strict_unfit;

/* Switch it on; idempotent. -EBUSY: pb_strict_unfit. */
int pb_strict_init(void);

/*
 * Memory for @nr traps, so that pb_strict_begin() need not ask for any; not under
 * the engine lock. Returns 0 or -ENOMEM.
 */
int pb_strict_reserve(size_t nr);

/*
 * Apply, through @text, @nr_tail patches of what is behind the first byte (or is data), and
 * @nr_first of first bytes, both sorted by address, in this order; all
 * or, if it fails, none. -EBUSY: the trap's handler has been replaced.
 */
int pb_strict_change(int text, const struct pb_patch *tail, size_t nr_tail,
		     const struct pb_patch *first, size_t nr_first);

/*
 * The same step by step. pb_strict_begin() is for @nr traps, which memory has been
 * reserved for. pb_strict_set()
 * writes one instead of @first; -ENOMEM: more than were provided for.
 * pb_strict_clear() writes @first instead of one; -EILSEQ: there is none. None
 * may be left at pb_strict_end().
 */
int pb_strict_begin(size_t nr);
int pb_strict_set(int text, uintptr_t addr, uint8_t first);
int pb_strict_clear(int text, uintptr_t addr, uint8_t first);
/* The same with what threads that meet the trap go on as if it were there. */
int pb_strict_remove(int text, uintptr_t addr);
void pb_strict_end(void);

#endif /* PB_CORE_STRICT_H */
