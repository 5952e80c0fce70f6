/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The room call/: what a call executes in C between its trampoline and its handlers. It takes
 * no lock and does not allocate: it runs in any thread, also in a signal handler. A thread
 * reads cells and sets only while it is marked as inside (quiesce/quiesce.h).
 *
 * The entry and exit handlers in cells of tracers with a threshold. On x86-64 the
 * trampolines do the same without a call where they can (arch/x86_64/direct.h): a call
 * would cost too much for functions below the threshold.
 */
#ifndef PB_CORE_THRESHOLD_H
#define PB_CORE_THRESHOLD_H

#include <patchbay/patchbay.h>

void pb_timed_entry(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell,
		    struct patchbay_regs *regs);
void pb_timed_exit(uintptr_t ip, uintptr_t parent_ip,
		   const struct patchbay_cell *cell,
		   struct patchbay_regs *regs);

#endif /* PB_CORE_THRESHOLD_H */
