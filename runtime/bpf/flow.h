/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The control flow of a program. */
#pragma once

#include <linux/bpf.h>
#include <stdint.h>

/* The limit of old kernels. The verifier needs 4 KiB for each instruction. */
#define PB_BPF_INSNS_MAX 4096

/*
 * Store the successors of instruction @index in @next. Returns their number. The target of a
 * conditional jump comes first.
 */
unsigned int pb_bpf_next(const struct bpf_insn *insns, uint32_t index,
			 int64_t next[2]);

/*
 * Store the indices of all instructions in @order, each after its predecessors, and their number
 * in *@nr. Returns NULL, or the fault of instruction *@index: it jumps out of the program or
 * into the middle of an instruction, has no exit after it, closes a loop, or is unreachable.
 * @nr_insns is 1 to PB_BPF_INSNS_MAX.
 */
const char *pb_bpf_order(const struct bpf_insn *insns, uint32_t nr_insns,
			 uint16_t *order, uint32_t *nr, uint32_t *index);
