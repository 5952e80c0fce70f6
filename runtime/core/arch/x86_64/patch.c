/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Sites of x86-64; see abi.h for their encoding.
 *
 * Why other threads may run through a site while it is changed:
 *
 * - Slot: not executed. The first write is while no thread can be about to read the slot.
 *   There are two cases:
 *   1. No site of the module can reach a trampoline yet, because its stubs jump to code that
 *      reads nothing (pb_arch_open()). The library changes slots and first bytes together.
 *      The kernel may store them in any order (SDM vol. 3A, 10.2.4 "Fast-String Operation
 *      and Out-of-Order Stores"). After that, the library stores one byte of each address
 *      that stubs jump to. That section of the SDM asks for this order: the data first, then
 *      the flag. Stores of an earlier string operation complete before any of a later one. A
 *      thread that enters the trampoline loads the slot later in program order, so it sees
 *      the new slot (10.2.2: neither loads nor stores are reordered among themselves; AMD
 *      APM vol. 2, 7.2).
 *   2. Later, the slot of a site that was never armed is written before the site. The sync
 *      between publishing and arming orders this write before the first call.
 *   After that threads may read the slot at any time, and only one byte of it changes; see
 *   shared_cells.h.
 * - Displacement: the compiler writes the displacement, which usually never changes. But it may
 *   be 0 (abi.h), it is wrong in functions that llvm-bolt does not move, and it may lead to
 *   another stub after llvm-objcopy (module.c). Then the library corrects the displacement while
 *   the first byte is a9, whose immediate has no effect on live state. This is before the
 *   sync that precedes the first arming.
 * - First byte: a store of one byte is atomic (SDM vol. 3A, 10.1.1). A thread decodes the
 *   whole old or the whole new instruction, since both have the same other four bytes. AMD
 *   documents such a one-byte change as safe (APM vol. 2, 7.6.1). Intel asks for
 *   serialization as for any cross-modification, and does not list a9 <-> e8 as it does
 *   int3. test/runtime/change/toggle.c looks for a processor that disagrees.
 * - Code between sites, which is rewritten with the same bytes. Memory and caches never hold
 *   other bytes, even if the kernel copies in several pieces. Instruction fetch is coherent
 *   with memory and caches (SDM vol. 3A, 12.6 "Self-Modifying Code"). A processor that has such
 *   code in its pipeline fetches the code again.
 */
#include "arch/arch.h"

#include "arch/x86_64/entry.h"
#include "arch/x86_64/insn.h"
#include "types/module.h"

#include <cpuid.h>
#include <errno.h>

uint8_t pb_x86_64_isa;
const size_t pb_arch_site_size = PATCHBAY_X86_64_SITE_SIZE;
const int pb_arch_rewrite = 1;

/* The state components that the system saves: XCR0 (SDM vol. 1, 13.3). */
static uint32_t saved_components(void)
{
	uint32_t low, high;

	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low;
}

/*
 * Find the largest vectors that the processor has instructions for, and whose registers the
 * system saves (SDM vol. 1, 14.3 and 15.2). __builtin_cpu_supports() would add 4 KB of libgcc.
 */
void pb_arch_init(void)
{
	const uint32_t avx = bit_OSXSAVE | bit_AVX, ymm = 6, zmm = 0xe6;
	uint32_t a, b, c, d, saved;

	if (!__get_cpuid(1, &a, &b, &c, &d) || (c & avx) != avx)
		return;
	saved = saved_components();
	if ((saved & zmm) == zmm && __get_cpuid_count(7, 0, &a, &b, &c, &d) &&
	    b & bit_AVX512F)
		pb_x86_64_isa = PB_ISA_AVX512;
	else if ((saved & ymm) == ymm)
		pb_x86_64_isa = PB_ISA_AVX;
}

int pb_arch_site_state(const struct pb_site *site)
{
	const uint8_t *text = (const uint8_t *)site->site;
	int pad = pb_x86_64_pad((const uint8_t *)site->entry);

	if (!pad)
		return -ENOEXEC;
	switch (pb_x86_64_site(text, (int64_t)(site->site - site->entry), pad)) {
	case PATCHBAY_X86_64_SITE_DISARMED:
		return PB_SITE_DISARMED;
	case PATCHBAY_X86_64_SITE_CALL:
		if (pb_x86_64_leads(text, site->site, (uint64_t)site->reach))
			return PB_SITE_ARMED;
		/* fall through */
	default:
		return -EILSEQ;
	}
}

/* Encode the displacement from the site to its stub. Returns false if it does not fit. */
static bool displacement_of(const struct pb_site *site, uint8_t new[4])
{
	int32_t rel;
	bool fits = pb_x86_64_rel32(site->site, (uint64_t)site->reach, &rel);

	pb_x86_64_put32(new, (uint32_t)rel);
	return fits;
}

int pb_arch_prepare(const struct pb_site *site)
{
	uint8_t displacement[4];

	return displacement_of(site, displacement) ? 0 : -EILSEQ;
}

int pb_arch_publish(const struct pb_site *site, uintptr_t cell,
		    struct pb_patch patch[PB_PUBLISH_MAX])
{
	uint8_t displacement[4];
	int nr;

	displacement_of(site, displacement); /* fits: pb_arch_prepare() has checked that */
	nr = pb_arch_publish_slot(site, &cell, &patch[0]);
	return nr + pb_patch_fill(&patch[nr], site->site + 1,
				  (const void *)(site->site + 1), displacement, 4);
}

void pb_arch_flip(const struct pb_site *site, int arm, struct pb_patch *patch)
{
	static const uint8_t byte[] = { PATCHBAY_X86_64_SITE_DISARMED,
					PATCHBAY_X86_64_SITE_CALL };

	pb_patch_fill(patch, site->site, &byte[!arm], &byte[arm], 1);
}

const void *pb_arch_reach(const struct pb_module *module,
			  const struct patchbay_record *record)
{
	const int behind_endbr64 = pb_record_entry(record) !=
				   pb_record_site(record);

	return pb_module_stub(module,
			      patchbay_x86_64_stub(record, behind_endbr64));
}
