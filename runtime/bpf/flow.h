/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where instructions lead to. */
#ifndef PB_BPF_FLOW_H
#define PB_BPF_FLOW_H

#include <linux/bpf.h>
#include <stdint.h>

/* The kernel's old limit; what is verified takes 4 KiB for each. */
#define PB_BPF_INSNS_MAX 4096

/*
 * The instructions behind @index: returns how many, and of conditional jumps
 * first the one that is taken.
 */
unsigned int pb_bpf_next(const struct bpf_insn *insns, uint32_t index,
			 int64_t next[2]);

/*
 * Put the indices of all instructions into @order, each behind those that lead
 * to it, and their number into *@nr. Returns NULL, or what is wrong with
 * instruction *@index: a jump out of the program or into an instruction's
 * middle, no exit at the end, a loop, or that nothing leads to it. There are 1
 * to PB_BPF_INSNS_MAX of them.
 */
const char *pb_bpf_order(const struct bpf_insn *insns, uint32_t nr_insns,
			 uint16_t *order, uint32_t *nr, uint32_t *index);

#endif /* PB_BPF_FLOW_H */
