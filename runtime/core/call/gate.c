/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The gate (shared_cells.h). Compiled for general registers only: vector registers may hold
 * arguments.
 */
#include "types/set.h"
#include "types/shared_cells.h"

/* If a record is damaged, its function gets this cell without tracers. */
static const struct patchbay_cell nobodys = { .enter = pb_enter_nothing,
					      .func = pb_enter_nothing };

/* The @i-th record by entry. module->order has this order if @records are not sorted. */
static const struct patchbay_record *record_at(const struct pb_module *module,
					       size_t i)
{
	return module->order ? module->order[i] : &module->records[i];
}

const struct patchbay_cell *pb_gate_find(const struct patchbay_cell *gate,
					 uintptr_t ip)
{
	const struct pb_module *module = gate->data;
	size_t low = 0, high = module->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct patchbay_record *record = record_at(module, middle);
		uintptr_t entry = pb_record_entry(record);
		const struct patchbay_cell *cell;

		if (entry < ip) {
			low = middle + 1;
		} else if (entry > ip) {
			high = middle;
		} else {
			cell = __atomic_load_n(
				&module->shared->own[record - module->records],
				__ATOMIC_ACQUIRE);
			return cell ? cell : &nobodys;
		}
	}
	return &nobodys;
}

/* C for PowerPC has no tail call through a pointer: ppc64le/entry.S has pb_arch_enter_gate(). */
#ifndef __powerpc64__
/* Make a tail call, because enter functions find the trampoline's frame by the stack pointer. */
void pb_arch_enter_gate(uintptr_t ip, uintptr_t parent_ip,
			const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	cell = pb_gate_find(cell, ip);
	__attribute__((musttail)) return __atomic_load_n(&cell->enter, __ATOMIC_ACQUIRE)(
		ip, parent_ip, cell, regs);
}
#endif
