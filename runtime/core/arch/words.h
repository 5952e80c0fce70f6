/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For AArch64, ppc64le and riscv64, whose instructions are words: pads and trampolines. */
#pragma once

/* The distance from one trampoline to the next. */
#define PB_TRAMPOLINE_SIZE 256

#ifndef __ASSEMBLER__

#include <patchbay/abi.h>

#include <stdbool.h>
#include <stdint.h>

/* All trampolines (entry.S). */
extern const char pb_arch_trampolines[] __attribute__((visibility("hidden")));

/*
 * The number of the trampoline for a function with @record, by argument registers:
 * trampolines 0, 1 and 2 save 2, 4 or all registers.
 */
static inline unsigned int pb_record_trampoline(const struct patchbay_record *record)
{
	const uint8_t all = PATCHBAY_RECORD_VARIADIC | PATCHBAY_RECORD_UNKNOWN_ARGS;

	if (record->flags & all || record->gp_args > 4)
		return 2;
	return record->gp_args > 2;
}

/*
 * Does the function at @entry have a slot? A pad proves that. The pad is one @ret between slot
 * and entry, and the hash or another @ret follows. With -fsanitize=function the pad is two
 * @ret before the slot.
 */
static inline bool pb_words_have_slot(const uint32_t *entry, uint32_t ret)
{
	const uint32_t *pad = entry + PATCHBAY_PAD_OFFSET / 4;

	if (*pad != PATCHBAY_FUNCTION_SANITIZER_MAGIC)
		return *pad == ret;
	pad = entry + PATCHBAY_FUNCTION_SANITIZER_PAD_OFFSET / 4;
	return pad[0] == ret && pad[1] == ret;
}

#else

/* The beginning and the end of a function that the library does not export. */
.macro begin_function name, align=4
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.p2align \align
\name:
.endm

.macro end_function name
	.size	\name, .-\name
.endm

#endif /* __ASSEMBLER__ */
