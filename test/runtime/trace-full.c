/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * When there is no more space for the data file, recording stops and the program
 * goes on: what was recorded is there, and what is missing is counted.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link
/* A limit that would kill the program if it wrote behind it. */
// RUN: cd %t && prlimit --fsize=300000 %patchbay record -p function -F step -- ./prog 2> %t/err
// RUN: FileCheck %s --check-prefix=RECORD < %t/err
// RECORD: {{^}}patchbay: warning: 1 process recorded in patchbay.data, but in it some functions were not traced, see it with: patchbay report{{$}}
// RUN: not %patchbay dump --csv %t/patchbay.data > %t/csv 2> %t/err
// RUN: FileCheck %s -DWHY="File too large" < %t/err
// CHECK: {{^}}patchbay: warning: {{.*}}.pbd: process {{[0-9]+}} ({{.*}}prog): some functions were not traced: [[WHY]]{{$}}
// CHECK: {{^}}patchbay: warning: {{.*}}data: [[#LOST:]] events were lost, because a buffer was full or the disk was: 'patchbay record' takes --buffer, --threshold and --overwrite{{$}}
// RUN: %python %S/Inputs/count-lost.py 100000 %t/err %t/csv

#include "Inputs/check.h"

OPAQUE void step(void)
{
	__asm__ volatile("");
}

int main(void)
{
	for (int i = 0; i < 100000; i++)
		step();
	return 0;
}
