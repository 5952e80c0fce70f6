/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The virtual machine: librte_bpf of DPDK. */
#ifndef PB_BPF_ENGINE_H
#define PB_BPF_ENGINE_H

#include "verify.h"

struct rte_bpf;

/*
 * @function:  machine code, or NULL where the engine makes none
 * @interpret: what is called then
 */
struct pb_bpf_machine {
	struct rte_bpf *vm;
	uint64_t (*function)(void *context);
	uint64_t (*interpret)(const struct rte_bpf *vm, void *context);
};

/*
 * Make a program that was verified ready to run. 0, -ENOMEM, or -ENOTSUP: the
 * engine refuses it. Maps are referred to by their addresses, so they must
 * outlive it.
 */
int pb_bpf_machine_load(struct pb_bpf_machine *machine,
			const struct pb_bpf_code *code);
void pb_bpf_machine_unload(struct pb_bpf_machine *machine);

/* For handlers. */
uint64_t pb_bpf_machine_run(const struct pb_bpf_machine *machine,
			    void *context);

#endif /* PB_BPF_ENGINE_H */
