/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How AArch64's sites are read and changed, where their veneers are asked for,
 * and which of these a site branches to. No code is executed: it is numbers
 * here, so any host will do.
 */
// RUN: %clang -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover %s -I %S/Inputs -I %patchbay_include -I %patchbay_source/runtime/core -o %t
// RUN: %t | FileCheck %s
// CHECK: {{^}}failures: 0 of 74{{$}}

#include "arch/aarch64/patch.c"

#include "table.h"

#define MB 0x100000ul

const char pb_aarch64_trampolines[NR_TRAMPOLINES * PB_TRAMPOLINE_SIZE];

/* Where the system has room, and what it gave. */
static uintptr_t gap[2], mapped[2];
static int nr_mapped, nr_unmapped, failure;

void *pb_os_map_code(uintptr_t low, uintptr_t high, const void *code,
		     size_t size, int *error)
{
	uint64_t first;

	memcpy(&first, (const char *)code + 8, sizeof(first));
	CHECK(first == (uintptr_t)pb_aarch64_trampolines && size == 48);
	*error = failure ? failure : -ENOMEM;
	for (int i = 0; i < 2 && !failure; i++) {
		if (gap[i] < low || gap[i] + size > high || !gap[i])
			continue;
		*error = 0;
		return (void *)(mapped[nr_mapped++] = gap[i]);
	}
	return NULL;
}

void pb_os_unmap_code(void *code, size_t size)
{
	CHECK((uintptr_t)code == mapped[nr_unmapped++] && size == 48);
}

/* A record whose site is at @site, which is out of a real record's reach. */
static uintptr_t reach_of(const void *reach, uintptr_t site, int gp_args,
			  int flags)
{
	static struct patchbay_record record;

	record.gp_args = (uint8_t)gp_args;
	record.flags = (uint8_t)flags;
	record.site = (int32_t)(site - (uintptr_t)&record.site);
	return (uintptr_t)pb_arch_reach(reach, &record);
}

static void trampolines(void)
{
	const uintptr_t first = (uintptr_t)pb_aarch64_trampolines;
	const struct pb_module module = { .low = first - MB,
					  .high = first + MB };
	int error;

	/* In reach themselves. */
	CHECK(!pb_arch_map_reach(&module, &error) && !error);
	CHECK(reach_of(NULL, first, 0, 0) == first);
	CHECK(reach_of(NULL, first, 2, 0) == first);
	CHECK(reach_of(NULL, first, 3, 0) == first + 256);
	CHECK(reach_of(NULL, first, 4, 0) == first + 256);
	CHECK(reach_of(NULL, first, 5, 0) == first + 512);
	CHECK(reach_of(NULL, first, 1, PATCHBAY_RECORD_VARIADIC) ==
	      first + 512);
	CHECK(reach_of(NULL, first, 1, PATCHBAY_RECORD_UNKNOWN_ARGS) ==
	      first + 512);
}

/* Text of @size MB from @low on, and whether all its sites are reached. */
static void text(uintptr_t low, uintptr_t size, int places, bool ends,
		 bool middle)
{
	uintptr_t high = low + size * MB;
	const struct pb_module module = { .low = low, .high = high };
	struct pb_site site;
	uint32_t word;
	void *reach;
	int error;

	nr_mapped = nr_unmapped = 0;
	reach = pb_arch_map_reach(&module, &error);
	CHECK(nr_mapped == places && !!reach == !!places &&
	      error == (places ? 0 : failure ? failure : -ENOMEM));
	if (!reach)
		return;
	site.site = low;
	site.reach = (void *)reach_of(reach, site.site, 0, 0);
	CHECK(armed_word(&site, &word) == ends);
	site.site = high - 8;
	site.reach = (void *)reach_of(reach, site.site, 8, 0);
	CHECK(armed_word(&site, &word) == ends);
	site.site = low + size / 2 * MB;
	site.reach = (void *)reach_of(reach, site.site, 8, 0);
	CHECK(armed_word(&site, &word) == middle);
	pb_arch_unmap_reach(reach);
	CHECK(nr_unmapped == places);
}

/* A function whose site is looked at, armed and disarmed. */
static void sites(void)
{
	static struct {
		uint64_t slot;
		uint32_t pad, hash, entry[4];
	} f __attribute__((aligned(8))) = {
		.pad = PB_AARCH64_RET,
		.entry = { PATCHBAY_AARCH64_BTI_C, PATCHBAY_AARCH64_SITE_MOV,
			   PB_AARCH64_NOP },
	};
	struct pb_site site = { .entry = (uintptr_t)f.entry,
				.site = (uintptr_t)&f.entry[1],
				.reach = &f.entry[2] + 256 };
	const uint32_t nop = PB_AARCH64_NOP, armed = 0x94000100;
	struct pb_patch patch[PB_PUBLISH_MAX];
	int stale = 0;

	CHECK(pb_arch_site_state(&site) == PB_SITE_DISARMED);
	CHECK(pb_arch_prepare(&site, &stale) == 0 && !stale);
	CHECK(pb_arch_publish(&site, 0x1234, patch) == 1);
	CHECK(patch[0].addr == (uintptr_t)&f.slot && patch[0].len == 8);
	CHECK(patch[0].new[0] == 0x34 && patch[0].new[1] == 0x12);
	f.slot = 0x1234;
	CHECK(pb_arch_slot(site.entry) == 0x1234);
	CHECK(pb_arch_publish(&site, 0x1234, patch) == 0);
	pb_arch_arm(&site, patch);
	CHECK(patch[0].addr == (uintptr_t)&f.entry[2] && patch[0].len == 4);
	CHECK(!memcmp(patch[0].old, &nop, 4) && !memcmp(patch[0].new, &armed, 4));
	f.entry[2] = armed;
	CHECK(pb_arch_site_state(&site) == PB_SITE_ARMED);
	pb_arch_disarm(&site, patch);
	CHECK(!memcmp(patch[0].old, &armed, 4) && !memcmp(patch[0].new, &nop, 4));
	/* Somebody else's branch, and the B that is not ours either. */
	f.entry[2] = armed + 1;
	CHECK(pb_arch_site_state(&site) == -EILSEQ);
	f.entry[2] = armed & 0x7fffffff;
	CHECK(pb_arch_site_state(&site) == -EILSEQ);
	f.entry[2] = nop;
	/* No slot; an entry that its trampoline would not find. */
	f.pad = nop;
	CHECK(pb_arch_site_state(&site) == -ENOEXEC);
	f.pad = PB_AARCH64_RET;
	f.hash = PB_AARCH64_RET;
	site.entry += 4;
	CHECK(pb_arch_site_state(&site) == -ENOEXEC);
	site.entry -= 4;
	site.reach = (const char *)f.entry + 200 * MB;
	CHECK(pb_arch_prepare(&site, &stale) == -ERANGE);
}

int main(void)
{
	/* Somewhere out of the trampolines' reach, but not of a record's. */
	uintptr_t low = (uintptr_t)pb_aarch64_trampolines + 512 * MB;

	sites();
	trampolines();
	gap[0] = low - MB;
	text(low, 1, 1, true, true);
	text(low, 126, 1, true, true);
	failure = -EMFILE;
	text(low, 1, 0, true, true);
	failure = 0;
	gap[0] = 0;
	text(low, 1, 0, true, true);
	/* One place on each side: as text is so large, or as places are so far. */
	gap[0] = low - 5 * MB;
	gap[1] = low + 126 * MB + 5 * MB;
	text(low, 126, 2, true, true);
	gap[0] = low - MB;
	gap[1] = low + 200 * MB + MB;
	text(low, 200, 2, true, true);
	/* More than two places can reach. */
	gap[1] = low + 400 * MB + MB;
	text(low, 400, 2, true, false);
	printf("failures: %d of %d\n", failures, checks);
	return 0;
}
