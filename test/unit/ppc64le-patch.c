/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ppc64le: sites are read and changed, and get the right sequences; memory for
 * sequences is requested at the right addresses. No code is executed, so the test runs
 * on any host: addresses are only numbers.
 */
// RUN: %clang -std=c11 -DPB_LIBC_MEMORY -D_GNU_SOURCE -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover %s -I %S/Inputs -I %patchbay_include -I %patchbay_source/runtime/core -o %t
// RUN: %t | FileCheck %s
// CHECK: {{^}}failures: 0 of 129{{$}}

#include "arch/mapped_reach.c"
#include "arch/sequences.c"

#include "arch/ppc64le/patch.c"

#include "table.h"

#define MB 0x100000ul
#define NR 5000

const char pb_arch_trampolines[3 * PB_TRAMPOLINE_SIZE];

/* The address of free memory: the system makes areas there, one above the other. */
static uintptr_t gap[2];
static int nr_mapped, nr_unmapped, failure;

void *pb_os_map_code(uintptr_t low, uintptr_t high, const void *code,
		     size_t size, int *error)
{
	uint32_t veneer[PB_PPC64_VENEER_WORDS];

	pb_ppc64_veneer(veneer);
	CHECK(!memcmp(code, veneer, sizeof(veneer)) && size == PB_PLACE_SIZE);
	*error = failure ? failure : -ENOMEM;
	for (int i = 0; i < 2 && !failure; i++) {
		uintptr_t here = gap[i];

		if (!here || here < low || here + size > high)
			continue;
		*error = 0;
		gap[i] += size;
		nr_mapped++;
		return (void *)here;
	}
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

static struct patchbay_record records[NR];

static struct pb_site site_at(void *reach, size_t i, uintptr_t addr)
{
	const struct pb_module module = { .reach = reach };

	return (struct pb_site){ .entry = addr, .site = addr,
				 .record = &records[i],
				 .reach = pb_arch_reach(&module, &records[i]) };
}

/* Returns the sequence of record @i with a site at @addr, or an error. */
static intptr_t sequence_for(void *reach, size_t i, uintptr_t addr)
{
	struct pb_site site = site_at(reach, i, addr);
	int error = *sequence_of(&site) ? 0 : take_sequence(&site);

	return error ? error : (intptr_t)*sequence_of(&site);
}

/* Registers text of @size MB from @low on. */
static void *text(struct pb_module *module, uintptr_t low, uintptr_t size)
{
	void *reach;
	int error = 1;

	*module = (struct pb_module){ .records = records, .nr = NR, .low = low,
				      .high = low + size * MB };
	nr_mapped = nr_unmapped = 0;
	reach = pb_arch_map_reach(module, &error);
	CHECK(reach && !error && !nr_mapped);
	return reach;
}

/* Tests areas at the ends of a branch's reach, and beyond. */
static void edges(void)
{
	const uintptr_t site = 1024 * MB, step = 4096;
	const uintptr_t ends[] = { site - 32 * MB, site + 32 * MB - PB_PLACE_SIZE };
	uint32_t code[PB_PPC64_SEQUENCE_WORDS], word;
	struct pb_module module;

	for (int i = 0; i < 2; i++) {
		void *reach = text(&module, site, 0);

		gap[0] = ends[i] + (i ? step : -step);
		CHECK(sequence_for(reach, 0, site) == -ENOMEM);
		gap[0] = ends[i];
		CHECK(sequence_for(reach, 0, site) == (intptr_t)ends[i] + 40);
		/* The first and the last sequence that the area can serve. */
		for (uintptr_t at = ends[i] + 40; at < ends[i] + PB_PLACE_SIZE;
		     at += 1636 * 40)
			CHECK_ROW(i, pb_ppc64_b(&word, site, at) &&
					     pb_ppc64_sequence(code, at, ends[i],
							       site, 0, 0));
		pb_arch_unmap_reach(reach);
	}
}

static void from_places(void)
{
	const uintptr_t low = 1024 * MB;
	struct pb_module module;
	struct pb_site site;
	intptr_t first, next;
	void *reach;

	/*
	 * Sequences are allocated one after the other when needed. The veneer is the
	 * first.
	 */
	gap[0] = low - MB;
	reach = text(&module, low, 1);
	first = sequence_for(reach, 7, low + 64);
	CHECK(first == (intptr_t)(low - MB + 40));
	CHECK(sequence_for(reach, 3, low) == first + 40);
	CHECK(sequence_for(reach, 7, low + 64) == first);
	CHECK(nr_mapped == 1);
	/* The area is full, so the next one is used. */
	for (size_t i = 10; i < 10 + 1635; i++)
		sequence_for(reach, i, low + 64 * i);
	CHECK(nr_mapped == 1);
	next = sequence_for(reach, 4000, low);
	CHECK(nr_mapped == 2 && next == first + (intptr_t)PB_PLACE_SIZE);
	/* Each sequence uses the veneer of its area. */
	site = site_at(reach, 7, low + 64);
	CHECK(place_of(&site) == (uintptr_t)first - 40);
	site = site_at(reach, 4000, low);
	CHECK(place_of(&site) == (uintptr_t)next - 40);
	pb_arch_unmap_reach(reach);
	CHECK(nr_unmapped == 2);

	/* Without memory nothing changes, and a later attempt may succeed. */
	reach = text(&module, low, 1);
	gap[0] = 0;
	CHECK(sequence_for(reach, 0, low) == -ENOMEM);
	failure = -EMFILE;
	CHECK(sequence_for(reach, 0, low) == -EMFILE);
	failure = 0;
	gap[0] = low - 8 * MB;
	CHECK(sequence_for(reach, 0, low) == (intptr_t)(low - 8 * MB + 40));
	pb_arch_unmap_reach(reach);

	/* One area reaches all of 30 MB of text, but only one half of 60 MB. */
	gap[0] = low - MB;
	gap[1] = low + 30 * MB;
	reach = text(&module, low, 30);
	first = sequence_for(reach, 0, low);
	CHECK(sequence_for(reach, 1, low + 30 * MB - 4) == first + 40);
	CHECK(nr_mapped == 1);
	pb_arch_unmap_reach(reach);
	gap[0] = low - MB;
	gap[1] = low + 60 * MB;
	reach = text(&module, low, 60);
	CHECK(sequence_for(reach, 0, low) == (intptr_t)(low - MB + 40));
	CHECK(sequence_for(reach, 1, low + 59 * MB) ==
	      (intptr_t)(low + 60 * MB + 40));
	CHECK(sequence_for(reach, 2, low + 27 * MB) ==
	      (intptr_t)(low - MB + 80));
	CHECK(nr_mapped == 2);
	pb_arch_unmap_reach(reach);
	CHECK(nr_unmapped == 2);
	/* In the middle of a longer text there is no free memory. */
	gap[0] = low - MB;
	gap[1] = low + 80 * MB;
	reach = text(&module, low, 80);
	CHECK(sequence_for(reach, 0, low + 40 * MB) == -ERANGE);
	CHECK(sequence_for(reach, 0, low + 16 * MB) ==
	      (intptr_t)(low - MB + 40));
	gap[1] = 0;
	CHECK(sequence_for(reach, 1, low + 79 * MB) == -ENOMEM);
	pb_arch_unmap_reach(reach);
	/* There is no free memory below the lowest address. */
	gap[0] = 2 * MB;
	reach = text(&module, 4 * MB, 1);
	CHECK(sequence_for(reach, 0, 4 * MB) == (intptr_t)(2 * MB + 40));
	pb_arch_unmap_reach(reach);
	pb_arch_unmap_reach(NULL);
}

/* Modules close to each other share an area as long as one of them is loaded. */
static void shared(void)
{
	const uintptr_t low = 1024 * MB;
	struct pb_module module[3];
	struct pb_site site;
	intptr_t first, next;
	void *reach[3];

	gap[0] = low - MB;
	gap[1] = low + 80 * MB;
	for (int i = 0; i < 2; i++)
		reach[i] = text(&module[i], low + (uintptr_t)i * MB, 1);
	first = sequence_for(reach[0], 0, low);
	CHECK(sequence_for(reach[1], 0, low + MB) == first + 40);
	CHECK(sequence_for(reach[0], 1, low + 4) == first + 80);
	CHECK(nr_mapped == 1);
	site = site_at(reach[1], 0, low + MB);
	CHECK(place_of(&site) == (uintptr_t)first - 40);
	/*
	 * An unloaded module leaves its sequences unused, because threads may be
	 * executing them.
	 */
	pb_arch_unmap_reach(reach[0]);
	CHECK(nr_unmapped == 0);
	CHECK(sequence_for(reach[1], 1, low + MB + 4) == first + 120);
	/* A module out of reach gets other sequences. */
	reach[2] = text(&module[2], low + 81 * MB, 1);
	next = sequence_for(reach[2], 0, low + 81 * MB);
	CHECK(next == (intptr_t)(low + 80 * MB + 40) && nr_mapped == 1);
	CHECK(sequence_for(reach[1], 2, low + MB + 8) == first + 160);
	pb_arch_unmap_reach(reach[1]);
	CHECK(nr_unmapped == 1);
	pb_arch_unmap_reach(reach[2]);
	CHECK(nr_unmapped == 2 && !places);
}

/* A function whose site is read, armed and disarmed, and the area for its sequence. */
static struct {
	uint64_t slot;
	uint32_t pad, hash, entry[4];
} f __attribute__((aligned(8))) = {
	.pad = PB_PPC64_BLR,
	.entry = { 0x3c4c0002, 0x38428000, PB_PPC64_NOP, PB_PPC64_BLR },
};
static uint32_t place[PB_PLACE_SIZE / 4] __attribute__((aligned(32)));

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

static void sites(void)
{
	struct pb_module module;
	struct pb_patch patch[PB_PUBLISH_MAX];
	uint32_t sequence[PB_PPC64_SEQUENCE_WORDS], armed;
	const uint32_t nop = PB_PPC64_NOP;
	struct pb_site site;
	int nr;
	void *reach;

	gap[0] = (uintptr_t)place;
	reach = text(&module, (uintptr_t)&f, 1);
	site = site_at(NULL, 9, (uintptr_t)&f.entry[0]);
	site.site += 8;
	/* First the module has no sequences, then the site has none. */
	CHECK(pb_arch_site_state(&site) == PB_SITE_DISARMED);
	f.entry[2] = 0x48000100;
	CHECK(pb_arch_site_state(&site) == -EILSEQ);
	site.reach = reach;
	CHECK(pb_arch_site_state(&site) == -EILSEQ);
	f.entry[2] = nop;

	CHECK(pb_arch_prepare(&site) == 0 && nr_mapped == 1);
	nr = pb_arch_publish(&site, 0x1234, patch);
	CHECK(nr == PB_PUBLISH_MAX);
	apply(patch, nr);
	CHECK(pb_arch_slot(site.entry) == 0x1234);
	CHECK(pb_ppc64_sequence(sequence, (uintptr_t)&place[10],
				(uintptr_t)place, site.site, site.entry,
				(uintptr_t)pb_arch_trampolines));
	CHECK(!memcmp(&place[10], sequence, sizeof(sequence)));
	CHECK(pb_arch_publish(&site, 0x1234, patch) == 0);
	/* For another cell only the slot changes. A half-done change is completed. */
	CHECK(pb_arch_publish(&site, 0x5678, patch) == 1);
	CHECK(patch[0].addr == (uintptr_t)&f.slot && patch[0].new[0] == 0x78);
	place[12] = place[13] = 0;
	nr = pb_arch_publish(&site, 0x1234, patch);
	CHECK(nr == 1 && patch[0].addr == (uintptr_t)&place[12]);
	apply(patch, nr);
	CHECK(!memcmp(&place[10], sequence, sizeof(sequence)));
	/* Foreign bytes are never overwritten. */
	place[10] ^= 1;
	nr = pb_arch_publish(&site, 0x1234, patch);
	CHECK(nr == 1 && memcmp(patch[0].old, &place[10], 8));
	place[10] ^= 1;

	CHECK(pb_ppc64_b(&armed, site.site, (uintptr_t)&place[10]));
	pb_arch_flip(&site, 1, patch);
	CHECK(patch[0].addr == site.site && patch[0].len == 4);
	CHECK(!memcmp(patch[0].old, &nop, 4) &&
	      !memcmp(patch[0].new, &armed, 4));
	apply(patch, 1);
	CHECK(pb_arch_site_state(&site) == PB_SITE_ARMED);
	pb_arch_flip(&site, 0, patch);
	CHECK(!memcmp(patch[0].old, &armed, 4) &&
	      !memcmp(patch[0].new, &nop, 4));
	/* A foreign branch, and a bl, which also counts as foreign. */
	f.entry[2] = armed + 32;
	CHECK(pb_arch_site_state(&site) == -EILSEQ);
	f.entry[2] = armed | 1;
	CHECK(pb_arch_site_state(&site) == -EILSEQ);
	f.entry[2] = nop;
	/* A site without a slot, and an entry at an invalid address. */
	f.pad = nop;
	CHECK(pb_arch_site_state(&site) == -ENOEXEC);
	f.pad = f.hash = PB_PPC64_BLR;
	f.entry[1] = nop;
	site.entry = site.site = (uintptr_t)&f.entry[1];
	CHECK(pb_arch_site_state(&site) == -ENOEXEC);
	pb_arch_unmap_reach(reach);
}

int main(void)
{
	sites();
	edges();
	from_places();
	shared();
	CHECK(trampoline_of(0, 0) == 0 && trampoline_of(2, 0) == 0);
	CHECK(trampoline_of(3, 0) == 256 && trampoline_of(4, 0) == 256);
	CHECK(trampoline_of(5, 0) == 512 && trampoline_of(8, 0) == 512);
	CHECK(trampoline_of(1, PATCHBAY_RECORD_VARIADIC) == 512);
	CHECK(trampoline_of(1, PATCHBAY_RECORD_UNKNOWN_ARGS) == 512);
	printf("failures: %d of %d\n", failures, checks);
	return 0;
}
