/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ring.h"
#include "tracers.h"

int pb_recording;

void pb_profile_call(uintptr_t ip, uintptr_t parent_ip,
		     const struct patchbay_cell *cell,
		     struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)regs;
	__atomic_fetch_add((uint64_t *)cell->data, 1, __ATOMIC_RELAXED);
}

void pb_function_entry(uintptr_t ip, uintptr_t parent_ip,
		       const struct patchbay_cell *cell,
		       struct patchbay_regs *regs)
{
	struct pbd_record *record;

	(void)ip;
	if (!__atomic_load_n(&pb_recording, __ATOMIC_RELAXED))
		return;
	record = pb_ring_reserve();
	if (record)
		pb_ring_commit(record, pb_counter(), (uintptr_t)cell->data,
			       (uintptr_t)regs, PBD_RECORD_ENTRY, parent_ip);
}

void pb_trigger_start(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	__atomic_store_n(&pb_recording, 1, __ATOMIC_RELAXED);
}

void pb_trigger_stop(uintptr_t ip, uintptr_t parent_ip,
		     const struct patchbay_cell *cell,
		     struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	__atomic_store_n(&pb_recording, 0, __ATOMIC_RELAXED);
}
