/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * --no-sleep-time records durations without off-CPU time, and calls at their correct
 * times: with perf_event_open(2), and without it.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link
// RUN: %plain %S/../Inputs/refuse.c -o %t/refuse
// DEFINE: %{tracer} = function_duration
// DEFINE: %{look} = %patchbay dump --chrome %t/patchbay.data > %t/json && %python %S/../Inputs/sleep-times.py %t/json | FileCheck %s --check-prefix
// RUN: cd %t && %patchbay record -t function_duration -- ./prog
// RUN: %{look}=ALL
// ALL-DAG: naps: 2 calls of 50 ms and more, elapsed the same
// ALL-DAG: outer: 1 calls of 100 ms and more, elapsed the same
// RUN: cd %t && %patchbay record -t function_duration --no-sleep-time -- ./prog
// RUN: %{look}=AWAKE
/* If a child ends a call which its parent began, the call's duration is right, too. */
// AWAKE-DAG: naps: 2 calls of 4 to 20 ms, elapsed 50 ms and more
// AWAKE-DAG: outer: 1 calls of 8 to 40 ms, elapsed 100 ms and more
// AWAKE-DAG: forks: 2 calls of 0 to 4 ms, elapsed 50 ms and more
// AWAKE-DAG: in_child: 1 calls of 4 to 20 ms, elapsed 50 ms and more
// AWAKE-DAG: late: 1 calls, 100 ms and more behind outer
// RUN: %patchbay info %t/patchbay.data | FileCheck %s --check-prefix=PAGE
// PAGE: sleep left out of durations, by pages of perf_event_open(2){{$}}
// RUN: cd %t && ./refuse %patchbay record -t function_duration --no-sleep-time -- ./prog
// RUN: %{look}=AWAKE
// RUN: %patchbay info %t/patchbay.data | FileCheck %s --check-prefix=CALL
// CALL: sleep left out of durations, by system calls: perf_event_open(2) was refused{{$}}
/* Entries use the same clock as exits. */
// RUN: cd %t && %patchbay record -t function_graph --no-sleep-time -- ./prog
// RUN: %{look}=AWAKE
/* naps() exceeds this threshold only with its sleep time. */
// RUN: cd %t && %patchbay record -t function_duration --no-sleep-time --threshold 30ms -F naps -F spins -- ./prog
// RUN: %{look}=LONG
// LONG-NOT: naps
// LONG: spins: 1 calls of 35 to 100 ms
/* Overwritten events may include those that contain a thread's sleep time. */
// RUN: cd %t && %patchbay record -t function_duration --no-sleep-time --buffer 8K --overwrite -- ./prog many > %t/said
// RUN: %patchbay dump --chrome %t/patchbay.data > %t/json && %python %S/../Inputs/sleep-times.py --between %t/said %t/json | FileCheck %s --check-prefix=AGAIN
// AGAIN: late: all in between
// RUN: cd %t && %patchbay record --histogram --no-sleep-time -- ./prog
// RUN: %patchbay report --json %t/patchbay.data | %python %S/../Inputs/sleep-times.py --counted | FileCheck %s --check-prefix=COUNTED
// COUNTED: naps: 2 calls of 8 to 40 ms
/* No descriptors or pages of ended threads remain. */
// RUN: cd %t && %patchbay record -t function_duration --no-sleep-time -- ./prog threads | FileCheck %s --check-prefix=THREADS
// RUN: cd %t && ./refuse %patchbay record -t function_duration --no-sleep-time -- ./prog threads | FileCheck %s --check-prefix=THREADS
// THREADS: 1000 threads: descriptors 0 more, pages at most 2
/*
 * The program's two clocks differ, and one is slow. Times are not corrected while a
 * thread sleeps.
 */
// RUN: cd %t && %patchbay record --force -t function_duration --no-sleep-time -F naps -F late -- ./prog slow
// RUN: %{look}=SLOW
// SLOW: naps: 1 calls of 4 to 20 ms
/* While no event is recorded, sleep uses no space. Sleep after that is known exactly. */
// RUN: cd %t && %patchbay record -t function_duration --no-sleep-time --buffer 8K --start-at late --stop-at halts -- ./prog waits > %t/said
// RUN: %patchbay dump --chrome %t/patchbay.data > %t/json && %python %S/../Inputs/sleep-times.py --between %t/said %t/json 3 | FileCheck %s --check-prefix=WAITS
// WAITS: late: all in between
// RUN: %{look}=NAPS
// NAPS: naps: 1 calls of 4 to 20 ms, elapsed 50 ms and more
#include "../Inputs/check.h"

#include <patchbay/exit.h>

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define UNTRACED __attribute__((no_profile_instrument_function))

UNTRACED static void sleep_ms(int ms)
{
	const struct timespec wait = { .tv_nsec = ms * 1000000l };

	nanosleep(&wait, NULL);
}

/* Uses the CPU for @ms milliseconds. */
UNTRACED static void spin_ms(int ms)
{
	struct timespec start, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - start.tv_sec) * 1000000000l + now.tv_nsec -
		       start.tv_nsec < ms * 1000000l);
}

OPAQUE static void naps(void)
{
	sleep_ms(50);
	spin_ms(5);
}

OPAQUE static void outer(void)
{
	naps();
	naps();
}

OPAQUE static void late(void) {}

OPAQUE static void spins(void)
{
	spin_ms(40);
}

OPAQUE static void in_child(void)
{
	sleep_ms(50);
	spin_ms(5);
}

/* Parent and child return from this function. */
OPAQUE static pid_t forks(void)
{
	pid_t child = fork();

	sleep_ms(50);
	return child;
}

OPAQUE static void *thread(void *arg)
{
	return arg;
}

UNTRACED static int count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int nr = 0;

	CHECK(dir);
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

UNTRACED static int count_pages(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096];
	int nr = 0;

	CHECK(maps);
	while (fgets(line, sizeof(line), maps))
		nr += strstr(line, "perf_event") != NULL;
	fclose(maps);
	return nr;
}

UNTRACED static int run_threads(void)
{
	int before = count_descriptors();

	for (int i = 0; i < 1000; i++) {
		pthread_t id;

		CHECK(!pthread_create(&id, NULL, thread, NULL));
		pthread_join(id, NULL);
	}
	printf("1000 threads: descriptors %d more, pages at most %d\n",
	       count_descriptors() - before,
	       count_pages() <= 2 ? 2 : count_pages());
	return 0;
}


UNTRACED static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

UNTRACED static void say_now(void)
{
	printf("%lld\n", now_ns());
}

/* Makes more calls than the buffer has space for, after some sleep. */
UNTRACED static int run_many(void)
{
	outer();
	say_now();
	for (int i = 0; i < 1000; i++)
		late();
	say_now();
	return 0;
}

OPAQUE static void waits(void)
{
	const struct timespec wait = { .tv_nsec = 1000 };

	nanosleep(&wait, NULL);
}

OPAQUE static void halts(void) {}

/*
 * Sleeps more often than the buffer has space for, and for a long time between events.
 */
UNTRACED static int run_waits(void)
{
	for (int i = 0; i < 1000; i++)
		waits();
	late();
	halts();
	outer();
	say_now();
	late();
	naps();
	late();
	say_now();
	return 0;
}

/*
 * Executes the program again, with a counter rate that is 5 percent lower for the last
 * second.
 */
UNTRACED static int start_slow(char **argv)
{
	const struct sched_param first = { .sched_priority = 1 };
	unsigned long long ticks = patchbay_clock();
	long long ns = now_ns(), passed;
	char options[4096];
	double rate;

	/* If permitted, prevent other processes from running in between. */
	sched_setscheduler(0, SCHED_FIFO, &first);
	do
		passed = now_ns() - ns;
	while (passed < 20000000);
	rate = (double)(patchbay_clock() - ticks) / (double)passed;
	snprintf(options, sizeof(options), "%s,clock=%llu/%lld",
		 getenv("PATCHBAY"), ticks - (unsigned long long)(0.95e9 * rate),
		 ns - 1000000000);
	setenv("PATCHBAY", options, 1);
	execlp(argv[0], argv[0], "slowly", NULL);
	return 1;
}

/* Sleep less than naps() does, so that only naps() makes the clocks clearly differ. */
UNTRACED static int run_slow(void)
{
	for (int i = 0; i < 250; i++) {
		late();
		spin_ms(1);
	}
	naps();
	return 0;
}

UNTRACED int main(int argc, char **argv)
{
	pid_t child;

	if (argc > 1 && !strcmp(argv[1], "threads"))
		return run_threads();
	if (argc > 1 && !strcmp(argv[1], "waits"))
		return run_waits();
	if (argc > 1 && !strcmp(argv[1], "slow"))
		return start_slow(argv);
	if (argc > 1 && !strcmp(argv[1], "slowly"))
		return run_slow();
	if (argc > 1)
		return run_many();
	outer();
	late();
	spins();
	child = forks();
	if (!child) {
		in_child();
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return 0;
}
