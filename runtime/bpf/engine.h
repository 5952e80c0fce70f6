/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The virtual machine: an interpreter, which makes no checks, because it only runs
 * verified programs.
 *
 * An interpreter is used instead of a library with a compiler, because
 * test/unit/bpf-fuzz.c found faults in DPDK's librte_bpf (release 22.11, and later):
 * - Its compiler for x86-64 lets some jumps of about 128 bytes lead into the middle of
 *   an instruction. The compiler lays out the code until two passes have the same size,
 *   but one jump may have grown while another shrank.
 * - The compiler makes wrong code for four more instructions.
 * - Its verifier, which cannot be disabled, kills the process when constants divide -2^63
 *   by -1.
 * - Its interpreter does not truncate numbers in conversions to little-endian.
 * Debian does not package ubpf, which is fuzzed. An interpreter also needs no executable
 * memory, supports all architectures, and uses no vector registers.
 */
#pragma once

#include "verify.h"

/* @insns: the program, with the addresses of maps, and with helpers as indices of the table */
struct pb_bpf_machine {
	struct bpf_insn *insns;
};

/*
 * Make a verified program ready to run. Returns 0 or -ENOMEM. The program contains the addresses
 * of its maps, so the maps must outlive it.
 */
int pb_bpf_machine_load(struct pb_bpf_machine *machine,
			const struct pb_bpf_code *code);
void pb_bpf_machine_unload(struct pb_bpf_machine *machine);

/*
 * Run a program, in a handler. Uses only general registers and at most 1 KiB of stack, allocates
 * nothing, and executes at most as many instructions as the program has.
 */
uint64_t pb_bpf_machine_run(const struct pb_bpf_machine *machine,
			    void *context);
