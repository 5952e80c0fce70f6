/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Each event is recorded once, for its own thread, in the order of time: events of
 * several threads, of signal handlers that interrupt them anywhere, and of a forked
 * child. If a signal handler interrupts the recording of an event, the handler's call
 * is counted as missed. Recording preserves errno and vector arguments. Threads that
 * replace ended ones use no additional memory.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link
// RUN: cd %t && %patchbay record -t function -- ./prog > %t/said 2> %t/told
// RUN: %patchbay dump --csv %t/patchbay.data > %t/csv
// RUN: %python %S/../Inputs/trace-counts.py --missed in_signal --told %t/told %t/said < %t/csv | FileCheck %s
/*
 * The smallest possible buffer, with many blocks of few events, gives the same result.
 */
// RUN: cd %t && %patchbay record -t function -F in_child -F leaf_4 --buffer 2M -- ./prog > %t/said
// RUN: grep -E 'in_child|leaf_4' %t/said > %t/some
// RUN: %patchbay dump --csv %t/patchbay.data > %t/csv
// RUN: %python %S/../Inputs/trace-counts.py %t/some < %t/csv | FileCheck %s
// CHECK: counts agree
/* A recording of histograms has the same number of calls, but no events. */
// RUN: cd %t && %patchbay record --histogram -- ./prog > %t/said
// RUN: %patchbay report --json %t/patchbay.data > %t/json
// RUN: %python %S/../Inputs/histogram-counts.py %t/said < %t/json | FileCheck %s

#include "../Inputs/check.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4
#define CALLS 40000
#define SHORT_THREADS 300

OPAQUE void leaf_1(void) {}
OPAQUE void leaf_2(void) {}
OPAQUE void leaf_3(void) {}
OPAQUE void leaf_4(void) {}
OPAQUE void in_signal(void) {}
OPAQUE void in_child(void) {}
OPAQUE double sum(double a, double b, double c, double d)
{
	return a + b + c + d;
}

static _Thread_local long signals;
static void (*const leaf[])(void) = { leaf_1, leaf_2, leaf_3, leaf_4 };

__attribute__((no_profile_instrument_function)) static long tid(void)
{
	return syscall(SYS_gettid);
}

static void on_signal(int signal)
{
	in_signal();
	in_signal();
	signals++;
}

static void *calls(void *arg)
{
	long n = (long)arg;

	errno = 77;
	for (int i = 0; i < CALLS; i++) {
		leaf[n]();
		CHECK(sum(1, 2, 3, i) == 6.0 + i);
	}
	CHECK_EQ(errno, 77);
	flockfile(stdout);
	printf("%ld leaf_%ld %d\n", tid(), n + 1, CALLS);
	printf("%ld in_signal %ld\n", tid(), 2 * signals);
	printf("%ld sum %d\n", tid(), CALLS);
	funlockfile(stdout);
	return NULL;
}

/* The other threads signal the main thread as fast as possible. */
static volatile int finished;

static void *send_signals(void *arg)
{
	while (!finished) {
		pthread_kill(*(pthread_t *)arg, SIGUSR1);
		usleep(20);
	}
	return NULL;
}

static void *nothing(void *arg)
{
	return arg;
}

static int mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	int nr = 0;

	while (fgets(line, sizeof(line), maps))
		nr += strstr(line, ".pbd") != NULL;
	fclose(maps);
	return nr;
}

int main(void)
{
	pthread_t thread[THREADS], sender, self = pthread_self();
	int status;
	pid_t pid;

	signal(SIGUSR1, on_signal);
	CHECK(!pthread_create(&sender, NULL, send_signals, &self));
	for (long i = 1; i < THREADS; i++)
		CHECK(!pthread_create(&thread[i], NULL, calls, (void *)i));
	calls(NULL);
	finished = 1;
	for (int i = 1; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	pthread_join(sender, NULL);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		for (int i = 0; i < 1000; i++)
			in_child();
		printf("%ld in_child 1000\n", tid());
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	CHECK_EQ(status, 0);
	for (int i = 0; i < SHORT_THREADS; i++) {
		CHECK(!pthread_create(&thread[0], NULL, nothing, NULL));
		pthread_join(thread[0], NULL);
	}
	CHECK(mappings() < SHORT_THREADS);
	return 0;
}
