/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A process that ends too early to measure the counter's rate uses the rate measured by
 * `patchbay record`. The process refuses impossible rates.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link
// RUN: cd %t && %patchbay record -t function_duration -- ./prog
// RUN: %patchbay info %t/patchbay.data | FileCheck %s
// CHECK: MHz +-{{[1-9][0-9]?}} ppm
// RUN: %python %S/../Inputs/wrong-clocks.py %patchbay %t/patchbay.data %t/wrong %patchbay_lib/libpatchbay-trace.so %t/prog | FileCheck %s --check-prefix=WRONG
// WRONG: 3 wrong clocks, none believed
#include "../Inputs/check.h"

#include <time.h>

int main(int argc, char **argv)
{
	const struct timespec wait = { .tv_nsec = 20000000 };

	(void)argv;
	if (argc > 1)
		nanosleep(&wait, NULL);
	return 0;
}
