/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* On its own because it is compiled with -fsanitize=kcfi. */
#include "enter.h"
#include "hardened.h"

#include <patchbay/exit.h>

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

const int pb_typed = __has_feature(kcfi);

/* What a cell calls while its function is not armed; and what handlers are. */
void pb_enter_nothing(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
}

void patchbay_no_exit(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs)
{
	pb_enter_nothing(ip, parent_ip, cell, regs);
}

int pb_typed_attach(void *data, const struct patchbay_module_info *module,
		    struct patchbay_target *targets, size_t nr)
{
	(void)data;
	(void)module;
	(void)targets;
	(void)nr;
	return 0;
}

int pb_typed_check(void *arg, const struct patchbay_target *target)
{
	(void)arg;
	(void)target;
	return 0;
}
