/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arming by wildcard selects the right functions. A refused request changes nothing. */
// RUN: %build %s -o %t %link
// RUN: %t | FileCheck %s
// RUN: %build -fcf-protection=branch %s -o %t.ibt %link
// RUN: %t.ibt | FileCheck %s
// RUN: %build -fno-sanitize=kcfi -fsanitize=function -fsanitize-trap=function %s -o %t.function %link
// RUN: %t.function | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/check.h"

#include <patchbay/patchbay.h>

#include <errno.h>
#include <string.h>

OPAQUE int apple(int a) { return a + 1; }
static void *returns_to;
OPAQUE int apricot(int a, int b)
{
	returns_to = __builtin_return_address(0);
	return a * b;
}
OPAQUE static int banana(void) { return 3; }
extern int apple_too(int) __attribute__((alias("apple")));

static struct {
	int calls;
	uintptr_t ip, parent_ip;
	void *data;
	const struct patchbay_record *record;
	struct patchbay_regs regs;
} seen;

__attribute__((no_instrument_function, patchable_function_entry(0, 0)))
static void note(uintptr_t ip, uintptr_t parent_ip,
		 const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	seen.calls++;
	seen.ip = ip;
	seen.parent_ip = parent_ip;
	seen.data = cell->data;
	seen.record = cell->record;
	seen.regs = *regs;
#ifdef __x86_64__
	CHECK(*(uintptr_t *)patchbay_regs_sp(regs) == parent_ip);
#elif defined(__powerpc64__)
	/* The word of the caller's frame that holds the return address. */
	CHECK(((uintptr_t *)patchbay_regs_sp(regs))[2] == parent_ip);
#endif
}

static int counted(void)
{
	int calls = seen.calls;

	seen.calls = 0;
	return calls;
}

static struct patchbay_ops *create(unsigned int flags, patchbay_handler handler)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .flags = flags,
					  .handler = handler,
					  .data = &seen };
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	return ops;
}

/* Calls all three functions through pointers, so that kCFI checks them. */
static void call_all(void)
{
	int (*volatile one)(int) = apple;
	int (*volatile two)(int, int) = apricot;
	int (*volatile none)(void) = banana;

	CHECK_EQ(one(41), 42);
	CHECK_EQ(two(6, 7), 42);
	CHECK_EQ(none(), 3);
}

static void globs(unsigned int flags)
{
	struct patchbay_ops *ops = create(flags, note);

	call_all();
	CHECK_EQ(counted(), 0);

	CHECK_EQ(patchbay_arm(ops, "ap*", 0), 2);
	call_all();
	CHECK_EQ(counted(), 2);
	CHECK_EQ(patchbay_arm(ops, "ap*", 0), 0); /* armed already */
	CHECK_EQ(patchbay_arm(ops, "banana", 0), 1);
	call_all();
	CHECK_EQ(counted(), 3);

	/* An alias is another name of the same function. */
	CHECK_EQ(patchbay_disarm(ops, "apple_to?"), 1);
	call_all();
	CHECK_EQ(counted(), 2);
	CHECK_EQ(patchbay_disarm(ops, "apple"), -ENOENT);
	CHECK_EQ(patchbay_disarm(ops, "*"), 2);
	call_all();
	CHECK_EQ(counted(), 0);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
}

static void arguments(unsigned int flags)
{
	struct patchbay_ops *ops = create(flags, note);

	CHECK_EQ(patchbay_arm(ops, "apricot", 0), 1);
	CHECK_EQ(apricot(6, 7), 42);
	CHECK_EQ(counted(), 1);
	CHECK(seen.ip == (uintptr_t)apricot);
	CHECK(seen.parent_ip == (uintptr_t)returns_to);
	CHECK(seen.data == &seen);
	CHECK_EQ(seen.record->gp_args, 2);
	CHECK_EQ(*patchbay_regs_gp(&seen.regs, 0), 6);
	CHECK_EQ(*patchbay_regs_gp(&seen.regs, 1), 7);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
}

static void change_argument(uintptr_t ip, uintptr_t parent_ip,
			    const struct patchbay_cell *cell,
			    struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	*patchbay_regs_gp(regs, 0) += 100;
}

static int inner;

/*
 * Runs in a handler, where calls of instrumented functions are not traced, and the
 * library refuses requests.
 */
static void call_back(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)regs;
	seen.calls++;
	inner += apple(0);
	CHECK_EQ(patchbay_arm(cell->ops, "*", 0), -EDEADLK);
	CHECK_EQ(patchbay_disarm(cell->ops, "*"), -EDEADLK);
	CHECK_EQ(patchbay_ops_destroy(cell->ops), -EDEADLK);
}

static void handlers(void)
{
	struct patchbay_ops *ops = create(0, change_argument);

	CHECK_EQ(patchbay_arm(ops, "apple", 0), 1);
	CHECK_EQ(apple(1), 102);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	CHECK_EQ(apple(1), 2);

	ops = create(0, call_back);
	CHECK_EQ(patchbay_arm(ops, "apple", 0), 1);
	apple(1);
	apple(1);
	CHECK_EQ(counted(), 2);
	CHECK_EQ(inner, 2);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
}

static void refused(void)
{
	struct patchbay_ops *first = create(0, note);
	struct patchbay_ops_attr attr = { .size = sizeof(attr) };
	struct {
		struct patchbay_ops_attr attr;
		long more;
	} later = { .attr.size = sizeof(later) };
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_arm(first, "cherry*", 0), -ENOENT);
	CHECK_EQ(patchbay_arm(first, "apple", ~0u), -EINVAL);
	CHECK_EQ(patchbay_ops_create(&attr, &ops), -EINVAL);
	attr.handler = note;
	attr.flags = 0x80000000;
	CHECK_EQ(patchbay_ops_create(&attr, &ops), -EINVAL);
	attr.flags = 0;
	attr.size = PATCHBAY_OPS_ATTR_SIZE_VER0 - 1;
	CHECK_EQ(patchbay_ops_create(&attr, &ops), -EINVAL);
	/* Simulates a caller built for a later version: unknown fields must be zero. */
	later.attr.handler = note;
	CHECK_EQ(patchbay_ops_create(&later.attr, &ops), 0);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	later.more = 1;
	CHECK_EQ(patchbay_ops_create(&later.attr, &ops), -E2BIG);

	CHECK_EQ(patchbay_disarm(first, "*"), -ENOENT);
	CHECK_EQ(patchbay_ops_destroy(NULL), 0);
	CHECK_EQ(patchbay_ops_destroy(first), 0);
}

static int look(const struct patchbay_site_info *site, void *arg)
{
	int *sites = arg;

	CHECK(strstr(site->module->path, "arm"));
	sites[0]++;
	sites[1] += site->nr_cells > 0;
	sites[2] += site->entry == (uintptr_t)banana &&
		    site->nr_cells == 1 && site->cells[0].data == &seen;
	return 0;
}

static void listing(void)
{
	struct patchbay_ops *ops = create(0, note);
	int sites[3] = { 0 };

	CHECK_EQ(patchbay_arm(ops, "banana", 0), 1);
	CHECK_EQ(patchbay_for_each_site(look, sites), 0);
	CHECK(sites[0] > 8);
	CHECK_EQ(sites[1], 1);
	CHECK_EQ(sites[2], 1);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
}

int main(void)
{
	globs(0);
	globs(PATCHBAY_OPS_FAST);
	arguments(0);
	arguments(PATCHBAY_OPS_FAST);
	handlers();
	refused();
	listing();
	puts("done");
	return 0;
}
