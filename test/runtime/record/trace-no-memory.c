/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program that has no address space left before its first recorded call (RLIMIT_AS)
 * continues, and the report says why its events were lost.
 */
// RUN: %build %s -o %t
// RUN: %patchbay record -t function -o %t.data -- %t 2>&1 | FileCheck %s
// CHECK: {{^}}10 calls{{$}}
// CHECK: {{^}}patchbay: warning: {{.*}}: 10 events were lost: the file could not grow: Cannot allocate memory{{$}}

#include "../Inputs/check.h"

#include <stdio.h>
#include <sys/resource.h>

OPAQUE int traced(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

__attribute__((no_profile_instrument_function)) int main(void)
{
	const struct rlimit none = { 4096, 4096 };
	int nr = 0;

	/* Let stdio allocate its buffer first. */
	printf("%s", "");
	setvbuf(stdout, NULL, _IOLBF, 0);
	CHECK(!setrlimit(RLIMIT_AS, &none));
	while (nr < 10)
		nr = traced(nr);
	printf("%d calls\n", nr);
	return 0;
}
