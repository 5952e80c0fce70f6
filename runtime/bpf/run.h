/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Handlers that run the program of the cell's struct pb_bpf_attachment. */
#pragma once

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
