/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A static call goes to a valid target while it is updated 30,000 times and threads
 * call it. A call that begins after static_call_update() returned and ends before the
 * next update goes to the new target. All other calls go to one of the targets. Two
 * targets are in reach of the tramp's direct jump. The third one is in the C library
 * and, in a dynamic executable, out of reach: the tramp also jumps indirectly.
 */
// RUN: %build -fno-sanitize=kcfi %s -o %t.pie -fPIE -pie --ld-path=%ld.lld -Wl,--static-calls %link
// RUN: %t.pie | FileCheck %s --check-prefixes=CHECK,FAR
// RUN: %build -fno-sanitize=kcfi %s -o %t.exe -fno-pie -no-pie --ld-path=%ld.lld -Wl,--static-calls %link
// RUN: %t.exe | FileCheck %s --check-prefix=CHECK
// RUN: %build -fno-sanitize=kcfi %s -o %t.static -static --ld-path=%ld.lld -Wl,--static-calls %patchbay_lib/libpatchbay.a
// RUN: %t.static | FileCheck %s --check-prefix=CHECK
// RUN: %build -fno-sanitize=kcfi %s -o %t.lto -flto -O2 --ld-path=%ld.lld -Wl,--static-calls,--lto-O2,-O2 %link
// RUN: %t.lto | FileCheck %s --check-prefixes=CHECK,FAR
// CHECK: updates: 30000, failed: 0
// FAR-SAME: , far: 10000
// CHECK: every target called: yes
// CHECK: wrong: 0

#include <patchbay/static_call.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 2
#ifndef UPDATES
#define UPDATES 30000
#endif

/* Each target returns a different result for the argument 10. */
static long plus_one(long x) { return x + 1; }
static long plus_two(long x) { return x + 2; }

DEFINE_STATIC_CALL(adjust, plus_one);

/*
 * Odd during an update. If even, the current target is targets[sequence / 2 % 3] and
 * returns expected[sequence / 2 % 3].
 */
static atomic_ulong sequence;
static const long expected[] = { 11, 12, 10 };
static long (*const targets[])(long) = { plus_one, plus_two, labs };
static atomic_int stop;
static atomic_ulong seen[3], wrong;

static void *caller(void *unused)
{
	while (!stop) {
		unsigned long before = sequence;
		long result = static_call(adjust)(10);
		unsigned long after = sequence;

		if (result < 10 || result > 12) {
			wrong++;
			continue;
		}
		seen[result - 10]++;
		if (before == after && !(before & 1) &&
		    result != expected[before / 2 % 3])
			wrong++;
	}
	return unused;
}

int main(void)
{
	pthread_t threads[THREADS];
	long failed = 0, far = 0;

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, caller, NULL);
	for (unsigned long i = 1; i <= UPDATES; i++) {
		sequence++;
		failed += static_call_update(adjust, targets[i % 3]) != 0;
		sequence++;
		failed += static_call(adjust)(10) != expected[i % 3];
		failed += static_call_query(adjust) != targets[i % 3];
		/* Count tramps with an indirect jump. */
		far += *(unsigned char *)STATIC_CALL_KEY(adjust).tramp == 0xa9;
	}
	stop = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("updates: %d, failed: %ld, far: %ld\n", UPDATES, failed, far);
	printf("every target called: %s\n",
	       seen[0] && seen[1] && seen[2] ? "yes" : "no");
	printf("wrong: %lu\n", (unsigned long)wrong);
	return 0;
}
