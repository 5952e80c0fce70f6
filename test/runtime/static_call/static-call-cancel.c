/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A thread that is cancelled while it updates a static call finishes the update first.
 * Otherwise, the next update would wait for ever or find the work half done. The test
 * uses SIGKILL as its timeout, because all other signals are blocked during an update.
 */
// RUN: %build -fno-sanitize=kcfi %s -o %t --ld-path=%ld.lld -Wl,--static-calls %link
// RUN: timeout -s KILL 600 %t | FileCheck %s
// CHECK: cancelled: 200, wrong: 0
// CHECK: can be cancelled afterwards: yes

#include <patchbay/static_call.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static int one(void) { return 1; }
static int two(void) { return 2; }

DEFINE_STATIC_CALL(number, one);

static atomic_int updates;

static void *update(void *arg)
{
	for (unsigned int i = 0;; i++) {
		static_call_update(number, i % 2 ? one : two);
		atomic_fetch_add(&updates, 1);
		pthread_testcancel();
	}
	return arg;
}

static void cancel(pthread_t thread, unsigned int i)
{
	int before = atomic_load(&updates);

	while (atomic_load(&updates) == before)
		usleep(10);
	usleep(i % 20);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
}

int main(void)
{
	int cancelled = 0, wrong = 0, state;

	for (unsigned int i = 0; i < 200; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, update, NULL))
			break;
		cancel(thread, i);
		cancelled++;
		wrong += static_call(number)() != static_call_query(number)();
		wrong += static_call_update(number, i % 2 ? one : two) != 0;
		wrong += static_call(number)() != (i % 2 ? 1 : 2);
	}
	printf("cancelled: %d, wrong: %d\n", cancelled, wrong);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
	printf("can be cancelled afterwards: %s\n",
	       state == PTHREAD_CANCEL_ENABLE ? "yes" : "no");
	return 0;
}
