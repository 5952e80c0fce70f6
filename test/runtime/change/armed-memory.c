/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Measures the library's memory for one tracer on 10,000 functions of several shapes:
 * one byte per function of the module, and a few cells. The test arms all functions,
 * every second one, or a random subset, in one or two steps. Memory grows after some
 * functions that share a cell lose their tracer or get another one.
 */
// RUN: %build %s -o %t %link
// RUN: timeout -s KILL 600 %t all | FileCheck %s
// RUN: timeout -s KILL 600 %t every-second | FileCheck %s
// RUN: timeout -s KILL 600 %t chance | FileCheck %s
// RUN: timeout -s KILL 600 %t two-steps | FileCheck %s
// CHECK: {{^}}one tracer: {{[0-2]}}.{{[0-9][0-9]}} bytes for each function{{$}}
// CHECK-NEXT: {{^}}others: {{[0-9]}}.{{[0-9][0-9]}} bytes for each function{{$}}

#include "../Inputs/check.h"
#include "../Inputs/count-calls.h"

#include <patchbay/patchbay.h>

#include <stdint.h>
#include <string.h>

#define F(n)                                                                   \
	OPAQUE int a##n(int a) { return a; }                                   \
	OPAQUE long b##n(long a, long b) { return a + b; }                     \
	OPAQUE double c##n(double a) { return a; }                             \
	OPAQUE void d##n(void) {}
#define ADDRESS(n) (uintptr_t)a##n, (uintptr_t)b##n, (uintptr_t)c##n, (uintptr_t)d##n,
#define X5(what, n) what(n##0) what(n##1) what(n##2) what(n##3) what(n##4)
#define X25(what, n)                                                           \
	X5(what, n##0) X5(what, n##1) X5(what, n##2) X5(what, n##3) X5(what, n##4)
#define X125(what, n)                                                          \
	X25(what, n##0) X25(what, n##1) X25(what, n##2) X25(what, n##3)        \
		X25(what, n##4)
#define X625(what, n)                                                          \
	X125(what, n##0) X125(what, n##1) X125(what, n##2) X125(what, n##3)    \
		X125(what, n##4)
#define X2500(what, n)                                                         \
	X625(what, n##5) X625(what, n##6) X625(what, n##7) X625(what, n##8)
X2500(F, _)
static const uintptr_t all[] = { X2500(ADDRESS, _) };
enum { NR = sizeof(all) / sizeof(all[0]) };

static uint64_t memory(void)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	CHECK_EQ(patchbay_get_stats(&stats), 0);
	return stats.memory;
}

static void report(const char *title, uint64_t before, size_t nr)
{
	const uint64_t hundredths = (100 * (memory() - before) + nr - 1) / nr;

	printf("%s: %d.%02d bytes for each function\n", title,
	       (int)(hundredths / 100), (int)(hundredths % 100));
}

/* Selects some functions; returns their number. */
static size_t choose(const char *how, uintptr_t *some)
{
	uint32_t chance = 7;
	size_t nr = 0;

	for (size_t i = 0; i < NR; i++) {
		chance = chance * 69069 + 1;
		if (!strcmp(how, "every-second") ? i % 2 :
		    !strcmp(how, "chance")	 ? chance >> 16 & 1 :
						   0)
			continue;
		some[nr++] = all[i];
	}
	return nr;
}

int main(int argc, char **argv)
{
	static uintptr_t some[NR];
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = handler };
	const char *how = argc > 1 ? argv[1] : "all";
	const size_t nr = choose(how, some);
	struct patchbay_filter filter = { .size = sizeof(filter),
					  .addrs = some,
					  .cnt = nr };
	struct patchbay_ops *ops, *second;
	uint64_t before;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_ops_create(&attr, &second), 0);
	before = memory();
	if (!strcmp(how, "two-steps")) {
		filter.cnt = nr / 2;
		CHECK_EQ(patchbay_arm_filter(ops, &filter, 0), nr / 2);
		filter.cnt = nr;
		CHECK_EQ(patchbay_arm_filter(ops, &filter, 0), nr - nr / 2);
	} else {
		CHECK_EQ(patchbay_arm_filter(ops, &filter, 0), nr);
	}
	report("one tracer", before, nr);
	filter.cnt = nr / 3;
	CHECK_EQ(patchbay_arm_filter(second, &filter, 0), nr / 3);
	filter.addrs += nr / 2;
	CHECK_EQ(patchbay_disarm_filter(ops, &filter), nr / 3);
	report("others", before, nr);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	CHECK_EQ(patchbay_ops_destroy(second), 0);
	return 0;
}
