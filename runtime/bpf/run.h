/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Handlers that run the program of the cell's struct pb_bpf_attachment. */
#ifndef PB_BPF_RUN_H
#define PB_BPF_RUN_H

#include <patchbay/link.h>

void pb_bpf_run_entry(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs);
void pb_bpf_run_exit(uintptr_t ip, uintptr_t parent_ip,
		     const struct patchbay_cell *cell,
		     struct patchbay_regs *regs);
void pb_bpf_run_modify_return(uintptr_t ip, uintptr_t parent_ip,
			      const struct patchbay_cell *cell,
			      struct patchbay_regs *regs);

#endif /* PB_BPF_RUN_H */
