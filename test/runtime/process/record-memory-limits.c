/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program can limit or lock its own memory while it is recorded. The memory shared
 * with `patchbay record`, and the data file, do not use up the limit.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog
// RUN: %t/prog | FileCheck %s
// RUN: %patchbay record -t function -o %t/data -- %t/prog | FileCheck %s
// RUN: %patchbay report -i %t/data | FileCheck %s --check-prefix=REPORT
// RUN: %patchbay record -t function --live -o %t/data -- %t/prog | FileCheck %s
// RUN: %patchbay record -t function --max-size 1G -o %t/data -- %t/prog | FileCheck %s
// CHECK: {{^}}limited: malloc 1{{$}}
// CHECK-NEXT: {{^}}locked: mlockall 0, memory 1 1{{$}}
// REPORT: {{^ *}}600000 step 

#include "../Inputs/check.h"

#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MB (1 << 20)

OPAQUE void step(void)
{
	__asm__ volatile("");
}

static void calls(int nr)
{
	for (int i = 0; i < nr; i++)
		step();
}

static void limit(int resource, rlim_t limit)
{
	const struct rlimit both = { limit, limit };

	CHECK(!setrlimit(resource, &both));
}

static void limited(void)
{
	void *volatile memory;

	calls(100000);
	limit(RLIMIT_AS, 48 * MB);
	memory = malloc(16 * MB);
	printf("limited: malloc %d\n", !!memory);
}

static int has_more(void)
{
	return mmap(NULL, 2 * MB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
	       MAP_FAILED;
}

/* RLIMIT_MEMLOCK does not limit privileged processes. */
static void locked(void)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2] = { { 0 } };
	int result, more[2];

	calls(100000);
	limit(RLIMIT_MEMLOCK, 8 * MB);
	CHECK(!syscall(SYS_capset, &header, data));
	result = mlockall(MCL_FUTURE);
	for (int i = 0; i < 2; i++) {
		calls(200000);
		more[i] = has_more();
	}
	printf("locked: mlockall %d, memory %d %d\n", result, more[0], more[1]);
}

int main(void)
{
	if (!fork()) {
		limited();
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
	locked();
	return 0;
}
