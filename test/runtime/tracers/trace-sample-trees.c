/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * --sample chooses among outermost calls and records all calls inside the chosen ones,
 * so that self times and trees are right. After a longjmp() out of a call, the next
 * call is an outermost one again.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link
// DEFINE: %{by} = -N main -N run
// DEFINE: %{report} = cd %t && %patchbay record -t duration --sample 1/7 %{by} -- ./prog && %patchbay report -s name -f made,calls,name
// RUN: %{report} | FileCheck %s --match-full-lines
// CHECK:      made  calls  function
// CHECK-NEXT:  700    100  handle
// CHECK-NEXT:    7      1  jump
// CHECK-NEXT:  700    100  parse
// CHECK-NEXT: 2100    300  token
/* handle() only calls other functions, so its self time is short. */
// RUN: cd %t && %patchbay graph | FileCheck %s --check-prefix=TREE --strict-whitespace
// TREE:      {{[mu]s +100  handle$}}
// TREE-NEXT: {{[mu]s +100    parse$}}
// TREE-NEXT: {{[mu]s +300      token$}}
// REDEFINE: %{by} = -t graph -N main -N run
// RUN: %{report} | FileCheck %s --match-full-lines
// REDEFINE: %{by} = --args parse -N main -N run
// RUN: %{report} | FileCheck %s --match-full-lines
/* The tracer of entries gives the same result, although it records no exits. */
// REDEFINE: %{by} = -t entry -N main -N run
// RUN: %{report} | FileCheck %s --match-full-lines
/* With --under, --sample chooses among calls of its functions. */
// REDEFINE: %{by} = --under parse
// RUN: %{report} | FileCheck %s --check-prefix=UNDER --match-full-lines
// UNDER:      made  calls  function
// UNDER-NEXT:  700    100  parse
// UNDER-NEXT: 2100    300  token
/* All calls are nested in main(), so all are recorded. */
// RUN: cd %t && %patchbay record -t duration --sample 1/7 -- ./prog
// RUN: cd %t && %patchbay report -f made,calls,name 2>&1 >each | FileCheck %s --check-prefix=ALL
// ALL: patchbay: patchbay.data: sampled, 1/7 of the outermost calls of each function and thread were recorded, with all calls inside: 3515 calls were made and counted
// ALL: patchbay: patchbay.data: --sample skipped hardly any call, since few calls are outermost: name the functions to sample with --under
// RUN: FileCheck %s --check-prefix=EACH <%t/each
// EACH-DAG: {{ 700 +700 +parse}}
// EACH-DAG: {{2100 +2100 +token}}
#include "../Inputs/check.h"

#include <setjmp.h>

static jmp_buf place;

OPAQUE int token(int i)
{
	return i + 1;
}

OPAQUE int parse(int i)
{
	int sum = 0;

	for (int j = 0; j < 3; j++)
		sum += token(i);
	return sum;
}

OPAQUE int handle(int i)
{
	return parse(i) - 3;
}

OPAQUE void jump(void)
{
	longjmp(place, 1);
}

OPAQUE void run(void)
{
	if (!setjmp(place))
		jump();
	for (int i = 0; i < 100; i++)
		CHECK(handle(i) == 3 * i);
}

int main(void)
{
	for (int i = 0; i < 7; i++)
		run();
	return 0;
}
