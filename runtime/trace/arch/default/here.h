/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See struct pbd_slow in trace/format/format.h. */
#ifndef PB_TRACE_ARCH_HERE_H
#define PB_TRACE_ARCH_HERE_H

#include "format/format.h"

#include <patchbay/patchbay.h>

/*
 * Does nothing: struct pbd_slow has the caller's registers, and they are
 * sufficient to unwind.
 */
static inline void pb_here(uint64_t here[PBD_HERE])
{
	(void)here;
}

static inline uintptr_t pb_caller_sp(const struct patchbay_regs *regs)
{
	return patchbay_regs_sp(regs);
}

#endif /* PB_TRACE_ARCH_HERE_H */
