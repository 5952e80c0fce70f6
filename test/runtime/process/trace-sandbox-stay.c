/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Seccomp's strict mode forbids reading the clock. When a thread enters this mode, all
 * tracers that read the clock are stopped, even if another thread stays in a handler:
 * the wait for that handler times out. The tracer of arguments is stopped, too.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link
// RUN: cd %t && timeout 600 %patchbay record -t function -F 'plain*' --args 'noted*' -- ./prog > said
// RUN: FileCheck %s < %t/said
// CHECK: {{^}}done{{$}}
// RUN: %python %S/../Inputs/expect-status.py 1 %patchbay report %t/patchbay.data 2>&1 | FileCheck %s --check-prefix=SAID
// SAID: {{^}}patchbay: warning: {{.*}}: a thread stayed in a handler longer than the wait limit (patchbay_set_wait_limit()), so it may have used a tracer that had been stopped{{$}}

#include "../Inputs/check.h"

#include <patchbay/patchbay.h>

#include <linux/seccomp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

OPAQUE int plain(int a) { return a + 1; }
OPAQUE int noted(int a) { return a + 2; }
OPAQUE int stayed(int a) { return a + 3; }

static atomic_int arrived, finish;

__attribute__((no_profile_instrument_function)) static void
stay(uintptr_t ip, uintptr_t parent_ip, const struct patchbay_cell *cell,
     struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	arrived = 1;
	while (!finish)
		usleep(100);
	_exit(0);
}

static void *call(void *arg)
{
	stayed(1);
	return arg;
}

int main(void)
{
	static const char done[] = "done\n";
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = stay };
	struct patchbay_ops *ops;
	pthread_t thread;

	alarm(600); /* a hang is a failure */
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_arm(ops, "stayed", 0), 1);
	CHECK_EQ(pthread_create(&thread, NULL, call, NULL), 0);
	while (!arrived)
		usleep(100);
	patchbay_set_wait_limit(20);
	CHECK_EQ(plain(1) + noted(1), 5);
	CHECK_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT), 0);
	CHECK_EQ(plain(1) + noted(1), 5);
	CHECK_EQ(write(1, done, sizeof(done) - 1), (long)strlen(done));
	/* This thread must not make the system call exit_group(2). */
	finish = 1;
	for (;;)
		;
}
