/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Hardened mode: tracers without the hash of their type are refused, and cells
 * that were overwritten are not called where that is looked at.
 */
// RUN: %build %s -o %t %link
// RUN: %t | FileCheck %s
// RUN: %t late | FileCheck %s
// RUN: %t lax | FileCheck %s
/* What records a program is of its type. */
// RUN: rm -rf %t.data
// RUN: %patchbay record -o %t.data -F hazel -- %t | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "Inputs/check.h"

#include <patchbay/patchbay.h>
#ifdef __x86_64__
#include <patchbay/static_call.h>
#endif

#include <errno.h>
#include <stddef.h>
#include <string.h>

/* No other file of it is needed. */
#include "../../runtime/core/set.h"

#ifdef __x86_64__
#define FAST GENERAL_REGS
#else
#define FAST
#endif

OPAQUE int hazel(int a) { return a + 1; }
OPAQUE int hazel_nut(int a) { return a + 2; }

/* Without a hash, and never called. */
__asm__(".pushsection .text\n"
	".balign 16, 0\n"
	".skip 16\n"
	"unhashed:\n"
	".long 0\n"
	".popsection\n");
extern void unhashed(uintptr_t ip, uintptr_t parent_ip,
		     const struct patchbay_cell *cell,
		     struct patchbay_regs *regs);
extern int unhashed_attach(void *data, const struct patchbay_module_info *module,
			   struct patchbay_target *targets, size_t nr)
	__asm__("unhashed");
extern int unhashed_check(void *data, const struct patchbay_target *target)
	__asm__("unhashed");

static int inner_calls, other_calls;

static void outer(uintptr_t ip, uintptr_t parent_ip,
		  const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	CHECK_EQ(hazel_nut(1), 3);
}

FAST static void inner(uintptr_t ip, uintptr_t parent_ip,
		       const struct patchbay_cell *cell,
		       struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	inner_calls++;
}

/* A handler but for one type. */
FAST static void other(uintptr_t ip, uintptr_t parent_ip,
		       const struct patchbay_cell *cell, void *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	other_calls++;
}

static int attach(void *data, const struct patchbay_module_info *module,
		  struct patchbay_target *targets, size_t nr)
{
	(void)data;
	(void)module;
	(void)targets;
	(void)nr;
	return 0;
}

static int check(void *data, const struct patchbay_target *target)
{
	(void)data;
	(void)target;
	return 0;
}

static struct patchbay_ops *ops;

static int create_checked(int (*check)(void *, const struct patchbay_target *))
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = inner,
					  .check = check };

	return patchbay_ops_create(&attr, &ops);
}

static int create(patchbay_handler handler,
		  int (*attach)(void *, const struct patchbay_module_info *,
				struct patchbay_target *, size_t),
		  unsigned int flags)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .flags = flags,
					  .handler = handler,
					  .attach = attach };

	return patchbay_ops_create(&attr, &ops);
}

static void refused(void)
{
	CHECK_EQ(patchbay_set_mode(PATCHBAY_MODE_HARDENED), 0);
	CHECK_EQ(create((patchbay_handler)other, NULL, 0), -EACCES);
	CHECK_EQ(create(unhashed, NULL, 0), -EACCES);
	CHECK_EQ(create((patchbay_handler)attach, NULL, 0), -EACCES);
	/* Nothing is mapped there, or before it. */
	CHECK_EQ(create((patchbay_handler)8, NULL, 0), -EACCES);
	CHECK_EQ(create(inner, unhashed_attach, 0), -EACCES);
	CHECK_EQ(create_checked(unhashed_check), -EACCES);
	CHECK_EQ(create_checked(check), 0);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	CHECK_EQ(create(inner, attach, 0), 0);
	CHECK_EQ(patchbay_ops_update(ops, (patchbay_handler)other), -EACCES);
	CHECK_EQ(patchbay_ops_update(ops, outer), 0);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	/* It stays on. */
	CHECK_EQ(patchbay_set_mode(0), 0);
	CHECK_EQ(create(unhashed, NULL, 0), -EACCES);
}

/* Who was there before has to be of its type, too. */
static void late(void)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

#ifdef __x86_64__
	/* Both modes or none. */
	CHECK_EQ(static_call_patch_sites(1), 0);
	CHECK_EQ(patchbay_set_mode(PATCHBAY_MODE_HARDENED |
				   PATCHBAY_MODE_STRICT),
		 -EBUSY);
	CHECK_EQ(static_call_patch_sites(0), 0);
#endif
	CHECK_EQ(create(unhashed, NULL, 0), 0);
	CHECK_EQ(patchbay_set_mode(PATCHBAY_MODE_HARDENED), -EACCES);
	CHECK_EQ(patchbay_get_stats(&stats), 0);
	CHECK_EQ(stats.modes, 0);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	CHECK_EQ(create(inner, unhashed_attach, 0), 0);
	CHECK_EQ(patchbay_set_mode(PATCHBAY_MODE_HARDENED), -EACCES);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	CHECK_EQ(create(inner, attach, 0), 0);
	CHECK_EQ(patchbay_set_mode(PATCHBAY_MODE_HARDENED), 0);
	CHECK_EQ(patchbay_get_stats(&stats), 0);
	CHECK_EQ(stats.modes, PATCHBAY_MODE_HARDENED);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
}

static int find_cell(const struct patchbay_site_info *site, void *cell)
{
	if (site->entry != (uintptr_t)hazel_nut)
		return 0;
	*(struct patchbay_cell **)cell = (struct patchbay_cell *)site->cells;
	return 1;
}

/* How often the handler of hazel_nut() is called from that of hazel(). */
static int nested_calls(void)
{
	int before = inner_calls;

	CHECK_EQ(hazel(1), 2);
	return inner_calls - before;
}

static void overwritten(int hardened)
{
	struct patchbay_ops *outer_ops;
	struct patchbay_cell *cell = NULL, good;

	CHECK_EQ(create(outer, NULL, 0), 0);
	outer_ops = ops;
	CHECK_EQ(patchbay_arm(outer_ops, "hazel", 0), 1);
	CHECK_EQ(create(inner, NULL, PATCHBAY_OPS_FAST), 0);
	CHECK_EQ(patchbay_arm(ops, "hazel_nut", 0), 1);
	CHECK_EQ(nested_calls(), 1);

	CHECK_EQ(patchbay_for_each_site(find_cell, &cell), 1);
	good = *cell;
	cell->enter = NULL;
	CHECK_EQ(nested_calls(), 0);
	if (hardened) {
		cell->enter = (patchbay_handler)other;
		CHECK_EQ(nested_calls(), 0);
		CHECK_EQ(other_calls, 0);
	}
	*cell = good;
	CHECK_EQ(nested_calls(), 1);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	CHECK_EQ(patchbay_ops_destroy(outer_ops), 0);
}

/* The lists of a set, too, are in memory that may be written to. */
static void overwritten_set(void)
{
	struct patchbay_ops *outer_ops, *other_ops;
	struct patchbay_cell *cells = NULL, forged;
	const struct patchbay_cell **entries, *good;
	struct pb_set *set;

	CHECK_EQ(create(outer, NULL, 0), 0);
	outer_ops = ops;
	CHECK_EQ(patchbay_arm(outer_ops, "hazel", 0), 1);
	CHECK_EQ(create(inner, NULL, PATCHBAY_OPS_FAST), 0);
	other_ops = ops;
	CHECK_EQ(patchbay_arm(other_ops, "hazel_nut", 0), 1);
	CHECK_EQ(create(inner, NULL, PATCHBAY_OPS_FAST), 0);
	CHECK_EQ(patchbay_arm(ops, "hazel_nut", 0), 1);
	CHECK_EQ(nested_calls(), 2);

	CHECK_EQ(patchbay_for_each_site(find_cell, &cells), 1);
	set = (struct pb_set *)((char *)cells - offsetof(struct pb_set, cells));
	entries = (const struct patchbay_cell **)set->entries;
	/* As good as any, but nobody's. */
	good = entries[0];
	forged = *good;
	entries[0] = &forged;
	CHECK_EQ(nested_calls(), 0);
	entries[0] = (const void *)((const char *)good + 8);
	CHECK_EQ(nested_calls(), 0);
	/* No end. */
	entries[0] = good;
	entries[2] = good;
	CHECK_EQ(nested_calls(), 0);
	entries[2] = NULL;
	CHECK_EQ(nested_calls(), 2);
	cells[1].func = (patchbay_handler)other;
	CHECK_EQ(nested_calls(), 0);
	CHECK_EQ(other_calls, 0);
	cells[1].func = inner;
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	CHECK_EQ(patchbay_ops_destroy(other_ops), 0);
	CHECK_EQ(patchbay_ops_destroy(outer_ops), 0);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "late"))
		late();
	else if (argc == 1)
		refused();
	overwritten(argc == 1 || !strcmp(argv[1], "late"));
	if (argc == 1)
		overwritten_set();
	puts("done");
	return 0;
}
