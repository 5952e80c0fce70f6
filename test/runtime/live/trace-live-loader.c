/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The process answers commands even if a thread holds the loader's lock for a long
 * time.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog
// RUN: %python %S/../Inputs/while-running.py env LD_PRELOAD=%patchbay_lib/libpatchbay-live.so PATCHBAY=tracer=function_profile,filter=traced,live=1,output=%t %t/prog -- %patchbay live -p PID --disarm traced | FileCheck %s
// CHECK: 0 functions
/* The runtime cannot be loaded while a thread holds the loader's lock. */
// RUN: %python %S/../Inputs/while-running.py %t/prog -- %python %S/../Inputs/expect-status.py 125 %patchbay record -p PID -o %t/held 2>&1 | FileCheck %s --check-prefix=HELD
// HELD: {{^}}patchbay: error: process {{[0-9]+}}: its loader has not loaded the runtime in {{1[0-9]|[2-9][0-9]}} seconds: a thread holds the loader's lock (in a constructor, or a callback of dl_iterate_phdr()); when the thread releases it, the process unloads the runtime{{$}}
/* SIGTERM ends a command that waits for the loader's lock. */
// RUN: %python %S/../Inputs/while-running.py %t/prog -- %python %S/../Inputs/expect-status.py 125 timeout --preserve-status 6 %patchbay record -p PID -o %t/ended 2>&1 | FileCheck %s --check-prefix=ENDED
// ENDED: {{^}}patchbay: error: process {{[0-9]+}}: its loader had not loaded the runtime when SIGTERM ended this command: a thread holds the loader's lock
#include "../Inputs/check.h"

#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

OPAQUE void traced(void) {}

static int hold(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)info;
	(void)size;
	(void)arg;
	/* Hold the lock for longer than the listening thread's polling interval. */
	sleep(2);
	puts("held");
	fflush(stdout);
	pause();
	return 1;
}

static void *hold_in_thread(void *arg)
{
	dl_iterate_phdr(hold, NULL);
	return arg;
}

int main(void)
{
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, hold_in_thread, NULL));
	for (;;)
		traced();
}
