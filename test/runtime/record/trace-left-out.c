/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A message names functions that cannot be timed because they have no exits, and the
 * reason. Each function is named once, even if several filters select it or its module
 * is loaded later.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t/lib.so
// RUN: %build %s -o %t/prog %link -Wl,-rpath,%t
// RUN: cd %t && %patchbay record -t function_duration -F '*' -F 'sums*' -- ./prog 2>&1 | FileCheck %s --check-prefix=SAID
// SAID: {{^}}patchbay: patchbay.data: 3 functions whose calls cannot be timed were left out (ends, sums, sums_later): 'patchbay info patchbay.data' says why{{$}}
// SAID-NEXT: 1 process recorded
// RUN: %patchbay info %t/patchbay.data | FileCheck %s --implicit-check-not="left out"
// CHECK: left out ends: never returns{{$}}
// CHECK-NEXT: left out sums: is variadic, so its arguments cannot be passed on{{$}}
// CHECK-NEXT: left out sums_later: is variadic, so its arguments cannot be passed on{{$}}
/* The report contains exactly the functions that can be timed. */
// RUN: %patchbay report -f name %t/patchbay.data | FileCheck %s --check-prefix=TRACED
// TRACED-DAG: later
// TRACED-DAG: main
// RUN: cd %t && %patchbay record -t function_duration -N sums -N sums_later -- ./prog 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: 1 function whose calls cannot be timed was left out ({{ends|sums}}): {{.*}}
/* The message is printed even if no other function is traced. */
// RUN: cd %t && %patchbay record -t function_duration -F sums -o only -- ./prog 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: cd %t && %patchbay record -t function -- ./prog 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not="left out"
// NONE: 1 process recorded
/*
 * The message includes modules without other traced functions, and modules that are
 * loaded later.
 */
// RUN: %patchbay info %t/only | FileCheck %s --check-prefix=ONLY
// ONLY: left out sums: is variadic
// RUN: cd %t && %patchbay record --force -t function_duration -F main -F sums_later -o later -- ./prog 2>&1 | FileCheck %s --check-prefix=LATER
// LATER: 1 function whose calls cannot be timed was left out (sums_later): {{.*}}
// LATER-NEXT: 1 process recorded
// RUN: %patchbay info %t/later | FileCheck %s --check-prefix=INFO --implicit-check-not="left out"
// INFO: left out sums_later: is variadic
/* Forked children with their own files are included. Each function is counted once. */
// RUN: cd %t && %patchbay record -t function_duration -- ./prog fork 2>&1 | FileCheck %s --check-prefix=FORKED
// FORKED: {{^}}patchbay: patchbay.data: 3 functions whose calls cannot be timed were left out (ends, sums, sums_later): {{.*}}
// FORKED-NEXT: 2 processes recorded
// RUN: %patchbay info %t/patchbay.data | FileCheck %s --check-prefix=BOTH
// BOTH-COUNT-2: tracer duration
// BOTH-COUNT-1: left out sums: is variadic, so its arguments cannot be passed on{{$}}
#include "../Inputs/check.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static inline int add(int nr, va_list list)
{
	int sum = 0;

	while (nr--)
		sum += va_arg(list, int);
	return sum;
}

#ifdef LIBRARY
OPAQUE int sums_later(int nr, ...)
{
	va_list list;
	int sum;

	va_start(list, nr);
	sum = add(nr, list);
	va_end(list);
	return sum;
}
OPAQUE int later(void)
{
	return sums_later(2, 1, 2);
}
#else
OPAQUE int sums(int nr, ...)
{
	va_list list;
	int sum;

	va_start(list, nr);
	sum = add(nr, list);
	va_end(list);
	return sum;
}
OPAQUE _Noreturn void ends(int status)
{
	exit(status);
}
OPAQUE void in_child(void) {}
int main(int argc, char **argv)
{
	void *library = dlopen("lib.so", RTLD_NOW);
	int (*later)(void) = (int (*)(void))dlsym(library, "later");

	(void)argv;
	if (argc > 1 && !fork()) {
		in_child();
		_exit(0);
	}
	if (argc > 1)
		wait(NULL);
	if (sums(3, 1, 2, 3) + later() != 9)
		ends(1);
	return 0;
}
#endif
