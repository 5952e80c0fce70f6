/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Arming is safe if random bits of records and text are flipped, or if several records
 * describe one function. Arming succeeds, and the functions' results are correct, or it
 * returns an error and changes nothing. The process never crashes.
 *
 *	flips [ROUNDS [SEED]]
 */
// RUN: %build %s -o %t %link
// RUN: timeout -s KILL 600 %t 20000 | FileCheck %s
// CHECK: {{^}}records: {{[1-9][0-9]*}} armed, {{[1-9][0-9]*}} refused{{$}}
// CHECK: {{^}}text: {{[1-9][0-9]*}} armed, {{[1-9][0-9]*}} refused{{$}}

#include "../Inputs/check.h"
#include "../Inputs/module.h"
#include "../Inputs/count-calls.h"

#include <patchbay/patchbay.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* The functions have no arguments, so any number of saved registers is correct. */
#define F(n) OPAQUE static int f##n(void) { return n; }
F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)
enum { NR = 8 };
static int (*const functions[NR])(void) = { f0, f1, f2, f3, f4, f5, f6, f7 };

#if defined(__x86_64__)
#define SITE_SIZE 7
#elif defined(__aarch64__)
#define SITE_SIZE 8
#elif defined(__powerpc64__)
#define SITE_SIZE 4
#elif defined(__riscv)
#define SITE_SIZE 8
#endif

/* A module with these functions and writable records. */
static struct patchbay_record records[NR], good[NR];
static struct patchbay_module module;
static struct patchbay_state state;

static unsigned int random_state;
static int mem;

static unsigned int random_below(unsigned int n)
{
	random_state = random_state * 1103515245 + 12345;
	return (random_state >> 16) % n;
}

/* Makes @to a copy of the record @from; @to may have any address. */
static void copy_record(struct patchbay_record *to,
			const struct patchbay_record *from)
{
	intptr_t moved = (intptr_t)from - (intptr_t)to;

	*to = *from;
	to->entry += (int32_t)moved;
	to->site += (int32_t)moved;
}

static int take(const struct patchbay_site_info *site, void *arg)
{
	(void)arg;
	for (int i = 0; i < NR; i++) {
		if (site->entry != (uintptr_t)functions[i])
			continue;
		records[i] = *site->record;
		records[i].entry = (int32_t)(site->entry - (uintptr_t)&records[i].entry);
		records[i].site = (int32_t)(site->site - (uintptr_t)&records[i].site);
	}
	return 0;
}

static void make_module(void)
{
	CHECK_EQ(patchbay_for_each_site(take, NULL), 0);
	CHECK_EQ(patchbay_module_unregister(&__patchbay_module), 0);
	make_module_like_ours(&module, &state);
	module.sites_start = (intptr_t)records - (intptr_t)&module.sites_start;
	module.sites_stop =
		(intptr_t)(records + NR) - (intptr_t)&module.sites_stop;
	memcpy(good, records, sizeof(good));
}

/* kCFI's check is off, because the functions' hashes may have been flipped. */
__attribute__((no_sanitize("kcfi"))) static void call_all(void)
{
	calls = 0;
	for (int i = 0; i < NR; i++)
		CHECK_EQ(functions[i](), i);
}

static void flip_records(struct patchbay_ops *ops, long result[2])
{
	int nr, twins;

	for (unsigned int flips = random_below(3); flips--;)
		((unsigned char *)records)[random_below(sizeof(records))] ^=
			1 << random_below(8);
	/* Two records describe one function. The function is armed once. */
	twins = !random_below(4);
	if (twins)
		copy_record(&records[random_below(NR)],
			    &records[random_below(NR)]);
	nr = patchbay_arm(ops, "*", 0);
	CHECK(nr == NR || (twins && nr == NR - 1) || nr == -EILSEQ);
	call_all();
	if (nr > 0) {
		CHECK_EQ(calls, nr);
		CHECK_EQ(patchbay_disarm(ops, "*"), nr);
		call_all();
	}
	CHECK_EQ(calls, 0);
	result[nr > 0]++;
	memcpy(records, good, sizeof(good));
}

static unsigned char poke(uintptr_t addr, unsigned char byte)
{
	unsigned char old = *(volatile unsigned char *)addr;

	CHECK_EQ(pwrite(mem, &byte, 1, (off_t)addr), 1);
	return old;
}

static void flip_text(struct patchbay_ops *ops, long result[2])
{
	const struct patchbay_record *record = &records[random_below(NR)];
	unsigned int which = random_below(PATCHBAY_PREFIX_SIZE + SITE_SIZE);
	unsigned char byte, flipped;
	uintptr_t at;
	int nr;

	if (which < SITE_SIZE)
		at = (uintptr_t)&record->site + (uintptr_t)record->site + which;
	else
		at = (uintptr_t)&record->entry + (uintptr_t)record->entry -
		     (which - SITE_SIZE + 1);
	byte = *(volatile unsigned char *)at;
	flipped = byte ^ (unsigned char)(1 << random_below(8));
	poke(at, flipped);
	nr = patchbay_arm(ops, "*", 0);
	CHECK(nr == NR || nr == -EILSEQ);
	if (nr == NR) {
		call_all();
		CHECK_EQ(calls, NR);
		CHECK_EQ(patchbay_disarm(ops, "*"), NR);
	} else {
		CHECK_EQ(poke(at, byte), flipped);
	}
	call_all();
	CHECK_EQ(calls, 0);
	result[nr > 0]++;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1000;
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = handler };
	long of_records[2] = { 0, 0 }, of_text[2] = { 0, 0 };
	struct patchbay_ops *ops;

	random_state = argc > 2 ? (unsigned int)atol(argv[2]) : 1;
	mem = open("/proc/self/mem", O_RDWR);
	CHECK(mem >= 0);
	make_module();
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	for (long i = 0; i < rounds; i++) {
		CHECK_EQ(patchbay_module_register(&module), 0);
		flip_records(ops, of_records);
		/*
		 * Register again, because cached facts about the records are outdated.
		 */
		CHECK_EQ(patchbay_module_unregister(&module), 0);
		CHECK_EQ(patchbay_module_register(&module), 0);
		flip_text(ops, of_text);
		CHECK_EQ(patchbay_module_unregister(&module), 0);
	}
	printf("records: %ld armed, %ld refused\n", of_records[1], of_records[0]);
	printf("text: %ld armed, %ld refused\n", of_text[1], of_text[0]);
	return 0;
}
