/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tramps and call sites of AArch64; see abi.h for the tramps.
 *
 * Why other threads may execute this code while it is changed: each change is one
 * aligned word, which is a B, BL or NOP before and after. Threads execute the
 * old or the new word (Arm ARM, DDI 0487, B2.2.5 "Concurrent modification and
 * execution of instructions"). After pb_sync_core(), which causes a context
 * synchronization event, threads execute the new word. The kernel makes one store
 * (memcpy() copies 4 bytes by a register). Then it cleans and invalidates the
 * caches for instruction fetch.
 */
#include "static_call/static_call.h"

#include "arch/aarch64/tramp.h"
#include "system/text.h"

#include <errno.h>
#include <string.h>

const size_t pb_arch_hash_size = PATCHBAY_HASH_SIZE;
const enum pb_call_sites pb_arch_call_sites = PB_CALL_SITES_BY_DEFAULT;

void pb_arch_target(int text, struct pb_target *target)
{
	(void)text;
	target->entry = target->func;
}

bool pb_arch_hash_is(const uint8_t *before, uint32_t type)
{
	return !memcmp(before, &type, sizeof(type));
}

static bool is_tramp(const struct pb_tramp *tramp)
{
	return pb_aarch64_tramp((const uint32_t *)tramp->addr, tramp->addr,
				tramp->key,
				tramp->flags & PATCHBAY_STATIC_CALL_IMPORTED);
}

int pb_arch_tramp_check(const struct pb_tramp *tramp,
			const struct pb_target *target)
{
	(void)target;
	return is_tramp(tramp) ? 0 : -EILSEQ;
}

static int set_word(int text, uintptr_t addr, uint32_t new)
{
	uint32_t old = *(const uint32_t *)addr;

	if (old == new)
		return 0;
	return pb_text_write(text, addr, &old, &new, sizeof(new));
}

int pb_arch_tramp_indirect(int text, const struct pb_tramp *tramp)
{
	if (!is_tramp(tramp))
		return -EILSEQ;
	return set_word(text, tramp->addr + PATCHBAY_AARCH64_TRAMP_BRANCH_OFFSET,
			PB_AARCH64_NOP);
}

/* Nothing to do: the direct form changes only the word that pb_arch_tramp_direct() writes. */
int pb_arch_tramp_prepare(int text, const struct pb_tramp *tramp,
			  const struct pb_target *target)
{
	(void)text;
	(void)tramp;
	(void)target;
	return 0;
}

int pb_arch_tramp_direct(int text, const struct pb_tramp *tramp,
			 const struct pb_target *target)
{
	uintptr_t at = tramp->addr + PATCHBAY_AARCH64_TRAMP_BRANCH_OFFSET;
	uint32_t word = PATCHBAY_AARCH64_SITE_B;
	uintptr_t to = target->entry;

	if (!is_tramp(tramp))
		return -EILSEQ;
	if (target->kind == PB_TARGET_RETURN0)
		to = tramp->addr + PATCHBAY_AARCH64_TRAMP_RETURN0_OFFSET;
	else if (target->kind == PB_TARGET_RETURN)
		to = tramp->addr + PATCHBAY_AARCH64_TRAMP_RETURN_OFFSET;
	if (!pb_aarch64_retarget(&word, at, to))
		return -ERANGE;
	return set_word(text, at, word);
}

int pb_arch_call_site(uintptr_t site, uintptr_t *to)
{
	uint32_t word = *(const uint32_t *)site;

	if (!pb_aarch64_is_branch(word))
		return -EILSEQ;
	*to = pb_aarch64_branch_target(word, site);
	return 0;
}

int pb_arch_call_site_write(int text, uintptr_t site, uintptr_t to)
{
	uint32_t word = *(const uint32_t *)site;

	if (!pb_aarch64_is_branch(word))
		return -EILSEQ;
	if (!pb_aarch64_retarget(&word, site, to))
		return -ERANGE;
	return set_word(text, site, word);
}
