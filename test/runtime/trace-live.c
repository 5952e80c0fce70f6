/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A recording is read, and copied, while its process runs and writes over the
 * oldest events all the time: what is read is events as they were, in order, and
 * never half a one.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog -lpthread
// RUN: %python %S/Inputs/read-live.py 15 %patchbay %patchbay_lib/libpatchbay-trace.so %t/prog %t/work | FileCheck %s
// CHECK: read 15 times

#include "Inputs/check.h"

#include <pthread.h>
#include <unistd.h>

OPAQUE void inner(void)
{
	__asm__ volatile("");
}

OPAQUE void outer(void)
{
	inner();
	inner();
}

static void *calls(void *arg)
{
	for (;;)
		outer();
	return arg;
}

int main(void)
{
	pthread_t thread;

	for (int i = 0; i < 2; i++)
		CHECK(!pthread_create(&thread, NULL, calls, NULL));
	puts("started");
	fflush(stdout);
	pause();
	return 0;
}
