/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Limits the instructions of a recorded call: of an empty function, and of one that
 * returns a floating-point number. The counts include the caller's loop. The script has
 * a limit for each count, to detect a rise.
 */
// REQUIRES: valgrind, host-x86_64
// RUN: %build %s -o %t %link
// RUN: %python %S/../Inputs/call-instructions.py %patchbay_source %patchbay_lib/libpatchbay-trace.so %t | FileCheck %s
// CHECK: {{^}}count {{ *}}int {{[0-9.]+}}, double {{[0-9.]+}}{{$}}
// CHECK-NEXT: {{^}}entry {{ *}}int {{[0-9.]+}}, double {{[0-9.]+}}{{$}}
// CHECK-NEXT: {{^}}duration {{ *}}int {{[0-9.]+}}, double {{[0-9.]+}}{{$}}
// CHECK-NEXT: {{^}}dropped {{ *}}int {{[0-9.]+}}, double {{[0-9.]+}}{{$}}
// CHECK-NEXT: {{^}}graph {{ *}}int {{[0-9.]+}}, double {{[0-9.]+}}{{$}}
// CHECK-NEXT: {{^}}none has risen{{$}}

#include "../Inputs/check.h"

#define NOT_TRACED __attribute__((noinline, no_profile_instrument_function))

__attribute__((noinline)) void give_nothing(void)
{
	__asm__ volatile("");
}

__attribute__((noinline)) double give_double(void)
{
	double zero;

	__asm__ volatile("xorps %0, %0" : "=x"(zero));
	return zero;
}

/* The script counts the instructions of each call of make_calls(). */
NOT_TRACED void make_calls(int of_double, int calls)
{
	for (int i = 0; i < calls; i++)
		if (of_double)
			__asm__ volatile("" ::"x"(give_double()));
		else
			give_nothing();
}

int main(void)
{
	for (int calls = 2000; calls <= 4000; calls += 2000) {
		make_calls(0, calls);
		make_calls(1, calls);
	}
	return 0;
}
