/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Sites of riscv64, and the stubs that they call; see abi.h and insn.h for their
 * forms.
 *
 * An armed site calls a stub of the function's kind (pb_riscv64_trampoline()), and
 * all modules near each other share one set of stubs: `jalr t0` tells the
 * trampoline which site it comes from. A module's stubs are where they are when it
 * is armed first, and stay there: they are one page for some 4 GB of addresses.
 *
 * Why other threads may run through a site while it is changed. The ISA says of
 * other harts' stores to code that they are executed once a FENCE.I of the own
 * hart follows (Unprivileged ISA, "Zifencei"), and Ziccif that a fetch of
 * naturally aligned 32 bits is of one store (RISC-V Profiles, RVA20U64, which
 * makes it mandatory: "instruction fetches of naturally aligned power-of-2 sizes
 * up to min(ILEN,XLEN) are atomic"). Linux's ftrace patches by the same rules
 * (arch/riscv/kernel/ftrace.c; Documentation/arch/riscv/cmodx.rst).
 *
 * - Slot: not executed. It is first written while the site has never been armed, and
 *   the sync between publishing and arming orders it before the first call. After
 *   that threads may read it at any time, and no more than one byte of it changes;
 *   see shared.h.
 * - Stubs: mapped whole, before any site leads to them, and never changed.
 * - The site's first word: aligned to 4 bytes and not compressed. It is written once,
 *   NOP to AUIPC of t0, which nobody has anything in here, while the second is a NOP:
 *   whichever of the two a thread executes, the result is the same. The sync before
 *   arming orders it before the first JALR.
 * - The second word: the same, a NOP or a JALR that goes on from the AUIPC, again
 *   and again. A thread executes the one or the other, and the new one after the
 *   next sync. That JALR does what it is to do for whoever has executed the AUIPC, and
 *   who comes to it has: nothing else leads there.
 *
 * The kernel stores each word at once (memcpy() copies aligned words by a register),
 * then lets all harts that the process runs on execute FENCE.I, and the others
 * before it does (flush_icache_mm()). So does membarrier(2), from Linux 6.10 on.
 */
#include "arch.h"

#include "arch/riscv64/entry.h"
#include "arch/riscv64/insn.h"
#include "lock.h"
#include "module.h"
#include "os/linux.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const size_t pb_arch_site_size = PATCHBAY_RISCV64_SITE_SIZE;
/* Code that is not compressed may be written back, but nobody knows which is. */
const int pb_arch_rewrite = 0;

/* A little less than a call's, so that it does not matter where the site is. */
#define REACH 0x7fff0000ul

/* All stubs that were mapped; see lock.h. */
struct stubs {
	struct stubs *next;
	uintptr_t code;
};

static struct stubs *all_stubs;

void pb_arch_init(void)
{
}

static uintptr_t lowest(const struct pb_module *module)
{
	return module->high > REACH ? module->high - REACH : 0;
}

static bool in_reach(const struct pb_module *module, uintptr_t code)
{
	return code >= lowest(module) &&
	       code + PB_RISCV64_STUBS_SIZE <= module->low + REACH;
}

void *pb_arch_map_reach(const struct pb_module *module, int *error)
{
	uint32_t code[PB_RISCV64_STUBS_SIZE / 4];
	struct stubs *stubs = all_stubs;

	*error = 0;
	while (stubs && !in_reach(module, stubs->code))
		stubs = stubs->next;
	if (stubs)
		return (void *)stubs->code;
	stubs = malloc(sizeof(*stubs));
	if (!stubs) {
		*error = -ENOMEM;
		return NULL;
	}
	pb_riscv64_stubs(code, (uintptr_t)pb_riscv64_trampolines,
			 PB_TRAMPOLINE_SIZE);
	stubs->code = (uintptr_t)pb_os_map_code(lowest(module),
						module->low + REACH, code,
						sizeof(code), error);
	if (!stubs->code) {
		free(stubs);
		return NULL;
	}
	*error = 0;
	pb_engine_lock();
	stubs->next = all_stubs;
	all_stubs = stubs;
	pb_engine_unlock();
	return (void *)stubs->code;
}

/* Other modules have them, too, or will. */
void pb_arch_unmap_reach(void *reach)
{
	(void)reach;
}

/* Which stub it is follows from the site. */
const void *pb_arch_reach(const struct pb_module *module,
			  const struct patchbay_record *record)
{
	(void)record;
	return module->reach;
}

/* The stubs lead to the trampolines from the beginning. */
int pb_arch_open(const struct pb_module *module, int text)
{
	(void)module;
	(void)text;
	return 0;
}

/* The armed site's words. False if the module has no stubs yet, or too far away. */
static bool armed_words(const struct pb_site *site, uint32_t words[2])
{
	const unsigned int stub =
		pb_riscv64_trampoline(site->record, site->site != site->entry);

	return site->reach &&
	       pb_riscv64_call(words, site->site,
			       (uintptr_t)site->reach +
				       stub * PB_RISCV64_STUB_SIZE);
}

size_t pb_arch_links_size(const struct patchbay_module *desc)
{
	(void)desc;
	return sizeof(struct patchbay_links);
}

int pb_arch_site_state(const struct pb_site *site)
{
	const uint32_t *entry = (const uint32_t *)site->entry, *words;
	uint32_t armed[2];
	bool prepared;

	if (site->entry % PATCHBAY_SLOT_SIZE || !pb_riscv64_has_slot(entry))
		return -ENOEXEC;
	words = pb_riscv64_site(entry, (int64_t)(site->site - site->entry));
	if (!words)
		return -EILSEQ;
	/* An auipc to anywhere else is somebody else's, and so is such a jalr. */
	prepared = armed_words(site, armed) && words[0] == armed[0];
	if (words[1] == PB_RISCV64_NOP)
		return prepared || words[0] == PB_RISCV64_NOP ?
			       PB_SITE_DISARMED :
			       -EILSEQ;
	return prepared && words[1] == armed[1] ? PB_SITE_ARMED : -EILSEQ;
}

uintptr_t pb_arch_slot(uintptr_t entry)
{
	return *(const volatile uintptr_t *)(entry + PATCHBAY_SLOT_OFFSET);
}

int pb_arch_prepare(const struct pb_site *site)
{
	uint32_t words[2];

	return armed_words(site, words) ? 0 : -ERANGE;
}

/* Whether there is anything to do to have @new at @addr. */
static int replace(struct pb_patch *patch, uintptr_t addr, const void *new,
		   size_t len)
{
	*patch = (struct pb_patch){ .addr = addr, .len = (uint8_t)len };
	memcpy(patch->old, (const void *)addr, len);
	memcpy(patch->new, new, len);
	return memcmp(patch->old, patch->new, len) != 0;
}

int pb_arch_publish(const struct pb_site *site, uintptr_t cell,
		    struct pb_patch patch[PB_PUBLISH_MAX])
{
	uint32_t words[2] = { 0, 0 };
	int nr;

	armed_words(site, words); /* as pb_arch_prepare() has */
	nr = replace(&patch[0], site->entry + PATCHBAY_SLOT_OFFSET, &cell,
		     sizeof(cell));
	return nr + replace(&patch[nr], site->site, &words[0],
			    sizeof(words[0]));
}

static void flip(const struct pb_site *site, struct pb_patch *patch, int arm)
{
	const uint32_t disarmed = PB_RISCV64_NOP;
	uint32_t words[2] = { 0, 0 };

	/* There are stubs: it was prepared, or the site's state is read by them. */
	armed_words(site, words);
	*patch = (struct pb_patch){
		.addr = site->site + PATCHBAY_RISCV64_SITE_BRANCH_OFFSET,
		.len = sizeof(disarmed)
	};
	memcpy(patch->old, arm ? &disarmed : &words[1], sizeof(disarmed));
	memcpy(patch->new, arm ? &words[1] : &disarmed, sizeof(disarmed));
}

void pb_arch_arm(const struct pb_site *site, struct pb_patch *patch)
{
	flip(site, patch, 1);
}

void pb_arch_disarm(const struct pb_site *site, struct pb_patch *patch)
{
	flip(site, patch, 0);
}
