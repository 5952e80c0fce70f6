/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A plain interpreter of BPF (RFC 9669), made for reading, not for speed, which
 * trusts nobody: it holds every access against the memory that the program may
 * use, every register and byte of the stack against what was written, and every
 * argument of a helper against what that does. It is the judge of the verifier,
 * which said that all this cannot happen, and of the
 * engine, with which it shares no line.
 */
#ifndef BPF_FUZZ_INTERPRET_H
#define BPF_FUZZ_INTERPRET_H

#include "verify.h"
#include "world.h"

/*
 * @fault:   NULL, or what the program did that the verifier should have refused
 * @index:   where
 * @unclear: its result depends on what nobody promised, such as the time
 */
struct outcome {
	uint64_t result;
	const char *fault;
	uint32_t index;
	int unclear;
};

/* How often an instruction with this code was carried out, of all programs. */
extern uint64_t nr_executed[256];

/*
 * @stack: the address that the stack's end has for the program, whose bytes are
 *         elsewhere: programs that compare or store addresses do the same as in
 *         the engine.
 */
struct outcome interpret(const struct pb_bpf_code *code, struct world *world,
			 uint64_t stack);

#endif /* BPF_FUZZ_INTERPRET_H */
