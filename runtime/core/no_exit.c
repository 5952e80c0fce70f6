/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * For architectures without exit.S: no function has an exit (pb_call_check()),
 * and none of these is ever in a cell.
 */
#include "call.h"
#include "enter.h"

const int pb_arch_exits = 0;

#define NEVER(name)                                                            \
	void name(uintptr_t ip, uintptr_t parent_ip,                           \
		  const struct patchbay_cell *cell,                            \
		  struct patchbay_regs *regs)                                  \
	{                                                                      \
		pb_enter_nothing(ip, parent_ip, cell, regs);                   \
	}

NEVER(pb_arch_call_fast)
NEVER(pb_arch_call_any)
NEVER(pb_arch_call_set)
NEVER(pb_arch_call_any_set)
