/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Sites of x86-64; see abi.h for their forms.
 *
 * Why other threads may run through a site while it is changed:
 *
 * - Slot: not executed. It is first written while the site has never been armed, and
 *   the sync between publishing and arming orders it before the first call. After
 *   that threads may read it at any time, and no more than one byte of it changes;
 *   see shared.h.
 * - Displacement: written only while the first byte is a9, whose immediate
 *   changes nothing that is used. After the write every thread serializes
 *   (membarrier SYNC_CORE; Intel SDM vol. 3A, 10.1.3 "Handling Self- and
 *   Cross-Modifying Code", AMD APM vol. 2, 7.6.1), so that none can pair the
 *   new first byte with an old displacement.
 * - First byte: one byte, a store of which is atomic (SDM vol. 3A, 10.1.1). A
 *   thread decodes the whole old or the whole new instruction, since the other
 *   four bytes are the same for both. AMD documents such a one-byte change as
 *   safe; Intel asks for serialization as for any cross-modification, and does
 *   not list a9 <-> e8 as it does int3. test/runtime/toggle.c looks for a
 *   processor that disagrees.
 * - Code around it, with the bytes that it had: there is no moment at which
 *   memory or a cache, which instruction fetch is coherent with (SDM vol. 3A,
 *   12.6 "Self-Modifying Code"), holds others, in whatever pieces the kernel
 *   copies them. A processor that has such code in its pipeline fetches it
 *   again.
 */
#include "arch.h"

#include "arch/x86_64/entry.h"
#include "arch/x86_64/insn.h"
#include "module.h"
#include "os/linux.h"

#include <errno.h>
#include <string.h>

uint8_t pb_x86_64_isa;
const size_t pb_arch_site_size = PATCHBAY_X86_64_SITE_SIZE;
const int pb_arch_rewrite = 1;

/* Half of a rel32's reach would do; a page of slack keeps arithmetic simple. */
#define REACH 0x7fff0000ul
#define REACH_SIZE ((size_t)4096)

/* By registers to save, then by where the site is; see entry.S. */
#define NR_TRAMPOLINES 6

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
		return PB_SITE_ARMED;
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

/* The site's displacement: what it is to be. False if it cannot reach. */
static bool displacement_of(const struct pb_site *site, uint8_t new[4])
{
	int32_t rel;
	bool fits = pb_x86_64_rel32(site->site, (uint64_t)site->reach, &rel);

	pb_x86_64_put32(new, (uint32_t)rel);
	return fits;
}

int pb_arch_prepare(const struct pb_site *site, int *stale)
{
	static const uint8_t never[4];
	const uint8_t *old = (const uint8_t *)site->site + 1;
	uint8_t new[4];

	if (!displacement_of(site, new))
		return -ERANGE;
	*stale |= memcmp(old, never, sizeof(never)) &&
		  memcmp(old, new, sizeof(new));
	return 0;
}

int pb_arch_publish(const struct pb_site *site, uintptr_t cell,
		    struct pb_patch patch[PB_PUBLISH_MAX])
{
	uint8_t displacement[4];
	int nr;

	displacement_of(site, displacement);
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

static int in_reach(uintptr_t low, uintptr_t high, uintptr_t target)
{
	return target + REACH > high && low + REACH > target;
}

static const char *trampoline(unsigned int which)
{
	return pb_x86_64_trampolines + which * PB_TRAMPOLINE_SIZE;
}

void *pb_arch_map_reach(const struct pb_module *module, int *error)
{
	const uintptr_t low = module->low, high = module->high;
	uint8_t code[REACH_SIZE];

	*error = 0;
	if (in_reach(low, high, (uintptr_t)trampoline(0)) &&
	    in_reach(low, high, (uintptr_t)trampoline(NR_TRAMPOLINES)))
		return NULL;
	/* One veneer per trampoline; the rest of the page traps (int3). */
	memset(code, 0xcc, sizeof(code));
	for (unsigned int i = 0; i < NR_TRAMPOLINES; i++)
		pb_x86_64_veneer(code + i * PB_X86_64_VENEER_SIZE,
				 (uint64_t)trampoline(i));
	return pb_os_map_code(high > REACH ? high - REACH : 0, low + REACH,
			      code, sizeof(code), error);
}

void pb_arch_unmap_reach(void *reach)
{
	if (reach)
		pb_os_unmap_code(reach, REACH_SIZE);
}

const void *pb_arch_reach(const void *reach,
			  const struct patchbay_record *record)
{
	unsigned int which = 2 * pb_record_trampoline(record);

	which += pb_record_entry(record) != pb_record_site(record);
	return reach ? (const char *)reach + which * PB_X86_64_VENEER_SIZE :
		       trampoline(which);
}
