/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The thread "dozing" stays in the handler of a tracer for ever, while the main thread
 * calls step(). The runtime waits for a handler for at most 50 ms.
 */
#include "check.h"

#include <patchbay/patchbay.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#define NOT_TRACED __attribute__((no_profile_instrument_function))

OPAQUE int step(int a) { return a + 1; }
OPAQUE int doze(int a) { return a + 1; }

static atomic_int arrived;

NOT_TRACED static void stay(uintptr_t ip, uintptr_t parent_ip,
			    const struct patchbay_cell *cell,
			    struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	arrived = 1;
	for (;;)
		pause();
}

NOT_TRACED static void *run(void *arg)
{
	pthread_setname_np(pthread_self(), "dozing");
	doze(1);
	return arg;
}

NOT_TRACED int main(void)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = stay };
	struct patchbay_ops *ops;
	pthread_t thread;

	patchbay_set_wait_limit(50);
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_arm(ops, "doze", 0), 1);
	CHECK(!pthread_create(&thread, NULL, run, NULL));
	while (!arrived)
		usleep(1000);
	puts("ready");
	fflush(stdout);
	for (;;) {
		step(1);
		usleep(1000);
	}
}
