/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A plain interpreter of BPF (RFC 9669), written for reading, not for speed. It checks
 * every access against the memory that the program may use, every register and stack
 * byte against earlier writes, and every helper argument against what the helper
 * accesses. It tests the verifier, which claims that no violation can happen. It also
 * tests the engine, with which it shares no code.
 */
#ifndef BPF_FUZZ_INTERPRET_H
#define BPF_FUZZ_INTERPRET_H

#include "verify.h"
#include "world.h"

/*
 * @fault:   NULL, or the violation that the verifier should have refused
 * @index:   the instruction
 * @unclear: the result depends on unspecified values, such as the time
 */
struct outcome {
	uint64_t result;
	const char *fault;
	uint32_t index;
	int unclear;
};

/* For each opcode, how often all programs executed it. */
extern uint64_t nr_executed[256];

/*
 * @stack is the address of the stack's end that the program sees; the bytes are stored
 * elsewhere. Programs that compare or store addresses then behave as in the engine.
 */
struct outcome interpret(const struct pb_bpf_code *code, struct world *world,
			 uint64_t stack);

#endif /* BPF_FUZZ_INTERPRET_H */
