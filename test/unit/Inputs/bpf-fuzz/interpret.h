/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A plain interpreter of BPF (RFC 9669), written for readability instead of speed. It
 * checks every access against the memory that the program may use, every use of a
 * register or stack byte against earlier writes, and every helper argument against the
 * helper's accesses. It tests the verifier, which promises that there is no violation.
 * It also tests the engine, with which it shares no code.
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

/* The number of times that all programs executed each opcode. */
extern uint64_t nr_executed[256];

/*
 * @stack is the address of the stack's end that the program sees; the bytes are stored
 * elsewhere. Programs that compare or store addresses then behave as in the engine.
 */
struct outcome interpret(const struct pb_bpf_code *code, struct world *world,
			 uint64_t stack);

#endif /* BPF_FUZZ_INTERPRET_H */
