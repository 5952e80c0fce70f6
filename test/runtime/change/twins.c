/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A function with two records, as mold and gold leave them after identical code
 * folding, is armed once: by any filter, alone and among many, by one tracer and by
 * two.
 */
// RUN: %build -fno-sanitize=kcfi %s -o %t %link
// RUN: %t | FileCheck %s
// CHECK: {{^}}done{{$}}
// RUN: rm -rf %t.data && %patchbay record -t count -o %t.data -F '*' -- %t
// RUN: %patchbay report -i %t.data | FileCheck %s --check-prefix=REPORT
// REPORT: {{^ *[1-9][0-9]* +pear +twins.c.tmp +[0-9.]+$}}
/* The same test with mold itself, if installed. */
// RUN: %if mold %{ %build -ffunction-sections -DFOLDED %s -o %t.mold -fuse-ld=mold -Wl,--icf=all %link && %t.mold | FileCheck %s %}
#include "../Inputs/check.h"
#include "../Inputs/count-calls.h"
#include "../Inputs/repeat.h"

#include <patchbay/patchbay.h>

#define FUNCTION(n) OPAQUE int fig##n(int a) { return a + 1; }
X256(FUNCTION, _)
#define ADDRESS(n) fig##n,
static int (*const functions[])(int) = { X256(ADDRESS, _) };
enum { NR = sizeof(functions) / sizeof(functions[0]) };

OPAQUE int pear(int a) { return a + 2; }

#ifdef FOLDED
enum { NR_FIGS = 1 }; /* mold folds all functions into one */
#else
enum { NR_FIGS = NR };

/* Equivalent to the compiler's record in all fields used here. */
#define TWIN(name)                                                             \
	__asm__(".pushsection patchbay_sites, \"ao\", @progbits, .text\n"      \
		"	.p2align 2\n"                                          \
		"	.long " #name " - ., " #name " - .\n"                  \
		"	.long 0\n"                                             \
		"	.byte 1, 0, 0, 0x10\n"                                 \
		"	.popsection\n")
TWIN(pear);
TWIN(fig_0000);
TWIN(fig_1230);
TWIN(fig_3333);
#endif

static long call_all(void)
{
	calls = 0;
	for (int i = 0; i < NR; i++)
		CHECK_EQ(functions[i](i), i + 1);
	CHECK_EQ(pear(1), 3);
	return calls;
}

static struct patchbay_ops *create(void)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = handler };
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	return ops;
}

static void by_filter(struct patchbay_ops *ops, const struct patchbay_filter *filter,
		      long nr, long seen)
{
	CHECK_EQ(patchbay_arm_filter(ops, filter, 0), nr);
	CHECK_EQ(call_all(), seen);
	CHECK_EQ(patchbay_arm_filter(ops, filter, 0), 0);
	CHECK_EQ(patchbay_disarm_filter(ops, filter), nr);
	CHECK_EQ(call_all(), 0);
}

int main(void)
{
	const char *const name = "pear";
	const uintptr_t addr = (uintptr_t)pear;
	const struct patchbay_filter by_name = { .size = sizeof(by_name), .glob = name },
		by_addr = { .size = sizeof(by_addr), .addrs = &addr, .cnt = 1 },
		by_syms = { .size = sizeof(by_syms), .syms = &name, .cnt = 1 },
		many = { .size = sizeof(many), .glob = "fig_*" };
	struct patchbay_ops *ops = create(), *other = create();
	int all;

	all = patchbay_arm(ops, "*", 0);
	CHECK(all > NR_FIGS);
	CHECK(call_all() >= NR + 1);
	CHECK_EQ(patchbay_arm(other, "*", 0), all);
	CHECK_EQ(patchbay_disarm(ops, "*"), all);
	CHECK_EQ(patchbay_disarm(other, "*"), all);
	CHECK_EQ(call_all(), 0);
	by_filter(ops, &by_name, 1, 1);
	by_filter(ops, &by_addr, 1, 1);
	by_filter(ops, &by_syms, 1, 1);
	by_filter(ops, &many, NR_FIGS, NR);
	puts("done");
	return 0;
}
