/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Sites of riscv64, and the stubs that they call; see abi.h and insn.h for their encoding.
 *
 * An armed site calls the stub for its kind of function (pb_riscv64_trampoline()). Modules
 * that are near each other share one set of stubs, because the trampoline knows the calling
 * site by t0. A module gets its stubs when it is first armed, and keeps them. A set is one
 * page for some 4 GB of addresses.
 *
 * Why other threads may run through a site while it is changed: a hart executes other
 * harts' stores to code after its own FENCE.I (Unprivileged ISA, "Zifencei"). By Ziccif a
 * fetch of naturally aligned 32 bits sees one store (RISC-V Profiles, RVA20U64, which
 * makes it mandatory: "instruction fetches of naturally aligned power-of-2 sizes up to
 * min(ILEN,XLEN) are atomic"). Linux's ftrace patches by the same rules
 * (arch/riscv/kernel/ftrace.c; Documentation/arch/riscv/cmodx.rst).
 *
 * - Slot: not executed. The first write is before the site is first armed. The sync
 *   between publishing and arming orders this write before the first call. Afterwards
 *   threads may read the slot at any time, and only one byte of it changes; see shared_cells.h.
 * - Stubs: mapped completely before any site calls them, and never changed.
 * - The site's first word: aligned to 4 bytes and not compressed. It is written once, from
 *   NOP to AUIPC of t0, while the second word is a NOP. t0 is dead here, so NOP and AUIPC
 *   have the same effect. The sync before arming orders this store before the first JALR.
 * - The second word: also aligned and not compressed. It changes repeatedly between a NOP
 *   and a JALR that continues the AUIPC. A thread executes the old or the new word, and the
 *   new word after the next sync. The JALR is correct only after the AUIPC. Every thread that
 *   reaches the JALR has executed the AUIPC: no other path leads there.
 *
 * The kernel writes each word by one store (memcpy() copies aligned words by a register). Then
 * it makes all harts that run the process execute FENCE.I. Other harts do so before they
 * next run the process (flush_icache_mm()). membarrier(2) does the same from Linux 6.10.
 */
#include "arch/arch.h"

#include "arch/riscv64/entry.h"
#include "arch/riscv64/insn.h"
#include "system/linux.h"
#include "system/lock.h"
#include "system/memory.h"
#include "types/module.h"

#include <errno.h>

const size_t pb_arch_site_size = PATCHBAY_RISCV64_SITE_SIZE;
/* Rewriting is safe for uncompressed code only, and the library cannot recognize such code. */
const int pb_arch_rewrite = 0;

/* A little less than the reach of a call, so that all stubs are in reach. */
#define REACH 0x7fff0000ul

/* A set of stubs. All sets are on a list, under the locks of the registry (lock.h). */
struct stubs {
	struct stubs *next;
	uintptr_t code;
};

static struct stubs *all_stubs;

static uintptr_t lowest(const struct pb_module *module)
{
	return module->high > REACH ? module->high - REACH : 0;
}

void *pb_arch_map_reach(const struct pb_module *module, int *error)
{
	uint32_t code[PB_RISCV64_STUBS_SIZE / 4];
	struct stubs *stubs = all_stubs;

	*error = 0;
	while (stubs && (stubs->code < lowest(module) ||
			 stubs->code + PB_RISCV64_STUBS_SIZE > module->low + REACH))
		stubs = stubs->next;
	if (stubs)
		return (void *)stubs->code;
	stubs = pb_malloc(sizeof(*stubs));
	if (!stubs) {
		*error = -ENOMEM;
		return NULL;
	}
	pb_riscv64_stubs(code, (uintptr_t)pb_arch_trampolines,
			 PB_TRAMPOLINE_SIZE);
	stubs->code = (uintptr_t)pb_os_map_code(lowest(module),
						module->low + REACH, code,
						sizeof(code), error);
	if (!stubs->code) {
		pb_free(stubs);
		return NULL;
	}
	*error = 0;
	pb_engine_lock();
	stubs->next = all_stubs;
	all_stubs = stubs;
	pb_engine_unlock();
	return (void *)stubs->code;
}

/* The stubs stay mapped: other modules may share them. */
void pb_arch_unmap_reach(void *reach)
{
	(void)reach;
}

/* Encode the words of the armed site. Returns false if the module has no stubs in reach. */
static bool armed_words(const struct pb_site *site, uint32_t words[2])
{
	const unsigned int stub =
		pb_riscv64_trampoline(site->record, site->site != site->entry);

	return site->reach &&
	       pb_riscv64_call(words, site->site,
			       (uintptr_t)site->reach +
				       stub * PB_RISCV64_STUB_SIZE);
}

int pb_arch_site_state(const struct pb_site *site)
{
	const uint32_t *entry = (const uint32_t *)site->entry, *words;
	uint32_t armed[2];
	bool prepared;

	if (site->entry % PATCHBAY_SLOT_SIZE || !pb_words_have_slot(entry, PB_RISCV64_RET))
		return -ENOEXEC;
	words = pb_riscv64_site(entry, (int64_t)(site->site - site->entry));
	if (!words)
		return -EILSEQ;
	/* All other words are another patcher's, for example a jalr with another target. */
	prepared = armed_words(site, armed) && words[0] == armed[0];
	if (words[1] == PB_RISCV64_NOP)
		return prepared || words[0] == PB_RISCV64_NOP ?
			       PB_SITE_DISARMED :
			       -EILSEQ;
	return prepared && words[1] == armed[1] ? PB_SITE_ARMED : -EILSEQ;
}

int pb_arch_prepare(const struct pb_site *site)
{
	uint32_t words[2];

	return armed_words(site, words) ? 0 : -ERANGE;
}

int pb_arch_publish(const struct pb_site *site, uintptr_t cell,
		    struct pb_patch patch[PB_PUBLISH_MAX])
{
	uint32_t words[2] = { 0, 0 };
	int nr;

	armed_words(site, words); /* cannot fail: pb_arch_prepare() has done the same */
	nr = pb_arch_publish_slot(site, &cell, &patch[0]);
	return nr + pb_patch_fill(&patch[nr], site->site, (const void *)site->site,
				  &words[0], sizeof(words[0]));
}

void pb_arch_flip(const struct pb_site *site, int arm, struct pb_patch *patch)
{
	const uint32_t disarmed = PB_RISCV64_NOP;
	uint32_t words[2] = { 0, 0 };

	/* The module has stubs: pb_arch_prepare() or pb_arch_site_state() has succeeded. */
	armed_words(site, words);
	pb_patch_fill(patch, site->site + PATCHBAY_RISCV64_SITE_BRANCH_OFFSET,
		      arm ? &disarmed : &words[1], arm ? &words[1] : &disarmed,
		      sizeof(disarmed));
}
