/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * If the data file cannot grow, the recording stops and the program continues. Recorded
 * calls can be read, and missing ones are counted.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link
/* A write beyond RLIMIT_FSIZE would kill the program. */
// RUN: cd %t && prlimit --fsize=300000 %patchbay record -t function -F step -- ./prog 2> %t/err
// RUN: FileCheck %s --check-prefix=SAID -DWHY="File too large" < %t/err
// SAID: {{^}}patchbay: warning: patchbay.data: {{[0-9]+}} events were lost: a buffer or the disk was full: record with --buffer, --threshold or --overwrite{{$}}
// SAID-NEXT: {{^}}patchbay: warning: patchbay.data: the disk had no space left for the file: [[WHY]]; earlier events are kept; to record less, use --threshold, --overwrite or --buffer{{$}}
// SAID-NEXT: {{^}}patchbay: 1 process recorded in patchbay.data, see it with: patchbay report{{$}}
// RUN: not %patchbay dump --csv %t/patchbay.data > %t/csv 2> %t/err
// RUN: FileCheck %s -DWHY="File too large" < %t/err
// CHECK: {{^}}patchbay: warning: {{.*}}.pbd: process {{[0-9]+}} ({{.*}}prog): the disk had no space left for the file: [[WHY]]; earlier events are kept{{$}}
// CHECK: {{^}}patchbay: warning: {{.*}}data: [[#LOST:]] events were lost: a buffer or the disk was full: record with --buffer, --threshold or --overwrite{{$}}
// RUN: %python %S/../Inputs/count-lost.py 100000 %t/err %t/csv
// RUN: not %patchbay info %t/patchbay.data 2>&1 | FileCheck %s -DWHY="File too large"

#include "../Inputs/check.h"

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
