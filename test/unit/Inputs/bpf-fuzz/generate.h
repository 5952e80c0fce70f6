/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Generates random programs, made of blocks. Each block starts and ends with the same
 * kinds of values in registers: the context in r6, the array's value in r9, and numbers
 * in all others. Therefore most programs are valid, and a jump from a block to any
 * later block is valid, too. Some programs are damaged afterwards. If the verifier
 * accepts a damaged program, the program must be safe, too.
 */
#ifndef BPF_FUZZ_GENERATE_H
#define BPF_FUZZ_GENERATE_H

#include "isa.h"
#include "world.h"

#define MAX_INSNS 1024

/*
 * The number of instructions that store the stack's address in PROBE, at the start of all
 * programs. They are never damaged. The last one overwrites the pointer to PROBE, so no
 * later instruction can change the address.
 */
#define NR_PROBE 4

/* Returns the number of instructions. *@random determines the program. */
uint32_t generate(struct bpf_insn insns[MAX_INSNS], uint64_t *random,
		  int *is_damaged);

#endif /* BPF_FUZZ_GENERATE_H */
