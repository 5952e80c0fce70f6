/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A running recording can be read and copied while its process continuously overwrites
 * the oldest events. The reader gets only complete events, in order.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog -lpthread
// RUN: %python %S/../Inputs/read-live.py 15 %patchbay %patchbay_lib/libpatchbay-live.so %t/prog %t/work | FileCheck %s
// CHECK: read 15 times

#include "../Inputs/check.h"

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
