/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * patchbay_rearm() finds armed sites that another writer has changed: a removed uprobe
 * restores the compiler's bytes, or the whole page; a debugger sets a breakpoint. Only
 * sites with the compiler's bytes are rearmed.
 */
// RUN: %build %s -o %t %link
// RUN: %t | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/check.h"
#include "../Inputs/compiler-bytes.h"
#include "../Inputs/count-calls.h"

#include <patchbay/patchbay.h>

#include <errno.h>
#include <sys/mman.h>

/*
 * The functions named fig_ are numerous enough to share a cell. The remaining function
 * has a private cell.
 */
OPAQUE int fig_one(int a) { return a + 1; }
OPAQUE int fig_two(int a) { return a + 2; }
OPAQUE int fig_three(int a) { return a + 3; }
OPAQUE int fig_four(int a) { return a + 4; }
OPAQUE int plum(int a) { return a + 5; }
OPAQUE int spare(int a) { return a + 6; }

#define FOUND_MAX 8
static struct patchbay_site_info found[FOUND_MAX];
static size_t nr_found;

static void find(const struct patchbay_site_info *site, void *arg)
{
	CHECK_EQ((uintptr_t)arg, 42);
	CHECK(nr_found < FOUND_MAX);
	found[nr_found++] = *site;
}

static int rearm(void)
{
	nr_found = 0;
	return patchbay_rearm(find, (void *)42);
}

static void found_is(uintptr_t entry, enum patchbay_site_state state)
{
	CHECK_EQ(nr_found, 1);
	CHECK_EQ(found[0].entry, entry);
	CHECK_EQ(found[0].state, state);
}

static int call_all(void)
{
	calls = 0;
	fig_one(1);
	fig_two(1);
	fig_three(1);
	fig_four(1);
	plum(1);
	return calls;
}

static void byte_of_file(uintptr_t entry)
{
	disarm_like(entry, (uintptr_t)spare);
	CHECK_EQ(call_all(), 4);
	CHECK_EQ(rearm(), 1);
	found_is(entry, PATCHBAY_SITE_CHANGED);
	CHECK_EQ(call_all(), 5);
	CHECK_EQ(rearm(), 0);
	CHECK_EQ(nr_found, 0);
}

/* Neither rearming nor disarming overwrites a breakpoint. */
static void breakpoint(struct patchbay_ops *ops)
{
	const uintptr_t entry = (uintptr_t)fig_three;
	static const unsigned char trap[4] = { 0xcc, 0xcc, 0xcc, 0xcc };
	unsigned char armed[4];

	memcpy(armed, (void *)(entry + STATE_AT), sizeof(armed));
	write_text(entry + STATE_AT, trap, STATE_SIZE);
	CHECK_EQ(rearm(), 0);
	found_is(entry, PATCHBAY_SITE_UNKNOWN);
	CHECK(!memcmp((void *)(entry + STATE_AT), trap, STATE_SIZE));
	CHECK_EQ(patchbay_disarm(ops, "fig_three"), 1);
	CHECK(!memcmp((void *)(entry + STATE_AT), trap, STATE_SIZE));
	write_text(entry + STATE_AT, armed, STATE_SIZE);
	CHECK_EQ(rearm(), 0);
	CHECK_EQ(nr_found, 0);
	CHECK_EQ(call_all(), 4);
	CHECK_EQ(patchbay_arm(ops, "fig_three", 0), 1);
	CHECK_EQ(call_all(), 5);
}

/* One call rearms several sites, and needs no callback. */
static void several(void)
{
	disarm_like((uintptr_t)fig_one, (uintptr_t)spare);
	disarm_like((uintptr_t)fig_four, (uintptr_t)spare);
	disarm_like((uintptr_t)plum, (uintptr_t)spare);
	CHECK_EQ(call_all(), 2);
	CHECK_EQ(patchbay_rearm(NULL, NULL), 3);
	CHECK_EQ(call_all(), 5);
}

static int from_handler;

static void call_library(uintptr_t ip, uintptr_t parent_ip,
			 const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	from_handler = patchbay_rearm(find, NULL);
}

/*
 * If slots also have the bytes of the file, patchbay_rearm() returns an error and does
 * not write the slots.
 */
static void whole_text(void)
{
	struct patchbay_module_info module = *found[0].module;
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t low = ((uintptr_t)fig_one - 16) / page * page;
	uintptr_t high = ((uintptr_t)spare / page + 1) * page;

	CHECK(low >= module.low / page * page && low < high);
	CHECK_EQ(madvise((void *)low, high - low, MADV_DONTNEED), 0);
	CHECK_EQ(call_all(), 0);
	CHECK_EQ(rearm(), 0);
	CHECK(nr_found >= 4);
	for (size_t i = 0; i < nr_found; i++)
		CHECK_EQ(found[i].state, PATCHBAY_SITE_CHANGED);
	CHECK_EQ(call_all(), 0);
}

int main(void)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = handler };
	const struct patchbay_ops_attr calling = { .size = sizeof(calling),
						   .handler = call_library };
	struct patchbay_ops *ops, *other;

	CHECK_EQ(rearm(), 0);
	CHECK_EQ(nr_found, 0);
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_arm(ops, "fig*", 0), 4);
	CHECK_EQ(patchbay_arm(ops, "plum", 0), 1);
	CHECK_EQ(call_all(), 5);
	CHECK_EQ(rearm(), 0);
	CHECK_EQ(nr_found, 0);
	byte_of_file((uintptr_t)fig_two);
	byte_of_file((uintptr_t)plum);
	breakpoint(ops);
	several();

	CHECK_EQ(patchbay_ops_create(&calling, &other), 0);
	CHECK_EQ(patchbay_arm(other, "spare", 0), 1);
	spare(1);
	CHECK_EQ(from_handler, -EDEADLK);
	CHECK_EQ(patchbay_ops_destroy(other), 0);

	disarm_like((uintptr_t)fig_two, (uintptr_t)spare);
	CHECK_EQ(rearm(), 1);
	whole_text();
	printf("done\n");
	return 0;
}
