/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Arming and disarming a function many times is safe while two threads call it: 260,000
 * times (with lit's --param long=1 over a million times), each time with another
 * tracer. The test checks results, that no handler is called after disarming returned,
 * and that no mapping is writable and executable. PR_SET_MDWE would prevent such a
 * mapping.
 */
// RUN: %build %s -o %t %link
// RUN: %t %if long %{ 260000 %} %else %{ 65000 %} | FileCheck %s --check-prefixes=CHECK,%if long %{LONG%} %else %{SHORT%}
// LONG: toggles: 1040000
// SHORT: toggles: 260000
// CHECK-NEXT: late: 0
// CHECK-NEXT: writable and executable: 0 of {{[1-9][0-9]*}} samples

#include "../Inputs/check.h"

#include <patchbay/patchbay.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

OPAQUE int toggled_sum(int a, int b) { return a + b; }
/* After an endbr64 the site has another offset and another trampoline. */
OPAQUE int toggled_difference(int a, int b) { return a - b; }

static atomic_int stop;
static _Atomic long late, calls[2], live[2];

static void handler(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	long which = (long)cell->data;

	(void)ip;
	(void)parent_ip;
	(void)regs;
	if (!live[which])
		late++;
	calls[which]++;
}

static void *caller(void *arg)
{
	(void)arg;
	while (!stop) {
		CHECK_EQ(toggled_sum(20, 22), 42);
		CHECK_EQ(toggled_difference(64, 22), 42);
	}
	return NULL;
}

static void *sampler(void *result)
{
	long *found = result;

	while (!stop) {
		char line[512];
		FILE *maps = fopen("/proc/self/maps", "r");

		while (maps && fgets(line, sizeof(line), maps)) {
			const char *mode = strchr(line, ' ');

			found[0] += mode && mode[2] == 'w' && mode[3] == 'x';
		}
		found[1]++;
		fclose(maps);
		usleep(1000);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1000, toggles = 0;
	long maps[2] = { 0 };
	struct patchbay_ops *ops[2];
	pthread_t threads[3];

	for (long i = 0; i < 2; i++) {
		struct patchbay_ops_attr attr = { .size = sizeof(attr),
						  .flags = i ? PATCHBAY_OPS_FAST : 0,
						  .handler = handler,
						  .data = (void *)i };

		CHECK_EQ(patchbay_ops_create(&attr, &ops[i]), 0);
	}
	/* Linux before 6.3 does not have PR_SET_MDWE. */
	CHECK(!prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) ||
	      errno == EINVAL);
	pthread_create(&threads[0], NULL, caller, NULL);
	pthread_create(&threads[1], NULL, caller, NULL);
	pthread_create(&threads[2], NULL, sampler, maps);
	/* On a busy machine the threads start late. */
	for (long i = 0; i < rounds || !calls[0] || !calls[1]; i++) {
		int which = i & 1;

		live[which] = 1;
		CHECK_EQ(patchbay_arm(ops[which], "toggled_*", 0), 2);
		CHECK_EQ(patchbay_disarm(ops[which], "toggled_*"), 2);
		live[which] = 0;
		toggles += i < rounds ? 4 : 0;
	}
	stop = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("toggles: %ld\n", toggles);
	printf("late: %ld\n", (long)late);
	printf("writable and executable: %ld of %ld samples\n", maps[0], maps[1]);
	return 0;
}
