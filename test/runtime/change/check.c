/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A tracer selects functions with @check. A refusal stops the batch or skips the
 * function. The library calls @check once per function, and stops at the first function
 * that cannot be armed for another reason. The file also tests the names of functions.
 */
// RUN: %build %s -o %t %link
// RUN: %t | FileCheck %s
// RUN: cp %t %t.stripped && llvm-strip --strip-all %t.stripped
// RUN: %t.stripped | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/check.h"
#include "../Inputs/compiler-bytes.h"
#include "../Inputs/repeat.h"

#include <patchbay/patchbay.h>

#include <errno.h>
#include <string.h>

OPAQUE int sedge_one(int a) { return a; }
OPAQUE int sedge_two(int a, int b) { return a + b; }
OPAQUE int sedge_three(int a, int b, int c) { return a + b + c; }
extern int sedge_alias(int a) __attribute__((alias("sedge_one")));

static const uintptr_t addrs[] = { (uintptr_t)sedge_one, (uintptr_t)sedge_two,
				   (uintptr_t)sedge_three };
static const struct patchbay_filter sedges = { .size = sizeof(sedges),
					       .addrs = addrs,
					       .cnt = 3 };
static int calls, checks, refusal;

static void count(uintptr_t ip, uintptr_t parent_ip,
		  const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	calls++;
}

/* Accepts only functions with at least two arguments. */
static int check(void *arg, const struct patchbay_target *target)
{
	CHECK(arg == &checks);
	CHECK(target->entry == addrs[target->record->gp_args - 1]);
	checks++;
	return target->record->gp_args < 2 ? refusal : 0;
}

static int call_all(void)
{
	calls = 0;
	CHECK_EQ(sedge_one(1) + sedge_two(1, 1) + sedge_three(1, 1, 1), 6);
	return calls;
}

static struct patchbay_ops *make_ops(int (*checks_with)(
	void *, const struct patchbay_target *))
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = count,
						.check_arg = &checks,
						.check = checks_with };
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	return ops;
}

/* If @alone, the functions have no other tracer. */
static void test_refused(int alone)
{
	struct patchbay_ops *ops = make_ops(check), *other = make_ops(NULL);
	int others = 0;

	if (!alone)
		CHECK_EQ(others = patchbay_arm_filter(other, &sedges, 0), 3);
	refusal = -EDOM;
	CHECK_EQ(patchbay_arm_filter(ops, &sedges, 0), -EDOM);
	CHECK_EQ(call_all(), others);
	CHECK_EQ(patchbay_arm_filter(ops, &sedges, PATCHBAY_ARM_SKIP), 2);
	CHECK_EQ(call_all(), others + 2);
	/* The library does not call @check again for functions that have the tracer. */
	checks = 0;
	CHECK_EQ(patchbay_arm_filter(ops, &sedges, PATCHBAY_ARM_SKIP), 0);
	CHECK_EQ(checks, 1);
	refusal = 0;
	CHECK_EQ(patchbay_arm_filter(ops, &sedges, 0), 1);
	CHECK_EQ(call_all(), others + 3);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	CHECK_EQ(patchbay_ops_destroy(other), 0);
	CHECK_EQ(call_all(), 0);
}

#define FUNCTION(n) OPAQUE int reed##n(int a) { return a; }
#define ADDRESS(n) (uintptr_t)reed##n,
X64(FUNCTION, _0) X64(FUNCTION, _1)
static const uintptr_t reeds[] = { X64(ADDRESS, _0) X64(ADDRESS, _1) };
enum { NR_REEDS = sizeof(reeds) / sizeof(reeds[0]) };

static int accepted;

/* Accepts this number of functions, in any order. */
static int check_number(void *arg, const struct patchbay_target *target)
{
	(void)target;
	return ++*(int *)arg > accepted ? -EDOM : 0;
}

static void test_asked_once(void)
{
	const struct patchbay_filter all = { .size = sizeof(all),
					     .addrs = reeds,
					     .cnt = NR_REEDS };

	for (accepted = 0; accepted <= NR_REEDS; accepted += 16) {
		struct patchbay_ops *ops = make_ops(check_number);

		checks = calls = 0;
		CHECK_EQ(patchbay_arm_filter(ops, &all, PATCHBAY_ARM_SKIP),
			 accepted);
		CHECK_EQ(checks, NR_REEDS);
		for (int i = 0; i < NR_REEDS; i++)
			CHECK_EQ(((int (*)(int))reeds[i])(i), i);
		CHECK_EQ(calls, accepted);
		CHECK_EQ(patchbay_ops_destroy(ops), 0);
	}
}

static uintptr_t last_asked;

/* Accepts all functions except the one with a damaged site, if @refusal says so. */
static int check_damaged(void *arg, const struct patchbay_target *target)
{
	++*(int *)arg;
	last_asked = target->entry;
	return target->entry == reeds[100] ? refusal : 0;
}

static void test_damaged(void)
{
	const struct patchbay_filter all = { .size = sizeof(all),
					     .addrs = reeds,
					     .cnt = NR_REEDS };
	static const char damage[STATE_SIZE];
	struct patchbay_ops *ops = make_ops(check_damaged);
	char state[STATE_SIZE];

	memcpy(state, (const void *)(reeds[100] + STATE_AT), sizeof(state));
	write_text(reeds[100] + STATE_AT, damage, sizeof(damage));
	for (int refused = 0; refused < 2; refused++) {
		refusal = refused ? -EDOM : 0;
		CHECK_EQ(patchbay_arm_filter(ops, &all, 0), refused ? -EDOM : -EILSEQ);
		CHECK_EQ(last_asked, reeds[100]);
		checks = 0;
		CHECK_EQ(patchbay_arm_filter(ops, &all, PATCHBAY_ARM_SKIP), NR_REEDS - 1);
		CHECK_EQ(checks, NR_REEDS);
		CHECK_EQ(patchbay_disarm_filter(ops, &all), NR_REEDS - 1);
	}
	write_text(reeds[100] + STATE_AT, state, sizeof(state));
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
}

static int first_only(uintptr_t entry, const char *name, void *arg)
{
	(void)entry;
	(void)name;
	++*(int *)arg;
	return 17;
}

static int find_name(uintptr_t entry, const char *name, void *arg)
{
	int *found = arg;

	CHECK(strcmp(name, "puts"));
	found[0] += entry == addrs[0] && !strcmp(name, "sedge_one");
	found[1] += entry == addrs[0] && !strcmp(name, "sedge_alias");
	found[2] += entry == addrs[2] && !strcmp(name, "sedge_three");
	return 0;
}

static void test_names(int stripped)
{
	int found[3] = { 0 }, visits = 0;

	CHECK_EQ(patchbay_for_each_name(find_name, found), 0);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(found[i], !stripped);
	CHECK_EQ(patchbay_for_each_name(first_only, &visits),
		 stripped ? 0 : 17);
	CHECK_EQ(visits, !stripped);
}

int main(int argc, char **argv)
{
	test_refused(1);
	test_refused(0);
	test_asked_once();
	test_damaged();
	test_names(strstr(argv[argc - 1], ".stripped") != NULL);
	puts("done");
	return 0;
}
