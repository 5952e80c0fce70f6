/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Many functions are armed and disarmed at once although neighbours never have the same
 * shape: arguments and results differ, one function in five has no landing pad, and
 * records are not in text order. If code can be written back and records are in order,
 * few writes are needed.
 */
// RUN: %build %s -o %t %link
// RUN: timeout -s KILL 600 %t | FileCheck %s --check-prefixes=CHECK,ORDER
// RUN: timeout -s KILL 600 %t unordered | FileCheck %s
// RUN: %build -fcf-protection=branch -fno-sanitize=kcfi %s -o %t.pads %link
// RUN: timeout -s KILL 600 %t.pads | FileCheck %s --check-prefixes=CHECK,ORDER
// CHECK: {{^}}all: 1280 of 1280{{$}}
// CHECK-NEXT: {{^}}one of five: 256 of 256{{$}}
// CHECK-NEXT: {{^}}beside others: 512 of 512{{$}}
// CHECK-NEXT: {{^}}next to others: 1180 of 1180{{$}}
// CHECK-NEXT: {{^}}with data of their own: 256, then 0{{$}}
// ORDER-NEXT: {{^}}by few writes{{$}}

#include "../Inputs/check.h"
#include "../Inputs/count-calls.h"
#include "../Inputs/repeat.h"

#include <patchbay/patchbay.h>

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The last function has no landing pad, because its address is never taken. */
#define FUNCTIONS(n)                                                           \
	OPAQUE int ints##n(int a) { return a + 1; }                            \
	OPAQUE double doubles##n(double a, int b) { return a + b; }            \
	OPAQUE long longs##n(long a, long b, long c, long d)                   \
	{                                                                      \
		return a + b + c + d;                                          \
	}                                                                      \
	OPAQUE void nothing##n(void) {}                                        \
	OPAQUE static int inner##n(int a, int b) { return a - b; }
#define CALL(n)                                                                \
	CHECK_EQ(ints##n(1), 2);                                               \
	CHECK(doubles##n(1.5, 2) == 3.5);                                      \
	CHECK_EQ(longs##n(1, 2, 3, 4), 10);                                    \
	nothing##n();                                                          \
	CHECK_EQ(inner##n(5, 2), 3);
X256(FUNCTIONS, _)
enum { KINDS = 5, NR = 256 * KINDS };

/* The records of this program; the linker defines these symbols. */
extern struct patchbay_record __start_patchbay_sites[], __stop_patchbay_sites[];

#define DIGITS "_[0-3][0-3][0-3][0-3]"

static long calls_seen(void)
{
	calls = 0;
	X256(CALL, _)
	return calls;
}

static uint64_t text_writes(void)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	CHECK_EQ(patchbay_get_stats(&stats), 0);
	return stats.text_writes;
}

/* Arms the @nr functions that match @glob, calls all, and disarms them. */
static long arm(struct patchbay_ops *ops, const char *glob, int nr)
{
	long seen;

	CHECK_EQ(patchbay_arm(ops, glob, 0), nr);
	seen = calls_seen();
	CHECK_EQ(patchbay_disarm(ops, glob), nr);
	CHECK(calls_seen() < seen);
	return seen;
}

static void swap(struct patchbay_record *a, struct patchbay_record *b)
{
	const int32_t apart = (int32_t)((char *)b - (char *)a);
	struct patchbay_record before = *a;

	*a = *b;
	a->entry += apart;
	a->site += apart;
	*b = before;
	b->entry -= apart;
	b->site -= apart;
}

/* Swaps neighbouring and distant records; some records stay in place. */
static void bring_out_of_order(void)
{
	struct patchbay_record *records = __start_patchbay_sites;
	const size_t nr = (size_t)(__stop_patchbay_sites - records);
	const uintptr_t page = (uintptr_t)getpagesize();
	const uintptr_t start = (uintptr_t)records & -page;
	const size_t size = (uintptr_t)(records + nr) - start;

	CHECK(nr > NR);
	CHECK_EQ(mprotect((void *)start, size, PROT_READ | PROT_WRITE), 0);
	for (size_t i = 0; i + 1 < nr; i += 2 + i % 7)
		swap(&records[i], &records[i + 1]);
	for (size_t i = 0; i < nr / 2; i += 31)
		swap(&records[i], &records[nr - 1 - i]);
	CHECK_EQ(mprotect((void *)start, size, PROT_READ), 0);
}

static int has(char **argv, const char *word)
{
	return *argv && (!strcmp(*argv, word) || has(argv + 1, word));
}

#define ADDRESSES(n)                                                           \
	(uintptr_t)ints##n, (uintptr_t)doubles##n, (uintptr_t)longs##n,        \
		(uintptr_t)nothing##n, (uintptr_t)inner##n,

/*
 * Removes a tracer from all its functions, the first hundred. Later functions keep
 * their tracers.
 */
static long leave_next(struct patchbay_ops *first, struct patchbay_ops *second)
{
	static const uintptr_t all[NR] = { X256(ADDRESSES, _) };
	struct patchbay_filter filter = { .size = sizeof(filter),
					  .addrs = all,
					  .cnt = 100 };

	CHECK_EQ(patchbay_arm_filter(first, &filter, 0), 100);
	filter.addrs += 100;
	filter.cnt = NR - 100;
	CHECK_EQ(patchbay_arm_filter(second, &filter, 0), NR - 100);
	CHECK_EQ(patchbay_disarm(first, "*"), 100);
	return calls_seen();
}

/*
 * A tracer has separate data for some functions. The test removes the tracer from other
 * functions, then from all.
 */
static void leave_others(struct patchbay_ops *ops)
{
	static const uintptr_t all[NR] = { X256(ADDRESSES, _) };
	static uintptr_t own[256];
	static void *cookies[256];
	struct patchbay_filter filter = { .size = sizeof(filter),
					  .addrs = own,
					  .cookies = cookies,
					  .cnt = 256 };
	long left;

	for (int i = 0; i < 256; i++) {
		own[i] = all[KINDS * i];
		cookies[i] = &own[i];
	}
	CHECK_EQ(patchbay_arm_filter(ops, &filter, 0), 256);
	CHECK_EQ(patchbay_arm(ops, "longs" DIGITS, 0), 256);
	CHECK_EQ(calls_seen(), 512);
	CHECK_EQ(patchbay_disarm(ops, "longs" DIGITS), 256);
	left = calls_seen();
	CHECK_EQ(patchbay_disarm(ops, "*"), 256);
	printf("with data of their own: %ld, then %ld\n", left, calls_seen());
}

int main(int argc, char **argv)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = handler };
	struct patchbay_ops *ops, *second;
	uint64_t writes;

	(void)argc;
	if (has(argv, "unordered"))
		bring_out_of_order();
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_ops_create(&attr, &second), 0);
	writes = text_writes();
	printf("all: %ld of %d\n", arm(ops, "*" DIGITS, NR), NR);
	printf("one of five: %ld of 256\n", arm(ops, "longs" DIGITS, 256));
	writes = text_writes() - writes;
	CHECK_EQ(patchbay_arm(second, "ints" DIGITS, 0), 256);
	printf("beside others: %ld of 512\n", arm(ops, "*[!t]s" DIGITS, 512) - 256);
	CHECK_EQ(patchbay_disarm(second, "*"), 256);
	printf("next to others: %ld of %d\n", leave_next(ops, second), NR - 100);
	CHECK_EQ(patchbay_ops_destroy(second), 0);
	leave_others(ops);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
#if defined(__x86_64__)
	/*
	 * Each block has hundreds of functions and three writes: sites, some slots,
	 * sites again.
	 */
	if (writes <= 16)
#endif
		printf("by few writes\n");
	return 0;
}
