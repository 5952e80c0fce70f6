/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The targets of a module's stubs: the library's trampolines (entry.S), or trampolines in the
 * module itself.
 *
 * Processors predict a branch across 4 GB less well (test/bench/README.md), and the system
 * loads shared objects that far from an executable. Also, while a tracer with an exit is
 * armed, the body's return address is in the trampoline: a function that the body tail-calls,
 * such as dlsym(RTLD_NEXT), takes the trampoline's module for that of its caller. So each
 * module has trampolines of its own, for the layout of cells and threads that its compiler
 * knew. The library uses the module's trampolines if its own layout is the same (abi.h). A
 * table after the module's links has the addresses in the library that they need.
 */
#include "arch/arch.h"

#include "arch/lsda.h"
#include "arch/x86_64/arch_bulk.h"
#include "arch/x86_64/entry.h"
#include "quiesce/quiesce.h"
#include "system/lock.h"
#include "types/module.h"

#include <errno.h>

_Static_assert(PATCHBAY_X86_64_TABLE_RARE + 8 * PATCHBAY_X86_64_NR_RARE ==
		       PATCHBAY_X86_64_TABLE_SIZE,
	       "the table ends with them");
_Static_assert(PATCHBAY_X86_64_OWN_OFFSET % 64 == 0 &&
		       PATCHBAY_X86_64_OWN_SIZE % 64 == 0 &&
		       PATCHBAY_X86_64_OWN_OPEN < 64,
	       "one byte tells an open one from one that is shut");

/* The number of addresses after a module's links, and of words in its table. */
#define NR_ADDRESSES PATCHBAY_X86_64_NR_STUBS
#define NR_WORDS (PATCHBAY_X86_64_TABLE_SIZE / 8)

/* Does the library use the module's own trampolines? Never changes for a module. */
static bool has_own(const struct patchbay_module *desc)
{
	return desc->size >= sizeof(*desc) &&
	       desc->trampolines == PATCHBAY_X86_64_LAYOUT;
}

size_t pb_arch_links_size(const struct patchbay_module *desc)
{
	return PATCHBAY_X86_64_TABLE_OFFSET +
	       (has_own(desc) ? PATCHBAY_X86_64_TABLE_SIZE : 0);
}

/* Fill in the table for a module's own trampolines. */
static void fill_table(uint64_t table[NR_WORDS])
{
	uint64_t *rare = table + PATCHBAY_X86_64_TABLE_RARE / 8;

	table[PATCHBAY_X86_64_TABLE_THREAD / 8] =
		(uint64_t)&pb_thread - (uint64_t)__builtin_thread_pointer();
	table[PATCHBAY_X86_64_TABLE_SLOWLY / 8] = (uint64_t)pb_x86_64_enter_slowly;
	table[PATCHBAY_X86_64_TABLE_PERSONALITY / 8] = (uint64_t)pb_call_personality;
	for (unsigned int i = 0; i < PATCHBAY_X86_64_NR_RARE; i++)
		rare[i] = (uint64_t)(pb_x86_64_trampolines + pb_x86_64_rare[i]);
}

/* The addresses that the stubs of @module jump to. */
static const uint64_t *trampolines_of(const struct pb_module *module)
{
	return (const uint64_t *)(pb_module_links(module->desc) + 1);
}

static uint64_t trampoline(const struct pb_module *module, unsigned int i,
			   int open)
{
	if (has_own(module->desc))
		return (uint64_t)pb_module_stub(module, 0) +
		       PATCHBAY_X86_64_OWN_OFFSET +
		       i * PATCHBAY_X86_64_OWN_SIZE +
		       (open ? PATCHBAY_X86_64_OWN_OPEN : 0);
	return (uint64_t)(pb_x86_64_trampolines + i * PB_TRAMPOLINE_SIZE +
			  (open ? PB_TRAMPOLINE_OPEN : PB_TRAMPOLINE_SHUT));
}

/*
 * Find the changes that make all stubs jump to a trampoline: to its shut entry, or to the open
 * entry if @open. Returns the number of changes. Returns -EILSEQ if a stub has another target,
 * for example in another copy of this library.
 */
static int find_changes(const struct pb_module *module, int open,
			struct pb_patch patches[NR_ADDRESSES + NR_WORDS])
{
	const uint64_t *at = trampolines_of(module);
	const uint64_t *table = at + NR_ADDRESSES;
	const uint64_t inert = (uint64_t)pb_module_stub(module, NR_ADDRESSES);
	uint64_t words[NR_WORDS];
	int nr = 0;

	for (unsigned int i = 0; i < NR_ADDRESSES; i++) {
		const uint64_t new = trampoline(module, i, open);

		if (at[i] == new || at[i] == trampoline(module, i, 1))
			continue;
		if (at[i] != (open ? trampoline(module, i, 0) : inert))
			return -EILSEQ;
		pb_patch_fill(&patches[nr++], (uintptr_t)&at[i], &at[i], &new, sizeof(new));
	}
	if (!has_own(module->desc))
		return nr;
	fill_table(words);
	for (unsigned int i = 0; i < NR_WORDS; i++) {
		if (table[i] == words[i])
			continue;
		if (open || table[i])
			return -EILSEQ;
		pb_patch_fill(&patches[nr++], (uintptr_t)&table[i], &table[i], &words[i],
			      sizeof(words[i]));
	}
	return nr;
}

/*
 * During this change no site of the module calls a stub, so no thread reads these addresses.
 * The sync before arming orders the change before the first call of a stub.
 */
void *pb_arch_map_reach(const struct pb_module *module, int *error)
{
	struct pb_patch patches[NR_ADDRESSES + NR_WORDS];
	int nr = find_changes(module, 0, patches), text;

	*error = nr;
	if (nr <= 0)
		return NULL;
	text = pb_text_open();
	*error = text;
	if (text < 0)
		return NULL;
	pb_engine_lock();
	*error = pb_text_apply(text, patches, (size_t)nr, 1);
	pb_engine_unlock();
	pb_text_close(text);
	if (!*error)
		*error = pb_sync_core();
	return NULL;
}

void pb_arch_unmap_reach(void *reach)
{
	(void)reach;
}

int pb_arch_is_open(const struct pb_module *module)
{
	const uint64_t *at = trampolines_of(module);

	/* Check all addresses: if they are on two pages, one of two writes may have failed. */
	for (unsigned int i = 0; i < NR_ADDRESSES; i++)
		if (at[i] == trampoline(module, i, 1))
			return 1;
	return 0;
}

/* Other threads may run meanwhile: a shut and an open address differ in one byte (entry.h). */
int pb_arch_open(const struct pb_module *module, int text)
{
	struct pb_patch patches[NR_ADDRESSES + NR_WORDS];
	int nr = find_changes(module, 1, patches);

	return nr <= 0 ? nr : pb_text_apply(text, patches, (size_t)nr, 1);
}
