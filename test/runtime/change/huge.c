/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Text in huge pages can be armed during calls. The text stays in huge pages, and is never
 * writable. Like some servers, the test copies text to anonymous memory at the same address.
 */
// RUN: %build %s -o %t %link
// RUN: timeout -s KILL 600 %t | FileCheck %s
// CHECK: {{^}}{{done|skipped: .*}}{{$}}

#include "../Inputs/check.h"
#include "../Inputs/count-calls.h"

#include <patchbay/patchbay.h>

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

/* The text is as large as a huge page and has an aligned address. */
#define HUGE (2ul << 20)
#define IN_HUGE __attribute__((section(".text.huge"), noinline, optnone))
__asm__(".section .text.huge, \"ax\", @progbits\n"
	".p2align 21\n"
	"huge_start: .skip 4096\n"
	".section .text.huge_end, \"ax\", @progbits\n"
	".p2align 21\n"
	"huge_end: .skip 16\n");
IN_HUGE static int grape(int a) { return a + 1; }
IN_HUGE static int grapefruit(int a, int b) { return a * b; }
extern char huge_start[], huge_end[];

static atomic_int stop;
/* Returns the kilobytes of the range in huge pages, and checks its protection. */
static long huge_kilobytes(void)
{
	FILE *smaps = fopen("/proc/self/smaps", "r");
	long kilobytes = 0, of_huge = 0;
	unsigned long start, end;
	char line[512], mode[8];
	int here = 0;

	CHECK(smaps);
	while (fgets(line, sizeof(line), smaps)) {
		if (sscanf(line, "%lx-%lx %4s", &start, &end, mode) == 3) {
			here = start < (unsigned long)huge_end &&
			       end > (unsigned long)huge_start;
			CHECK(!here || !strcmp(mode, "r-xp"));
		}
		if (here && sscanf(line, "AnonHugePages: %ld", &kilobytes) == 1)
			of_huge += kilobytes;
	}
	fclose(smaps);
	return of_huge;
}

static int remap_to_huge(void)
{
	size_t size = (size_t)(huge_end - huge_start);
	void *copy = malloc(size);

	CHECK(size == HUGE && !((uintptr_t)huge_start % HUGE));
	CHECK((char *)(uintptr_t)grape > huge_start &&
	      (char *)(uintptr_t)grapefruit < huge_end);
	memcpy(copy, huge_start, size);
	CHECK(mmap(huge_start, size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		   0) == huge_start);
	madvise(huge_start, size, MADV_HUGEPAGE);
	memcpy(huge_start, copy, size);
#ifdef MADV_COLLAPSE
	madvise(huge_start, size, MADV_COLLAPSE);
#endif
	CHECK_EQ(mprotect(huge_start, size, PROT_READ | PROT_EXEC), 0);
	__builtin___clear_cache(huge_start, huge_end);
	free(copy);
	return huge_kilobytes() == HUGE / 1024;
}

static void *caller(void *arg)
{
	while (!stop) {
		CHECK_EQ(grape(3), 4);
		CHECK_EQ(grapefruit(3, 4), 12);
	}
	return arg;
}

int main(void)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = handler };
	struct patchbay_ops *ops;
	pthread_t thread;
	int huge = remap_to_huge();

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_arm(ops, "grape*", 0), 2);
	CHECK_EQ(grape(3), 4);
	CHECK_EQ(grapefruit(3, 4), 12);
	CHECK_EQ(calls, 2);
	pthread_create(&thread, NULL, caller, NULL);
	for (int i = 0; i < 2000; i++) {
		CHECK_EQ(patchbay_disarm(ops, "grape*"), 2);
		CHECK_EQ(patchbay_arm(ops, "grape*", 0), 2);
	}
	stop = 1;
	pthread_join(thread, NULL);
	CHECK(huge_kilobytes() == HUGE / 1024 || !huge);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	calls = 0;
	CHECK_EQ(grape(3), 4);
	CHECK_EQ(calls, 0);
	puts(huge ? "done" : "skipped: the kernel gives no huge pages");
	return 0;
}
