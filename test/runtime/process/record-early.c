/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program that replaces strdup(), as the type and numeric sanitizers do, can be
 * recorded. The replacement works only after the program's constructors ran.
 */
// RUN: %build %s -o %t
// RUN: %patchbay record -t count -o %t.data -- %t | FileCheck %s
// RUN: %patchbay report -i %t.data | FileCheck %s --check-prefix=REPORT
// RUN: %patchbay record -o %t.data -t function_graph -N 'x_*' -- %t | FileCheck %s
// RUN: %patchbay report -i %t.data | FileCheck %s --check-prefix=REPORT
// RUN: %build -fsanitize=type %s -DSANITIZED -o %t.type
// RUN: %patchbay record -t count -o %t.data -- %t.type | FileCheck %s
// RUN: %build -fsanitize=numerical %s -DSANITIZED -o %t.numerical
// RUN: %patchbay record -t count -o %t.data -- %t.numerical | FileCheck %s
// CHECK: {{^}}copied{{$}}
// REPORT-DAG: {{^ *}}1 {{(.* )?}}count

#include "../Inputs/check.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

OPAQUE void count(void) {}

#ifndef SANITIZED
static char *(*real)(const char *);

__attribute__((no_sanitize("kcfi"))) char *strdup(const char *from)
{
	return real(from);
}

__attribute__((constructor)) static void set_up(void)
{
	real = (char *(*)(const char *))dlsym(RTLD_NEXT, "strdup");
}
#endif

int main(void)
{
	count();
	puts(strdup("copied"));
	return 0;
}
