/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Registers for struct pbd_slow (trace/format/format.h). */
#ifndef PB_TRACE_ARCH_HERE_H
#define PB_TRACE_ARCH_HERE_H

#include "format/format.h"

#include <patchbay/patchbay.h>

/* Does nothing, because the caller's registers in struct pbd_slow suffice to unwind. */
static inline void pb_here(uint64_t here[PBD_HERE])
{
	(void)here;
}

static inline uintptr_t pb_caller_sp(const struct patchbay_regs *regs)
{
	return patchbay_regs_sp(regs);
}

#endif /* PB_TRACE_ARCH_HERE_H */
