/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * riscv64: sites are read and changed word by word, and modules close to each other
 * share stubs. No code is executed, so the test runs on any host: addresses are only
 * numbers.
 */
// RUN: %clang -std=c11 -DPB_LIBC_MEMORY -D_GNU_SOURCE -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover %s -I %S/Inputs -I %patchbay_include -I %patchbay_source/runtime/core -o %t
// RUN: %t | FileCheck %s
// CHECK: {{^}}failures: 0 of {{[1-9][0-9]+}}{{$}}

#include "arch/riscv64/patch.c"

#include "table.h"

#define GB 0x40000000ul

const char pb_arch_trampolines[6 * PB_TRAMPOLINE_SIZE];

/* The address where the system has free memory; 0: nowhere. */
static uintptr_t gap;
static int nr_mapped, locked;

void *pb_os_map_code(uintptr_t low, uintptr_t high, const void *code,
		     size_t size, int *error)
{
	uint32_t expected[PB_RISCV64_STUBS_SIZE / 4];

	pb_riscv64_stubs(expected, (uintptr_t)pb_arch_trampolines,
			 PB_TRAMPOLINE_SIZE);
	CHECK(size == sizeof(expected) && !memcmp(code, expected, size));
	CHECK(!locked);
	*error = -ENOMEM;
	if (!gap || gap < low || gap + size > high)
		return NULL;
	nr_mapped++;
	*error = 0;
	return (void *)gap;
}

/* Takes no lock, because the test has one thread. */
void pb_engine_lock(void)
{
	locked++;
}

void pb_engine_unlock(void)
{
	locked--;
}

/* Tests whether text of @size bytes from @low on gets stubs in free memory at @at. */
static void text(uintptr_t low, uintptr_t size, uintptr_t at, int error,
		 int mapped)
{
	const struct pb_module module = { .low = low, .high = low + size };
	int status;
	void *reach;

	gap = at;
	nr_mapped = 0;
	reach = pb_arch_map_reach(&module, &status);
	CHECK(status == error && nr_mapped == mapped);
	CHECK((uintptr_t)reach == (error ? 0 : at));
	pb_arch_unmap_reach(reach);
}

static void apply(const struct pb_patch *patch, int nr)
{
	for (int i = 0; i < nr; i++) {
		void *at = (void *)patch[i].addr;

		/* The kernel stores each patch with a single store. */
		CHECK(patch[i].addr % patch[i].len == 0);
		CHECK(!memcmp(at, patch[i].old, patch[i].len));
		memcpy(at, patch[i].new, patch[i].len);
	}
}

/* A function whose site is read, armed and disarmed. */
static struct {
	uint64_t slot;
	uint32_t pad, hash, entry[4];
} f __attribute__((aligned(16))) = {
	.pad = PB_RISCV64_RET,
	.entry = { PATCHBAY_RISCV64_LPAD, PB_RISCV64_NOP, PB_RISCV64_NOP },
};

static void sites(void)
{
	const uint32_t nop = PB_RISCV64_NOP;
	const struct patchbay_record record = { .gp_args = 3 };
	struct pb_site site = { .entry = (uintptr_t)f.entry,
				.site = (uintptr_t)&f.entry[1],
				.record = &record };
	const uintptr_t reach = site.site + 0x12345000;
	struct pb_patch patch[PB_PUBLISH_MAX];
	uint32_t armed[2];

	/* Before the module has stubs, the site can only be disarmed. */
	CHECK(pb_arch_site_state(&site) == PB_SITE_DISARMED);
	CHECK(pb_arch_prepare(&site) == -ERANGE);
	/* A function with 3 arguments, after a landing pad, calls stub 3. */
	CHECK(pb_riscv64_call(armed, site.site, reach + 3 * 16));
	f.entry[1] = armed[0];
	CHECK(pb_arch_site_state(&site) == -EILSEQ);
	f.entry[2] = armed[1];
	CHECK(pb_arch_site_state(&site) == -EILSEQ);
	f.entry[1] = f.entry[2] = nop;

	site.reach = (const void *)reach;
	CHECK(pb_arch_prepare(&site) == 0);
	CHECK(pb_arch_publish(&site, 0x1234, patch) == 2);
	CHECK(patch[1].addr == site.site && patch[1].len == 4);
	apply(patch, 2);
	CHECK(pb_arch_slot(site.entry) == 0x1234 && f.slot == 0x1234);
	CHECK(f.entry[1] == armed[0] && f.entry[2] == nop);
	CHECK(pb_arch_site_state(&site) == PB_SITE_DISARMED);
	CHECK(pb_arch_publish(&site, 0x1234, patch) == 0);
	CHECK(pb_arch_publish(&site, 0x1235, patch) == 1);
	CHECK(patch[0].addr == site.entry - 16);

	/* From here on only the second word changes, when arming and when disarming. */
	for (int i = 0; i < 2; i++) {
		pb_arch_flip(&site, 1, patch);
		CHECK(patch[0].addr == site.site + 4 && patch[0].len == 4);
		apply(patch, 1);
		CHECK(f.entry[1] == armed[0] && f.entry[2] == armed[1]);
		CHECK(pb_arch_site_state(&site) == PB_SITE_ARMED);
		pb_arch_flip(&site, 0, patch);
		CHECK(patch[0].addr == site.site + 4 && patch[0].len == 4);
		apply(patch, 1);
		CHECK(f.entry[1] == armed[0] && f.entry[2] == nop);
		CHECK(pb_arch_site_state(&site) == PB_SITE_DISARMED);
	}

	/* Foreign words: a call of another stub, half a call, a breakpoint. */
	f.entry[2] = armed[1] + (16 << 20);
	CHECK(pb_arch_site_state(&site) == -EILSEQ);
	f.entry[2] = armed[1];
	f.entry[1] = armed[0] + 0x1000;
	CHECK(pb_arch_site_state(&site) == -EILSEQ);
	f.entry[1] = nop;
	CHECK(pb_arch_site_state(&site) == -EILSEQ);
	f.entry[2] = nop;
	f.entry[1] = armed[0] + 0x1000;
	CHECK(pb_arch_site_state(&site) == -EILSEQ);
	f.entry[1] = 0x00100073; /* ebreak */
	CHECK(pb_arch_site_state(&site) == -EILSEQ);
	f.entry[1] = nop;
	/* An invalid site address, a missing slot, an invalid entry address. */
	site.site += 4;
	CHECK(pb_arch_site_state(&site) == -EILSEQ);
	site.site -= 4;
	f.pad = nop;
	CHECK(pb_arch_site_state(&site) == -ENOEXEC);
	f.pad = f.hash = PB_RISCV64_RET;
	site.entry += 4;
	CHECK(pb_arch_site_state(&site) == -ENOEXEC);
}

int main(void)
{
	const uintptr_t low = 64 * GB;

	sites();
	text(low, 0x1000, 0, -ENOMEM, 0);
	/*
	 * Free memory is too far below, then in reach. All modules in reach share the
	 * stubs.
	 */
	text(low, 0x1000, low - 2 * GB, -ENOMEM, 0);
	text(low, 0x1000, low - GB, 0, 1);
	text(low + GB / 2, 0x1000, low - GB, 0, 0);
	text(low - GB, GB + GB / 2, low - GB, 0, 0);
	/* Only a part of the text is in reach. */
	text(low, GB, low + 2 * GB - 0x20000, 0, 1);
	/* Free memory is above, too far and in reach. */
	text(low + 8 * GB, 0x1000, low + 10 * GB, -ENOMEM, 0);
	text(low + 8 * GB, 0x1000, low + 9 * GB, 0, 1);
	/* Text at the bottom of memory, and more text than any call reaches. */
	text(0x10000, 0x1000, 0x8000, 0, 1);
	text(low + 16 * GB, 4 * GB, low + 18 * GB, -ENOMEM, 0);
	printf("failures: %d of %d\n", failures, checks);
	return 0;
}
