/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tramps and call sites of x86-64; see abi.h for the tramps.
 *
 * Why other threads may execute this code while it is changed:
 *
 * - The first byte of a tramp selects the direct or the indirect form. A store of
 *   one byte is atomic. patch.c has the details: sites change in the same way.
 * - A tramp's displacement is changed while the first byte makes it the
 *   immediate of a test instruction, whose result is dead. A thread that sees
 *   any mix of old and new bytes falls through to the jump.
 * - A call site is a branch before and after, so its displacement is changed
 *   while threads execute it. AMD allows one store to change an aligned word of
 *   8 bytes in this way (APM vol. 2, 7.6.1). Intel asks for synchronization (SDM
 *   vol. 3A, 9.1.3). A kernel on a processor with FSRM copies by `rep movsb`,
 *   which may be more than one store. So call sites are changed on demand only,
 *   and only within such a word.
 */
#include "static_call/static_call.h"

#include "arch/x86_64/tramp.h"
#include "system/text.h"

#include <errno.h>

#define DISP_OFFSET 1

const size_t pb_arch_hash_size = 5;
const enum pb_call_sites pb_arch_call_sites = PB_CALL_SITES_ON_DEMAND;

void pb_arch_target(int text, struct pb_target *target)
{
	(void)text;
	target->entry = target->func;
}

bool pb_arch_hash_is(const uint8_t *before, uint32_t type)
{
	uint32_t hash;

	return pb_x86_64_hash(before, &hash) &&
	       hash == pb_x86_64_type_hash(type);
}

static uint8_t form(const struct pb_tramp *tramp)
{
	return pb_x86_64_tramp((const uint8_t *)tramp->addr, tramp->addr,
			       tramp->key,
			       tramp->flags & PATCHBAY_STATIC_CALL_IMPORTED);
}

int pb_arch_tramp_check(const struct pb_tramp *tramp,
			const struct pb_target *target)
{
	(void)target;
	return form(tramp) ? 0 : -EILSEQ;
}

static int set_form(int text, const struct pb_tramp *tramp, uint8_t new)
{
	uint8_t old = form(tramp);

	if (!old)
		return -EILSEQ;
	if (old == new)
		return 0;
	return pb_text_write(text, tramp->addr, &old, &new, 1);
}

int pb_arch_tramp_indirect(int text, const struct pb_tramp *tramp)
{
	return set_form(text, tramp, PATCHBAY_X86_64_TRAMP_INDIRECT);
}

/* The displacement of the direct form. Returns false if @target is out of reach. */
static bool displacement(const struct pb_tramp *tramp,
			 const struct pb_target *target, int32_t *disp)
{
	uintptr_t to = target->entry;

	if (target->kind == PB_TARGET_RETURN0)
		to = tramp->addr + PATCHBAY_X86_64_TRAMP_RETURN0_OFFSET;
	else if (target->kind == PB_TARGET_RETURN)
		to = tramp->addr + PATCHBAY_X86_64_TRAMP_RETURN_OFFSET;
	return pb_x86_64_rel32(tramp->addr, to, disp);
}

int pb_arch_tramp_prepare(int text, const struct pb_tramp *tramp,
			  const struct pb_target *target)
{
	const uint8_t *code = (const uint8_t *)tramp->addr;
	uint8_t new[4];
	int32_t disp;
	int error;

	if (form(tramp) != PATCHBAY_X86_64_TRAMP_INDIRECT)
		return -EILSEQ;
	if (!displacement(tramp, target, &disp))
		return -ERANGE;
	pb_x86_64_put32(new, (uint32_t)disp);
	if (!memcmp(code + DISP_OFFSET, new, sizeof(new)))
		return 0;
	error = pb_text_write(text, tramp->addr + DISP_OFFSET,
			      code + DISP_OFFSET, new, sizeof(new));
	/*
	 * A thread may have fetched the former displacement. It must fetch the displacement
	 * again before the first byte turns these bytes into a branch.
	 */
	return error ? error : 1;
}

int pb_arch_tramp_direct(int text, const struct pb_tramp *tramp,
			 const struct pb_target *target)
{
	int32_t disp;

	if (!displacement(tramp, target, &disp))
		return -ERANGE;
	/* If the displacement differs, pb_arch_tramp_prepare() has failed. */
	if (disp != pb_x86_64_get32((const uint8_t *)tramp->addr + DISP_OFFSET))
		return -EILSEQ;
	return set_form(text, tramp, PATCHBAY_X86_64_TRAMP_DIRECT);
}

int pb_arch_call_site(uintptr_t site, uintptr_t *to)
{
	const uint8_t *code = (const uint8_t *)site;
	int disp = pb_x86_64_branch(code);

	if (!disp)
		return -EILSEQ;
	*to = pb_x86_64_rip(code, site, disp);
	return 0;
}

int pb_arch_call_site_write(int text, uintptr_t site, uintptr_t to)
{
	const uint8_t *code = (const uint8_t *)site;
	int at = pb_x86_64_branch(code);
	uint8_t new[4];
	int32_t disp;

	if (!at)
		return -EILSEQ;
	/* The displacement is relative to its own end. */
	if (!pb_x86_64_in_word(site + (uintptr_t)at) ||
	    !pb_x86_64_rel32(site + (uintptr_t)at - 1, to, &disp))
		return -ERANGE;
	pb_x86_64_put32(new, (uint32_t)disp);
	return pb_text_write(text, site + (uintptr_t)at, code + at, new,
			     sizeof(new));
}
