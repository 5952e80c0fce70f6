/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * AArch64: sites are read and changed, and must be close to their sequences.
 * ppc64le-patch.c tests the location of sequences. No code is executed, so the test
 * runs on any host: addresses are only numbers.
 */
// RUN: %clang -std=c11 -DPB_LIBC_MEMORY -D_GNU_SOURCE -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover %s -I %S/Inputs -I %patchbay_include -I %patchbay_source/runtime/core -o %t
// RUN: %t | FileCheck %s
// CHECK: {{^}}failures: 0 of 71{{$}}

#include "arch/mapped_reach.c"
#include "arch/sequences.c"

#include "arch/aarch64/patch.c"

#include "table.h"

#define MB 0x100000ul

const char pb_arch_trampolines[3 * PB_TRAMPOLINE_SIZE];

/* The address where the system has free memory. */
static uintptr_t gap[2];
static int nr_mapped, nr_unmapped;

void *pb_os_map_code(uintptr_t low, uintptr_t high, const void *code,
		     size_t size, int *error)
{
	CHECK(!*(const uint64_t *)code && size == PB_PLACE_SIZE);
	for (int i = 0; i < 2; i++) {
		*error = 0;
		if (gap[i] && gap[i] >= low && gap[i] + size <= high) {
			nr_mapped++;
			return (void *)gap[i];
		}
	}
	*error = -ENOMEM;
	return NULL;
}

/* Takes no lock, because the test has one thread. */
void pb_engine_lock(void)
{
}

void pb_engine_unlock(void)
{
}

void pb_os_unmap(void *code, size_t size)
{
	CHECK(code && size == PB_PLACE_SIZE);
	nr_unmapped++;
}

static struct patchbay_record records[3];

/*
 * Tests text of @size MB from @low on: the result for a site at @offset MB is @error.
 */
static void text(uintptr_t low, uintptr_t size, uintptr_t offset, int error)
{
	struct pb_module module = { .records = records,
				    .nr = 3,
				    .low = low,
				    .high = low + size * MB };
	struct pb_site site = { .site = low + offset * MB,
				.entry = low + offset * MB,
				.record = &records[1] };
	int status;
	void *reach = pb_arch_map_reach(&module, &status);

	nr_mapped = nr_unmapped = 0;
	CHECK(reach && !status);
	module.reach = reach;
	site.reach = pb_arch_reach(&module, site.record);
	CHECK(pb_arch_prepare(&site) == error);
	CHECK(nr_mapped == !error);
	pb_arch_unmap_reach(reach);
	CHECK(nr_unmapped == !error);
}

/* Returns the trampoline to which a function's sequence leads. */
static uintptr_t trampoline_of(int gp_args, int flags)
{
	struct patchbay_record record = { .gp_args = (uint8_t)gp_args,
					  .flags = (uint8_t)flags };

	return pb_record_trampoline(&record) * PB_TRAMPOLINE_SIZE;
}

static void apply(const struct pb_patch *patch, int nr)
{
	for (int i = 0; i < nr; i++) {
		void *at = (void *)patch[i].addr;

		CHECK(!memcmp(at, patch[i].old, patch[i].len));
		memcpy(at, patch[i].new, patch[i].len);
	}
}

/* A function whose site is read, armed and disarmed, and the area for its sequence. */
static struct {
	uint64_t slot;
	uint32_t pad, hash, entry[4];
} f __attribute__((aligned(8))) = {
	.pad = PB_AARCH64_RET,
	.entry = { PATCHBAY_AARCH64_BTI_C, PATCHBAY_AARCH64_SITE_MOV,
		   PB_AARCH64_NOP },
};
static uint32_t place[PB_PLACE_SIZE / 4] __attribute__((aligned(32)));

static void sites(void)
{
	const struct pb_module module = { .records = records,
					  .nr = 3,
					  .low = (uintptr_t)&f,
					  .high = (uintptr_t)(&f + 1) };
	struct pb_site site = { .entry = (uintptr_t)f.entry,
				.site = (uintptr_t)&f.entry[1],
				.record = &records[2] };
	const uint32_t nop = PB_AARCH64_NOP;
	uint32_t sequence[PB_SEQUENCE_WORDS], armed = PATCHBAY_AARCH64_SITE_B;
	struct pb_patch patch[PB_PUBLISH_MAX];
	int error, nr;

	/* First the module has no sequences, then the site has none. */
	CHECK(pb_arch_site_state(&site) == PB_SITE_DISARMED);
	f.entry[2] = 0x14000100;
	CHECK(pb_arch_site_state(&site) == -EILSEQ);
	site.reach = pb_arch_map_reach(&module, &error);
	CHECK(pb_arch_site_state(&site) == -EILSEQ);
	f.entry[2] = nop;

	gap[0] = (uintptr_t)place;
	CHECK(pb_arch_prepare(&site) == 0);
	nr = pb_arch_publish(&site, 0x1234, patch);
	CHECK(nr == PB_PUBLISH_MAX);
	apply(patch, nr);
	CHECK(pb_arch_slot(site.entry) == 0x1234 && f.slot == 0x1234);
	CHECK(pb_aarch64_sequence(sequence, (uintptr_t)&place[10], site.site,
				  site.entry,
				  (uintptr_t)pb_arch_trampolines));
	CHECK(!memcmp(&place[10], sequence, sizeof(sequence)));
	CHECK(pb_arch_publish(&site, 0x1234, patch) == 0);

	CHECK(pb_aarch64_retarget(&armed, (uintptr_t)&f.entry[2],
				  (uintptr_t)&place[10]));
	pb_arch_flip(&site, 1, patch);
	CHECK(patch[0].addr == (uintptr_t)&f.entry[2] && patch[0].len == 4);
	CHECK(!memcmp(patch[0].old, &nop, 4) && !memcmp(patch[0].new, &armed, 4));
	f.entry[2] = armed;
	CHECK(pb_arch_site_state(&site) == PB_SITE_ARMED);
	pb_arch_flip(&site, 0, patch);
	CHECK(!memcmp(patch[0].old, &armed, 4) && !memcmp(patch[0].new, &nop, 4));
	/* A foreign branch, and a BL, which also counts as foreign. */
	f.entry[2] = armed + 1;
	CHECK(pb_arch_site_state(&site) == -EILSEQ);
	f.entry[2] = armed | 0x80000000;
	CHECK(pb_arch_site_state(&site) == -EILSEQ);
	f.entry[2] = nop;
	/* A site without a slot, and an entry at an invalid address. */
	f.pad = nop;
	CHECK(pb_arch_site_state(&site) == -ENOEXEC);
	f.pad = PB_AARCH64_RET;
	f.hash = PB_AARCH64_RET;
	site.entry += 4;
	CHECK(pb_arch_site_state(&site) == -ENOEXEC);
	pb_arch_unmap_reach((void *)site.reach);
}

int main(void)
{
	const uintptr_t low = 4096 * MB;

	sites();
	/*
	 * First in reach of one area on either side, then in the middle of too much
	 * text.
	 */
	gap[0] = low - MB;
	gap[1] = low + 250 * MB + MB;
	text(low, 250, 0, 0);
	text(low, 250, 125, 0);
	text(low, 250, 249, 0);
	gap[1] = low + 400 * MB + MB;
	text(low, 400, 100, 0);
	text(low, 400, 200, -ERANGE);
	gap[0] = gap[1] = 0;
	text(low, 1, 0, -ENOMEM);
	CHECK(trampoline_of(0, 0) == 0 && trampoline_of(2, 0) == 0);
	CHECK(trampoline_of(3, 0) == 256 && trampoline_of(4, 0) == 256);
	CHECK(trampoline_of(5, 0) == 512 && trampoline_of(8, 0) == 512);
	CHECK(trampoline_of(1, PATCHBAY_RECORD_VARIADIC) == 512);
	CHECK(trampoline_of(1, PATCHBAY_RECORD_UNKNOWN_ARGS) == 512);
	printf("failures: %d of %d\n", failures, checks);
	return 0;
}
