/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A thread holds the loader's lock for long. The process answers commands all the same.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog
// RUN: %python %S/Inputs/while-running.py env LD_PRELOAD=%patchbay_lib/libpatchbay-trace.so PATCHBAY=tracer=function_profile,filter=traced,live=1,output=%t %t/prog -- %patchbay live -p PID --disarm traced | FileCheck %s
// CHECK: 0 functions
#include "Inputs/check.h"

#include <link.h>
#include <stdio.h>
#include <unistd.h>

OPAQUE void traced(void) {}

static int hold(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)info;
	(void)size;
	(void)arg;
	/* Longer than the time between two looks of the listening thread. */
	sleep(2);
	puts("held");
	fflush(stdout);
	pause();
	return 1;
}

int main(void)
{
	traced();
	dl_iterate_phdr(hold, NULL);
	return 0;
}
