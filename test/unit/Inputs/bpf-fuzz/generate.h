/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Random programs. They are made of blocks, of which each leaves registers as it
 * found them: r6 the context, r9 the array's value, all others numbers. So most
 * programs are right, and a jump from a block to any later one is. Some are
 * damaged afterwards: what the verifier still takes then is held to the same.
 */
#ifndef BPF_FUZZ_GENERATE_H
#define BPF_FUZZ_GENERATE_H

#include "isa.h"
#include "world.h"

#define MAX_INSNS 1024

/*
 * Where a program begins is the same in all, and is not damaged: it says where the
 * stack is, and leaves nothing behind by which that could be overwritten.
 */
#define NR_PROBE 4

/* Returns how many there are; they follow from *@random. */
uint32_t generate(struct bpf_insn insns[MAX_INSNS], uint64_t *random,
		  int *is_damaged);

#endif /* BPF_FUZZ_GENERATE_H */
