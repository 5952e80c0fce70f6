/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Generates random programs, made of blocks. After each block, registers have the same
 * kinds of values as before: r6 the context, r9 the array's value, all others numbers.
 * Therefore most programs are valid, and a jump from a block to any later one is valid,
 * too. Some programs are damaged afterwards. If the verifier accepts one of these, it
 * must be correct, too.
 */
#ifndef BPF_FUZZ_GENERATE_H
#define BPF_FUZZ_GENERATE_H

#include "isa.h"
#include "world.h"

#define MAX_INSNS 1024

/*
 * All programs have the same first instructions, which are never damaged. They report
 * the address of the stack, and leave no pointer through which the report could be
 * overwritten.
 */
#define NR_PROBE 4

/* Returns the number of instructions. *@random determines the program. */
uint32_t generate(struct bpf_insn insns[MAX_INSNS], uint64_t *random,
		  int *is_damaged);

#endif /* BPF_FUZZ_GENERATE_H */
