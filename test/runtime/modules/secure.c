/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The environment arms nothing in a program that gains privileges (AT_SECURE), even if
 * the tracer is linked in. In other programs it arms functions.
 */
// REQUIRES: root
// RUN: rm -rf %t && mkdir %t %t/plain %t/secure
// RUN: %build %s -o %t/prog -Wl,--no-as-needed %patchbay_lib/libpatchbay-trace.so %link
// RUN: env PATCHBAY=tracer=function_profile,filter=main,output=%t/plain %t/prog | FileCheck %s --check-prefix=ARMED
// RUN: not rmdir %t/plain
/* The program changes its group instead of its user, who could not open this folder. */
// RUN: cp %t/prog %t/setgid && chgrp 65534 %t/setgid && chmod 2755 %t/setgid
// RUN: env PATCHBAY=tracer=function_profile,filter=main,output=%t/secure %t/setgid | FileCheck %s --check-prefix=SECURE
/* A program that gains privileges also prints no error about the variable. */
// RUN: env PATCHBAY=wrong %t/prog 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: env PATCHBAY=wrong %t/setgid 2>&1 | FileCheck %s --check-prefix=SECURE --implicit-check-not=PATCHBAY
// WRONG: PATCHBAY: 'wrong' is not NAME=VALUE
// RUN: rmdir %t/secure
// ARMED: secure 0, armed {{[1-9]}}
// SECURE: secure 1, armed 0

#include "../Inputs/check.h"

#include <patchbay/patchbay.h>

#include <sys/auxv.h>

static int count_armed(const struct patchbay_site_info *site, void *armed)
{
	*(int *)armed += site->nr_cells != 0;
	return 0;
}

int main(void)
{
	int armed = 0;

	CHECK_EQ(patchbay_for_each_site(count_armed, &armed), 0);
	printf("secure %ld, armed %d\n", getauxval(AT_SECURE), armed);
	return 0;
}
