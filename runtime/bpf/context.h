/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The context of a program. */
#pragma once

#include <patchbay/link.h>

/* The most arguments that any architecture passes in registers, and the result. */
#define PB_BPF_WORDS 9

/*
 * struct pb_bpf_context - a call, as one program sees it
 * @words:  the words that the program reads: arguments, then the result
 * @cookie: the cookie of the attachment
 * @result: the result, at the exit of a function that has one; otherwise NULL
 */
struct pb_bpf_context {
	uint64_t words[PB_BPF_WORDS];
	uintptr_t ip;
	const struct patchbay_cell *cell;
	struct patchbay_regs *regs;
	uint64_t cookie;
	const uint64_t *result;
};
