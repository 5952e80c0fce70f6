/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The library reports the state of its sites, and counts its operations. */
// RUN: %build %s -o %t %link
// RUN: %t | FileCheck %s
// RUN: %build -fno-pie -no-pie %s -o %t.no-pie %link
// RUN: %t.no-pie | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/check.h"
#include "../Inputs/module.h"

#include <patchbay/patchbay.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

OPAQUE int reed(int a) { return a + 1; }
OPAQUE int reed_bank(int a) { return a + 2; }

static void handler(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	CHECK_EQ(patchbay_get_stats(&stats), 0);
	CHECK_EQ(stats.armed, 2);
}

static struct patchbay_ops *make_ops(long data)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = handler,
					  .data = (void *)data };
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	return ops;
}

static int copy_site(const struct patchbay_site_info *site, void *arg)
{
	struct patchbay_site_info *wanted = arg;

	if (site->entry != wanted->entry)
		return 0;
	*wanted = *site;
	return 1;
}

static struct patchbay_site_info site_of(uintptr_t entry)
{
	struct patchbay_site_info site = { .entry = entry };

	CHECK_EQ(patchbay_for_each_site(copy_site, &site), 1);
	return site;
}

static enum patchbay_site_state state(void)
{
	return site_of((uintptr_t)reed).state;
}

static struct patchbay_stats now(void)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	CHECK_EQ(patchbay_get_stats(&stats), 0);
	return stats;
}

/* Writes text, as a debugger would. */
static void poke(uintptr_t addr, const void *bytes, void *before, size_t size)
{
	int fd = open("/proc/self/mem", O_RDWR);

	if (before)
		memcpy(before, (void *)addr, size);
	CHECK_EQ(pwrite(fd, bytes, size, (off_t)addr), size);
	close(fd);
}

/*
 * With @bytes at @offset, the site's state is @expected, and arming fails and is
 * counted.
 */
static void refused(struct patchbay_ops *ops, int offset, const void *bytes,
		    size_t size, enum patchbay_site_state expected)
{
	unsigned char before[8];
	uintptr_t addr = (uintptr_t)reed + (uintptr_t)(intptr_t)offset;
	uint64_t count = now().refused[expected];

	poke(addr, bytes, before, size);
	CHECK_EQ(state(), expected);
	CHECK_EQ(patchbay_arm(ops, "reed*", 0), -EILSEQ);
	CHECK_EQ(now().refused[expected], count + 1);
	poke(addr, before, NULL, size);
	CHECK_EQ(state(), PATCHBAY_SITE_DISARMED);
}

static void sites(struct patchbay_ops *ops[2])
{
	static const unsigned char other[8] = { 0xcc, 0xcc, 0xcc, 0xcc };
	struct patchbay_site_info site;
	unsigned char armed[8], disarmed[8];
	uintptr_t slot = (uintptr_t)reed + (uintptr_t)PATCHBAY_SLOT_OFFSET;
	uintptr_t cell, none = 0;

	CHECK_EQ(state(), PATCHBAY_SITE_DISARMED);
	refused(ops[0], 0, other, 4, PATCHBAY_SITE_UNKNOWN);
	refused(ops[0], PATCHBAY_PAD_OFFSET, other, 4, PATCHBAY_SITE_NO_SLOT);

	CHECK_EQ(patchbay_arm(ops[0], "reed", 0), 1);
	CHECK_EQ(patchbay_arm(ops[1], "reed*", 0), 2);
	reed(1);
	site = site_of((uintptr_t)reed);
	CHECK_EQ(site.state, PATCHBAY_SITE_ARMED);
	CHECK_EQ(site.nr_cells, 2);
	CHECK_EQ((long)site.cells[0].data, 10);
	CHECK_EQ((long)site.cells[1].data, 11);
	memcpy(armed, (void *)reed, sizeof(armed));
	CHECK_EQ(patchbay_disarm(ops[0], "reed"), 1);
	CHECK_EQ(patchbay_disarm(ops[1], "reed*"), 2);
	site = site_of((uintptr_t)reed);
	CHECK_EQ(site.state, PATCHBAY_SITE_DISARMED);
	CHECK_EQ(site.nr_cells, 0);

	/* The site is armed with a foreign cell, then without a cell. */
	poke(slot, &none, &cell, sizeof(cell));
	refused(ops[0], 0, armed, sizeof(armed), PATCHBAY_SITE_FOREIGN);
	poke(slot, &cell, NULL, sizeof(cell));
	poke((uintptr_t)reed, armed, disarmed, sizeof(armed));
	CHECK_EQ(state(), PATCHBAY_SITE_ARMED);
	CHECK_EQ(site_of((uintptr_t)reed).nr_cells, 0);
	CHECK_EQ(reed(1), 2);
	poke((uintptr_t)reed, disarmed, NULL, sizeof(disarmed));
}

static int count_site(const struct patchbay_site_info *site, void *sites)
{
	(void)site;
	++*(uint64_t *)sites;
	return 0;
}

static void counts(struct patchbay_ops *ops[2])
{
	struct patchbay_stats before = now(), after, larger[2];
	uint64_t sites = 0;

	CHECK_EQ(before.modules, 1);
	CHECK_EQ(patchbay_for_each_site(count_site, &sites), 0);
	CHECK_EQ(before.sites, sites);
	CHECK_EQ(before.armed, 0);

	/* Arming two adjacent sites needs at most two writes each. */
	CHECK_EQ(patchbay_arm(ops[0], "reed*", 0), 2);
	after = now();
	CHECK_EQ(after.armed, 2);
	CHECK_EQ(after.batches, before.batches + 1);
	CHECK(after.membarriers > before.membarriers);
	CHECK(after.text_writes > before.text_writes);
	CHECK(after.text_writes <= before.text_writes + 4);
	CHECK(after.memory >= 2 * sizeof(struct patchbay_cell));

	/* A second tracer changes only sets, and no text. */
	before = after;
	CHECK_EQ(patchbay_arm(ops[1], "reed*", 0), 2);
	after = now();
	CHECK_EQ(after.text_writes, before.text_writes);
	CHECK(after.memory >= before.memory + sizeof(struct patchbay_cell));
	CHECK_EQ(after.armed, 2);
	CHECK_EQ(patchbay_ops_destroy(ops[0]), 0);
	CHECK_EQ(now().armed, 2);
	CHECK_EQ(patchbay_ops_destroy(ops[1]), 0);
	CHECK_EQ(now().armed, 0);

	larger[0].size = PATCHBAY_STATS_SIZE_VER0 - 1;
	CHECK_EQ(patchbay_get_stats(larger), -EINVAL);
	memset(larger, 0xff, sizeof(larger));
	larger[0].size = sizeof(larger);
	CHECK_EQ(patchbay_get_stats(larger), 0);
	CHECK_EQ(larger[0].modules, 1);
	CHECK_EQ(larger[1].modules, 0);
}

/* The record's address is invalid. The library must not even read its slot. */
static struct patchbay_record wild[1];

static void outside(struct patchbay_ops *ops, intptr_t addr)
{
	static struct patchbay_module module;
	static struct patchbay_state state;
	uint64_t count = now().refused[PATCHBAY_SITE_OUTSIDE];

	wild->entry = (int32_t)(addr - (intptr_t)&wild->entry);
	wild->site = (int32_t)(addr - (intptr_t)&wild->site);
	make_module_like_ours(&module, &state);
	module.sites_start = (intptr_t)wild - (intptr_t)&module.sites_start;
	module.sites_stop = (intptr_t)(wild + 1) - (intptr_t)&module.sites_stop;
	CHECK_EQ(patchbay_module_register(&module), 0);
	CHECK_EQ(site_of((uintptr_t)addr).state,
		 PATCHBAY_SITE_OUTSIDE);
	CHECK_EQ(patchbay_arm(ops, "*", 0), -EILSEQ);
	CHECK_EQ(now().refused[PATCHBAY_SITE_OUTSIDE], count + 1);
	CHECK_EQ(patchbay_module_unregister(&module), 0);
}

int main(void)
{
	struct patchbay_ops *ops[2] = { make_ops(10), make_ops(11) };

	sites(ops);
	outside(ops[0], (intptr_t)wild + 0x70000000);
	/* Try the highest addresses, if a record's offset reaches that far. */
	if ((intptr_t)wild <= INT32_MAX)
		outside(ops[0], -3);
	counts(ops);
	puts("done");
	return 0;
}
