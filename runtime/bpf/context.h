/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a program is called with. */
#ifndef PB_BPF_CONTEXT_H
#define PB_BPF_CONTEXT_H

#include <patchbay/link.h>

/* As many arguments as any architecture has in registers, and the result. */
#define PB_BPF_WORDS 9

/*
 * struct pb_bpf_context - a call, for one program
 * @words:  all that programs themselves may read, as far as this one does:
 *          arguments, and behind the function's last its result
 * @cookie: of the attachment
 * @result: NULL, or the result: at the exit of a function that has one
 */
struct pb_bpf_context {
	uint64_t words[PB_BPF_WORDS];
	uintptr_t ip;
	const struct patchbay_cell *cell;
	struct patchbay_regs *regs;
	uint64_t cookie;
	const uint64_t *result;
};

#endif /* PB_BPF_CONTEXT_H */
