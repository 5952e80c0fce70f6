// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime's way to patch text works on this system. A word of text is written through
// /proc/self/mem. When membarrier(SYNC_CORE) has returned, other threads execute the new
// word. User-mode emulators cannot run this test, because they execute earlier translations.
//
// REQUIRES: system-aarch64, system-ppc64le, system-riscv64
// RUN: %clang --target=aarch64-linux-gnu -fuse-ld=lld -static -O2 -pthread %s -o %t.aarch64
// RUN: %run_aarch64 -- %t.aarch64 | FileCheck %s
// RUN: %clang --target=powerpc64le-linux-gnu -fuse-ld=lld -static -O2 -pthread %s -o %t.ppc64le
// RUN: %run_ppc64le -- %t.ppc64le | FileCheck %s
// RUN: %clang --target=riscv64-linux-gnu -fuse-ld=lld -static -O2 -pthread %s -o %t.riscv64
// RUN: %run_riscv64 -- %t.riscv64 | FileCheck %s
// CHECK: {{^}}50 patches, all seen by 2 threads; 0 stale calls{{$}}
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define THREADS 2
#define PATCHES 50
#define SECONDS 200

// Returns 0 if the word is the nop, 1 if it is the branch.
int patched(void);
#ifdef __aarch64__
#define NOP 0xd503201f
#define BRANCH_12 0x14000003
__asm__(".text; .balign 8; .globl patched; patched: nop; mov w0, #0; ret; mov w0, #1; ret");
#elif defined(__riscv)
#define NOP 0x00000013
#define BRANCH_12 0x00c0006f
__asm__(".text; .option push; .option norvc; .option norelax; .balign 8; .globl patched;"
	"patched: nop; li a0, 0; ret; li a0, 1; ret; .option pop");
#else
#define NOP 0x60000000
#define BRANCH_12 0x4800000c
__asm__(".text; .balign 8; .globl patched; patched: nop; li 3, 0; blr; li 3, 1; blr");
#endif

static unsigned started, done;   // begun patches, and completed ones
static unsigned seen[THREADS];   // number of the last patch that the thread has executed
static unsigned stale;
static int over;

static unsigned load(unsigned *count)
{
	return __atomic_load_n(count, __ATOMIC_SEQ_CST);
}

static void *caller(void *own)
{
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		unsigned patch = load(&done);
		int result = patched();

		if (load(&started) != patch)
			continue; // a patch was written meanwhile: both results are correct
		if (result != (int)(patch & 1))
			__atomic_fetch_add(&stale, 1, __ATOMIC_RELAXED);
		else
			__atomic_store_n((unsigned *)own, patch, __ATOMIC_RELAXED);
	}
	return NULL;
}

static int all_saw(unsigned patch)
{
	for (int i = 0; i < THREADS; i++)
		if (__atomic_load_n(&seen[i], __ATOMIC_RELAXED) != patch)
			return 0;
	return 1;
}

static long membarrier(int command)
{
	return syscall(SYS_membarrier, command, 0, 0);
}

int main(void)
{
	pthread_t threads[THREADS];
	int memory = open("/proc/self/mem", O_RDWR);
	time_t end = time(NULL) + SECONDS;
	unsigned patch = 0;

	if (memory < 0 || membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE)) {
		perror("cannot patch");
		return 1;
	}
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, caller, &seen[i]);
	while (patch < PATCHES && time(NULL) < end) {
		const uint32_t word = ++patch & 1 ? BRANCH_12 : NOP;

		__atomic_store_n(&started, patch, __ATOMIC_SEQ_CST);
		if (pwrite(memory, &word, sizeof(word), (off_t)(uintptr_t)patched) != sizeof(word) ||
		    membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE)) {
			perror("cannot patch");
			return 1;
		}
		__atomic_store_n(&done, patch, __ATOMIC_SEQ_CST);
		while (!all_saw(patch) && time(NULL) < end)
			sched_yield();
	}
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%u patches, %s by %d threads; %u stale calls\n", patch,
	       all_saw(patch) ? "all seen" : "the last not seen", THREADS, stale);
	return 0;
}
