/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tramps of ppc64le; see abi.h for their code.
 *
 * Why other threads may execute a tramp while it is changed:
 *
 * - The branch is one aligned word, a B or NOP before and after. Both are of the
 *   patch class, so threads execute the old or the new word (Power ISA 3.1,
 *   Book II, "Concurrent Modification and Execution of Instructions"). After
 *   pb_sync_core(), which synchronizes their context, threads execute the new
 *   word. The kernel makes one store (memcpy() copies 4 bytes by a register)
 *   and flushes the block.
 * - The near form's addis and addi are not of that class. The library writes
 *   both once, before any branch jumps to them: later a thread may be between
 *   the two. So the near form serves targets with one other TOC. For targets
 *   with a third TOC, the tramp stays in the indirect form.
 *
 * Call sites are not patched. The tramp saves the caller's TOC pointer where
 * the ld after the call expects it. Without the tramp, two words would have to
 * change in one step.
 */
#include "static_call/static_call.h"

#include "arch/ppc64le/tramp.h"
#include "system/linux.h"
#include "system/text.h"

#include <errno.h>
#include <string.h>

#define BRANCH PATCHBAY_PPC64_TRAMP_BRANCH_OFFSET
#define NEAR PATCHBAY_PPC64_TRAMP_NEAR_OFFSET
#define NEAR_BRANCH (NEAR + 8)
#define NOTOC_BRANCH PATCHBAY_PPC64_NOTOC_BRANCH_OFFSET
#define SET_TOC PATCHBAY_PPC64_NOTOC_SET_TOC_OFFSET
#define SET_TOC_BRANCH (SET_TOC + 8)

const size_t pb_arch_hash_size = PATCHBAY_HASH_SIZE;
const enum pb_call_sites pb_arch_call_sites = PB_CALL_SITES_NEVER;

bool pb_arch_hash_is(const uint8_t *before, uint32_t type)
{
	return !memcmp(before, &type, sizeof(type));
}

void pb_arch_target(int text, struct pb_target *target)
{
	enum pb_ppc64_entry form;
	uint32_t code[2];
	uint64_t toc;
	int64_t distance;

	if (pb_os_text_read(text, target->func, code, sizeof(code)))
		return;
	form = pb_ppc64_entry(code, target->func, &toc);
	if (form == PB_PPC64_UNKNOWN)
		return;
	if (form == PB_PPC64_NO_TOC) {
		target->entry = target->func;
		return;
	}
	if (form == PB_PPC64_LARGE_TOC) {
		if (pb_os_text_read(text, target->func - sizeof(distance),
				    &distance, sizeof(distance)))
			return;
		toc += (uint64_t)distance;
	}
	target->entry = target->func + PATCHBAY_PPC64LE_GLOBAL_ENTRY_SIZE;
	target->toc = toc;
}

static bool is_tramp(const struct pb_tramp *tramp)
{
	const uint32_t *code = (const uint32_t *)tramp->addr;
	bool imported = tramp->flags & PATCHBAY_STATIC_CALL_IMPORTED;

	if (pb_ppc64_tramp_key(code, tramp->toc, imported) != tramp->key)
		return false;
	return !(tramp->flags & PATCHBAY_STATIC_CALL_NOTOC) ||
	       pb_ppc64_notoc_key(code, tramp->addr, tramp->toc, imported) ==
		       tramp->key;
}

int pb_arch_tramp_check(const struct pb_tramp *tramp,
			const struct pb_target *target)
{
	if (!is_tramp(tramp))
		return -EILSEQ;
	/* The tramp's callers rely on an unchanged TOC pointer. */
	if ((tramp->flags & PATCHBAY_STATIC_CALL_SAME_TOC) &&
	    target->kind == PB_TARGET_FUNC &&
	    (target->func < tramp->low || target->func >= tramp->high ||
	     (target->toc && target->toc != tramp->toc)))
		return -EXDEV;
	return 0;
}

static uint32_t word_at(const struct pb_tramp *tramp, unsigned int offset)
{
	return *(const uint32_t *)(tramp->addr + offset);
}

static int set_word(int text, const struct pb_tramp *tramp, unsigned int offset,
		    uint32_t new)
{
	uint32_t old = word_at(tramp, offset);

	if (old == new)
		return 0;
	return pb_text_write(text, tramp->addr + offset, &old, &new,
			     sizeof(new));
}

int pb_arch_tramp_indirect(int text, const struct pb_tramp *tramp)
{
	int error;

	if (!is_tramp(tramp))
		return -EILSEQ;
	error = set_word(text, tramp, BRANCH, PB_PPC64_NOP);
	if (error || !(tramp->flags & PATCHBAY_STATIC_CALL_NOTOC))
		return error;
	return set_word(text, tramp, NOTOC_BRANCH, PB_PPC64_NOP);
}

/*
 * The words to write. @branch and @notoc_branch: the branch at the beginning of each half; 0:
 * the indirect form. @near and @set_toc_branch set another TOC pointer and branch to the
 * target; 0: leave the tramp's words unchanged.
 */
struct plan {
	uint32_t branch, notoc_branch;
	uint32_t near[3], set_toc_branch;
};

static bool branch(const struct pb_tramp *tramp, unsigned int offset,
		   uintptr_t to, uint32_t *word)
{
	return pb_ppc64_b(word, tramp->addr + offset, to);
}

/* Plan a branch to @target with the TOC pointer of the tramp's caller. */
static void plan_same(const struct pb_tramp *tramp,
		      const struct pb_target *target, struct plan *plan)
{
	branch(tramp, BRANCH, target->entry, &plan->branch);
	if (!target->toc)
		branch(tramp, NOTOC_BRANCH, target->entry, &plan->notoc_branch);
	else if (branch(tramp, SET_TOC_BRANCH, target->entry,
			&plan->set_toc_branch))
		branch(tramp, NOTOC_BRANCH, tramp->addr + SET_TOC,
		       &plan->notoc_branch);
}

/*
 * Plan a branch to @target with another TOC pointer. In the near form, only the branch may be
 * written more than once.
 */
static void plan_near(const struct pb_tramp *tramp,
		      const struct pb_target *target, struct plan *plan)
{
	const uint32_t *now = (const uint32_t *)(tramp->addr + NEAR);

	if (!pb_ppc64_near(plan->near,
			   (int64_t)(target->toc - tramp->toc)) ||
	    (pb_ppc64_is_filled(now) && memcmp(plan->near, now, 8)) ||
	    !branch(tramp, NEAR_BRANCH, target->entry, &plan->near[2])) {
		plan->near[2] = 0;
		return;
	}
	branch(tramp, BRANCH, tramp->addr + NEAR, &plan->branch);
}

/* Has the tramp the words that the direct form jumps to? */
static bool is_prepared(const struct pb_tramp *tramp, const struct plan *plan)
{
	if (plan->near[2] &&
	    memcmp(plan->near, (const void *)(tramp->addr + NEAR), 12))
		return false;
	return !plan->set_toc_branch ||
	       word_at(tramp, SET_TOC_BRANCH) == plan->set_toc_branch;
}

static struct plan make_plan(const struct pb_tramp *tramp,
			     const struct pb_target *target)
{
	struct plan plan = { 0 };
	uintptr_t to = tramp->addr;

	switch (target->kind) {
	case PB_TARGET_RETURN0:
	case PB_TARGET_RETURN:
		to += target->kind == PB_TARGET_RETURN0 ?
			      PATCHBAY_PPC64_TRAMP_RETURN0_OFFSET :
			      PATCHBAY_PPC64_TRAMP_RETURN_OFFSET;
		branch(tramp, BRANCH, to, &plan.branch);
		branch(tramp, NOTOC_BRANCH, to, &plan.notoc_branch);
		break;
	case PB_TARGET_FUNC:
		if (target->entry &&
		    (!target->toc || target->toc == tramp->toc))
			plan_same(tramp, target, &plan);
		else if (target->entry)
			plan_near(tramp, target, &plan);
		break;
	}
	if (!(tramp->flags & PATCHBAY_STATIC_CALL_NOTOC))
		plan.notoc_branch = plan.set_toc_branch = 0;
	return plan;
}

int pb_arch_tramp_prepare(int text, const struct pb_tramp *tramp,
			  const struct pb_target *target)
{
	const struct plan plan = make_plan(tramp, target);
	int error = 0;

	if (!is_tramp(tramp))
		return -EILSEQ;
	if (is_prepared(tramp, &plan))
		return 0;
	/* If a thread may have entered the near form, only its last word differs. */
	for (unsigned int i = 0; plan.near[2] && i < 3 && !error; i++)
		error = set_word(text, tramp, NEAR + 4 * i, plan.near[i]);
	if (plan.set_toc_branch && !error)
		error = set_word(text, tramp, SET_TOC_BRANCH,
				 plan.set_toc_branch);
	return error ? error : 1;
}

int pb_arch_tramp_direct(int text, const struct pb_tramp *tramp,
			 const struct pb_target *target)
{
	const struct plan plan = make_plan(tramp, target);
	int error = 0;

	if (!is_tramp(tramp))
		return -EILSEQ;
	if (!is_prepared(tramp, &plan))
		return -EILSEQ;
	if (plan.branch)
		error = set_word(text, tramp, BRANCH, plan.branch);
	if (plan.notoc_branch && !error)
		error = set_word(text, tramp, NOTOC_BRANCH, plan.notoc_branch);
	return error;
}

int pb_arch_call_site(uintptr_t site, uintptr_t *to)
{
	(void)site;
	(void)to;
	return -EILSEQ;
}

int pb_arch_call_site_write(int text, uintptr_t site, uintptr_t to)
{
	(void)text;
	(void)site;
	(void)to;
	return -ERANGE;
}
