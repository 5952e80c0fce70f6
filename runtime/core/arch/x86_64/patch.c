/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Sites of x86-64; see abi.h for their forms.
 *
 * Why other threads may run through a site while it is changed:
 *
 * - Slot: not executed. It is first written while no thread can be on the way to
 *   read it, which is one of two cases. As long as no site of the module has led to
 *   a trampoline, its stubs lead to code that reads nothing (pb_arch_open()). Then
 *   slots and first bytes are changed together, in whatever order the kernel stores
 *   them (SDM vol. 3A, 10.2.4 "Fast-String Operation and Out-of-Order Stores"), and
 *   one byte of each address that stubs jump to is stored after that: data first,
 *   then what tells that they are there, as that section asks for, since stores of
 *   an earlier string operation complete before any of a later one. A thread that
 *   finds the trampoline loads the slot behind it in program order, so it finds the
 *   slot as it was left (10.2.2: neither loads nor stores are reordered among
 *   themselves; AMD APM vol. 2, 7.2). Later the slot of a site that has never been
 *   armed is written first, and the sync between publishing and arming orders it
 *   before the first call. After that threads may read it at any time, and no more
 *   than one byte of it changes; see shared.h.
 * - Displacement: the compiler's, and nobody writes it, but that it may be 0 (abi.h),
 *   and that llvm-bolt leaves another one in functions that it does not move, and
 *   llvm-objcopy one to another stub (module.c). Then it is put right while the
 *   first byte is a9, whose immediate changes nothing that is used, and before the
 *   sync after which that is armed for the first time.
 * - First byte: one byte, a store of which is atomic (SDM vol. 3A, 10.1.1). A
 *   thread decodes the whole old or the whole new instruction, since the other
 *   four bytes are the same for both. AMD documents such a one-byte
 *   change as safe (APM vol. 2, 7.6.1); Intel asks for serialization as for any
 *   cross-modification, and does not list a9 <-> e8 as it does int3.
 *   test/runtime/toggle.c looks for a processor that disagrees.
 * - Code around it, with the bytes that it had: there is no moment at which
 *   memory or a cache, which instruction fetch is coherent with (SDM vol. 3A,
 *   12.6 "Self-Modifying Code"), holds others, in whatever pieces the kernel
 *   copies them. A processor that has such code in its pipeline fetches it
 *   again.
 */
#include "arch.h"

#include "arch/x86_64/entry.h"
#include "arch/x86_64/insn.h"
#include "arch/x86_64/stub.h"
#include "module.h"

#include <errno.h>
#include <string.h>

uint8_t pb_x86_64_isa;
const size_t pb_arch_site_size = PATCHBAY_X86_64_SITE_SIZE;
const int pb_arch_rewrite = 1;

void pb_arch_init(void)
{
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512f"))
		pb_x86_64_isa = PB_ISA_AVX512;
	else if (__builtin_cpu_supports("avx"))
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

uintptr_t pb_arch_slot(uintptr_t entry)
{
	return *(const volatile uintptr_t *)(entry + PATCHBAY_SLOT_OFFSET);
}

static int replace(struct pb_patch *patch, uintptr_t addr, const void *new,
		      size_t len)
{
	*patch = (struct pb_patch){ .addr = addr, .len = (uint8_t)len };
	memcpy(patch->old, (const void *)addr, len);
	memcpy(patch->new, new, len);
	return memcmp(patch->old, patch->new, len) != 0;
}

/* The displacement that leads to the stub. False: the site is not of this module. */
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

	displacement_of(site, displacement); /* as pb_arch_prepare() has */
	nr = replace(&patch[0], site->entry + PATCHBAY_SLOT_OFFSET, &cell,
		     sizeof(cell));
	return nr + replace(&patch[nr], site->site + 1, displacement, 4);
}

static void flip(const struct pb_site *site, struct pb_patch *patch,
		 uint8_t from, uint8_t to)
{
	*patch = (struct pb_patch){
		.addr = site->site, .len = 1, .old = { from }, .new = { to }
	};
}

void pb_arch_arm(const struct pb_site *site, struct pb_patch *patch)
{
	flip(site, patch, PATCHBAY_X86_64_SITE_DISARMED,
	     PATCHBAY_X86_64_SITE_CALL);
}

void pb_arch_disarm(const struct pb_site *site, struct pb_patch *patch)
{
	flip(site, patch, PATCHBAY_X86_64_SITE_CALL,
	     PATCHBAY_X86_64_SITE_DISARMED);
}

const void *pb_arch_reach(const struct pb_module *module,
			  const struct patchbay_record *record)
{
	const int behind_endbr64 = pb_record_entry(record) !=
				   pb_record_site(record);

	return pb_module_stub(module,
			      patchbay_x86_64_stub(record, behind_endbr64));
}
