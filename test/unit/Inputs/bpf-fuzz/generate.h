/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Random programs, made of blocks. Each block leaves registers as it found them: r6 the
 * context, r9 the array's value, all others numbers. Most programs are therefore valid,
 * and so is a jump from a block to any later one. Some are damaged afterwards. If the
 * verifier accepts one, it must be correct, too.
 */
#ifndef BPF_FUZZ_GENERATE_H
#define BPF_FUZZ_GENERATE_H

#include "isa.h"
#include "world.h"

#define MAX_INSNS 1024

/*
 * All programs start the same, and that part is never damaged. It reports where the stack
 * is, and leaves no pointer by which that could be overwritten.
 */
#define NR_PROBE 4

/* Returns their number; the program follows from *@random. */
uint32_t generate(struct bpf_insn insns[MAX_INSNS], uint64_t *random,
		  int *is_damaged);

#endif /* BPF_FUZZ_GENERATE_H */
