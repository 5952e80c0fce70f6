/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A function that is inlined everywhere cannot be traced. The message names its
 * callers, found in debug information. The test also covers other output of `patchbay
 * list` about inlined functions.
 */
// DEFINE: %{status} = %python %S/../Inputs/expect-status.py
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link
// RUN: cd %t && %{status} 125 %patchbay record -F small -- ./prog 2>&1 | FileCheck %s
// RUN: cd %t && %{status} 3 %patchbay list -F 'sm?ll' prog 2>&1 | FileCheck %s
// CHECK: no function matches '{{small|sm\?ll}}': small was inlined into main (tool-inlined.c:[[# @LINE + 42]]) and 1 more place{{$|;}}
// RUN: cd %t && %build -gsplit-dwarf %s -c -o split.o && %clang split.o -o split
// RUN: cd %t && %{status} 3 %patchbay list -F 'sm?ll' split 2>&1 | FileCheck %s
// RUN: cd %t && %{status} 3 %patchbay list -F smell prog 2>&1 | FileCheck %s --check-prefix=OTHER --implicit-check-not=inlined
// OTHER: no function matches 'smell': 'patchbay list' shows the names
// Without debug information the message cannot give this reason.
// RUN: cd %t && llvm-strip --strip-debug prog -o bare && %{status} 3 %patchbay list -F small bare 2>&1 | FileCheck %s --check-prefix=BARE --implicit-check-not=inlined
// BARE: no function matches 'small': 'patchbay list' shows the names
// RUN: cd %t && %patchbay list prog 2>&1 | FileCheck %s --check-prefix=SUMMARY
// SUMMARY: {{^}}patchbay: 2 functions, 1 of them cannot be timed{{$}}
// RUN: cd %t && %patchbay list prog | FileCheck %s --check-prefix=TABLE
// TABLE: {{^}}   entry      hash  int  fp  stack  returns  flags     source              function{{$}}
// TABLE: {{^[0-9a-f]+ .*  variadic  tool-inlined.c:}}[[# @LINE + 22]]  big{{$}}
// RUN: cd %t && %patchbay list --inlined prog | FileCheck %s --check-prefix=INLINED --match-full-lines --strict-whitespace
//      INLINED:places  function  into
// INLINED-NEXT:     2  small     main (tool-inlined.c:[[# @LINE + 27]])
//  INLINED-NOT:{{.}}
// RUN: cd %t && %patchbay list --inlined -F 'sm*' prog | FileCheck %s --check-prefix=INLINED --match-full-lines --strict-whitespace
// RUN: cd %t && %{status} 3 %patchbay list --inlined -N small prog 2>&1 | FileCheck %s --check-prefix=NO-INLINED
// NO-INLINED: {{^}}patchbay: error: prog: no inlined function matches{{$}}
// RUN: cd %t && %{status} 1 %patchbay list --inlined bare 2>&1 | FileCheck %s --check-prefix=NO-DEBUG
// NO-DEBUG: {{^}}patchbay: error: bare: has no debug information, which names inlined functions: compile with -g{{$}}
// RUN: cd %t && %{status} 2 %patchbay list --inlined --json prog 2>&1 | FileCheck %s --check-prefix=USAGE
// USAGE: --inlined prints a table of a file: leave out -p and --json
// RUN: cd %t && %patchbay list --json prog | FileCheck %s --check-prefix=SOURCE
// SOURCE: "source": "tool-inlined.c:[[# @LINE + 9]]"
static int small(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 3 + 1;
}

__attribute__((noinline)) int
big(int n, ...)
{
	__asm__ volatile("" : "+r"(n));
	return n;
}

int main(int argc, char **argv)
{
	(void)argv;
	return small(argc) + small(argc + 1) + big(1) < 0;
}
