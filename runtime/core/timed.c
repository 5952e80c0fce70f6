/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compiled for general registers only, and with hashes: these are handlers. */
#include "timed.h"

#include "hardened.h"
#include "tracer.h"

#include <patchbay/exit.h>

void pb_timed_entry(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell,
		    struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	*patchbay_session_word(cell, regs) = patchbay_clock();
}

/* The handler has a hash only if the program is to have hashes. */
#if defined(__has_feature)
#if __has_feature(kcfi)
__attribute__((no_sanitize("kcfi")))
#endif
#endif
void pb_timed_exit(uintptr_t ip, uintptr_t parent_ip,
		   const struct patchbay_cell *cell,
		   struct patchbay_regs *regs)
{
	uint64_t end = patchbay_clock();
	uint64_t start = *patchbay_session_word(cell, regs);
	uint64_t duration = patchbay_ticks(start, end);
	const struct patchbay_ops_attr *attr = &cell->ops->attr;
	patchbay_handler exit;

	if (duration < __atomic_load_n(attr->threshold, __ATOMIC_RELAXED))
		return;
	patchbay_call(regs)->duration = duration;
	exit = __atomic_load_n(&attr->exit, __ATOMIC_RELAXED);
	if (!pb_hardened || pb_hardened_is_handler(exit))
		exit(ip, parent_ip, cell, regs);
}
