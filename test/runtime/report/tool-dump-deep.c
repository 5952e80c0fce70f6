/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * For stacks of a deep recursion, `dump` prints at most 1,000 frames each, and does not
 * keep the whole stacks in memory.
 */
// RUN: %build %s -o %t
// RUN: %patchbay record -t function_graph -o %t.data -- %t
// RUN: sh -c 'ulimit -v 1000000; exec %patchbay dump --folded -i %t.data' > %t.folded
// RUN: awk '{ n = gsub(";", ";"); if (n > most) most = n } /;[.][.][.] / { cut++ } END { print NR, "lines", most, "deep", cut, "cut" }' %t.folded | FileCheck %s
// CHECK: {{^}}1001 lines 1001 deep 1 cut{{$}}

#include "../Inputs/check.h"

#include "../Inputs/take-time.h"

OPAQUE int recurse(int n)
{
	take_time();
	return n ? recurse(n - 1) + 1 : 0;
}

int main(void)
{
	return recurse(8000) != 8000;
}
