/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The virtual machine: an interpreter. Programs that were verified need no checks
 * any more, so it has none.
 *
 * It is our own, and none of the libraries that compile, for reasons that
 * test/unit/bpf-fuzz.c found. librte_bpf of DPDK, which was here before: its
 * compiler for x86-64 lets some jumps of about 128 bytes lead into the middle of
 * an instruction (release 22.11, and the same lines later: it lays out the code
 * until its size is the same twice, but one jump may have grown while another
 * shrank), and makes wrong code of four instructions more; its verifier, which
 * cannot be left out, ends the process when constants divide -2^63 by -1; its
 * interpreter does not cut numbers that become little-endian. ubpf, which is fuzzed, is in no
 * Debian. Without a compiler there is no memory that becomes executable, either,
 * all architectures are served, and programs need no vector registers.
 */
#ifndef PB_BPF_ENGINE_H
#define PB_BPF_ENGINE_H

#include "verify.h"

/* @insns: with addresses of maps, and helpers by their place in the table. */
struct pb_bpf_machine {
	struct bpf_insn *insns;
};

/*
 * Make a program that was verified ready to run. 0 or -ENOMEM. Maps are referred
 * to by their addresses, so they must outlive it.
 */
int pb_bpf_machine_load(struct pb_bpf_machine *machine,
			const struct pb_bpf_code *code);
void pb_bpf_machine_unload(struct pb_bpf_machine *machine);

/*
 * For handlers: it uses general registers only, and at most 1 KiB of stack,
 * allocates nothing, and ends after as many instructions as there are.
 */
uint64_t pb_bpf_machine_run(const struct pb_bpf_machine *machine,
			    void *context);

#endif /* PB_BPF_ENGINE_H */
