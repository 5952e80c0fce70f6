/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A handler that does nothing, for links that need one to be there. */
#ifndef PB_LINK_NOTHING_H
#define PB_LINK_NOTHING_H

#include <patchbay/patchbay.h>

void pb_link_nothing(uintptr_t ip, uintptr_t parent_ip,
		     const struct patchbay_cell *cell,
		     struct patchbay_regs *regs)
	__attribute__((visibility("hidden")));

#endif /* PB_LINK_NOTHING_H */
