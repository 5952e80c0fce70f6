/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * All calls of threads made by clone(2) are recorded. Their thread-local storage
 * contains zeros. The second thread's storage does not even point to the thread, so
 * pthread_self() is NULL there.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link
// RUN: %patchbay record -F traced -t function -o %t/function -- %t/prog | FileCheck %s
// RUN: %patchbay report -f calls,name %t/function | FileCheck %s --check-prefix=CALLS
// RUN: %patchbay record -F traced -t function_duration -o %t/duration -- %t/prog \
// RUN:     | FileCheck %s
// RUN: %patchbay report -f calls,name %t/duration | FileCheck %s --check-prefix=CALLS
// RUN: %patchbay record -F traced -t function_graph -o %t/graph -- %t/prog | FileCheck %s
// RUN: %patchbay report -f calls,name %t/graph | FileCheck %s --check-prefix=CALLS
// RUN: %patchbay record -F traced -t function_graph --no-sleep-time \
// RUN:     -o %t/awake -- %t/prog | FileCheck %s
// RUN: %patchbay report -f calls,name %t/awake | FileCheck %s --check-prefix=CALLS
// RUN: %patchbay record -F traced -t count -o %t/count -- %t/prog | FileCheck %s
// RUN: %patchbay report -f calls,name %t/count | FileCheck %s --check-prefix=CALLS
// RUN: %patchbay record -F traced --depth 1 -o %t/depth -- %t/prog | FileCheck %s
// RUN: %patchbay report -f calls,name %t/depth | FileCheck %s --check-prefix=CALLS
// CHECK: threads ended
// CALLS: {{^ *}}200 traced{{$}}

#include "../Inputs/check.h"

#include <linux/futex.h>
#include <sched.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STORAGE_SIZE (256 * 1024) /* PTHREAD_SIZE bytes follow the thread pointer */
#define PTHREAD_SIZE 8192
#define STACK_SIZE (1024 * 1024)

static volatile uint64_t sum;

OPAQUE void traced(void)
{
	sum += 1;
}

static int run(void *arg)
{
	for (int i = 0; i < 100; i++)
		traced();
	return arg != NULL;
}

static void make_thread(int has_self)
{
	char *memory = mmap(NULL, STORAGE_SIZE + STACK_SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *pointer = memory + STORAGE_SIZE - PTHREAD_SIZE;
	static uint32_t id;

	CHECK(memory != MAP_FAILED);
	/* The psABI's thread control block starts with its own address. */
	*(char **)pointer = pointer;
	if (has_self)
		((char **)pointer)[2] = pointer;
	__atomic_store_n(&id, 1, __ATOMIC_SEQ_CST);
	CHECK(clone(run, memory + STORAGE_SIZE + STACK_SIZE,
		    CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			    CLONE_SYSVSEM | CLONE_SETTLS | CLONE_CHILD_CLEARTID,
		    NULL, NULL, pointer, &id) > 0);
	while (__atomic_load_n(&id, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &id, FUTEX_WAIT, 1, NULL);
}

int main(void)
{
	make_thread(1);
	make_thread(0);
	puts("threads ended");
	return 0;
}
