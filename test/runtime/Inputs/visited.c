/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program that does not link the runtime. It reads one number per line. Each thread
 * makes that number of calls; then the program prints a line. If the number is 0, the
 * program forks. Threads wait in system calls that must not be interrupted, because no
 * process sends them signals. The argument is a number of additional threads. Half of
 * these repeatedly sleep for a short time; the others wait for ever.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define NR_THREADS 4

static void must(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "%s: errno %d\n", what, errno);
	abort();
}

__attribute__((noinline)) long counted(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

static long calls;
static sem_t begin, done, ready;

static void *call(void *arg)
{
	for (;;) {
		must(!sem_wait(&begin), "sem_wait");
		for (long i = 0; i < calls; i++)
			must(counted(i) == i + 1, "counted");
		sem_post(&done);
	}
	return arg;
}

static void *wait_for_events(void *arg)
{
	int set = epoll_create1(0), event = eventfd(0, 0);
	struct epoll_event one = { .events = EPOLLIN };

	must(!epoll_ctl(set, EPOLL_CTL_ADD, event, &one), "epoll_ctl");
	sem_post(&ready);
	for (;;)
		must(!epoll_wait(set, &one, 1, 20), "epoll_wait");
	return arg;
}

static void *sleep_for_long(void *arg)
{
	const struct timespec time = { .tv_nsec = 30000000 };

	for (;;)
		must(!nanosleep(&time, NULL), "nanosleep");
	return arg;
}

/* Forks a child that makes a call and then runs as long as its parent. */
static void fork_away(void)
{
	pid_t child = fork();

	must(child >= 0, "fork");
	if (child) {
		printf("done %d\n", child);
		fflush(stdout);
		return;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	must(counted(1) == 2, "counted");
	for (;;)
		pause();
}

static void *wait_for_ever(void *arg)
{
	static sem_t never;

	must(!sem_wait(&never), "sem_wait");
	return arg;
}

static void make_threads(int nr)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	must(!pthread_attr_setstacksize(&attr, 1 << 16), "stack size");
	for (int i = 0; i < nr; i++)
		must(!pthread_create(&thread, &attr,
				     i % 2 ? sleep_for_long : wait_for_ever,
				     NULL),
		     "pthread_create");
	pthread_attr_destroy(&attr);
}

int main(int argc, char **argv)
{
	void *(*const functions[])(void *) = { call, call, call, call,
					       wait_for_events,
					       sleep_for_long };
	pthread_t thread;

	sem_init(&begin, 0, 0);
	sem_init(&done, 0, 0);
	sem_init(&ready, 0, 0);
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		must(!pthread_create(&thread, NULL, functions[i], NULL),
		     "pthread_create");
	must(!sem_wait(&ready), "sem_wait");
	if (argc > 1)
		make_threads(atoi(argv[1]));
	puts("ready");
	fflush(stdout);
	while (scanf("%ld", &calls) == 1) {
		if (!calls) {
			fork_away();
			continue;
		}
		for (int i = 0; i < NR_THREADS; i++)
			sem_post(&begin);
		for (int i = 0; i < NR_THREADS; i++)
			must(!sem_wait(&done), "sem_wait");
		printf("done %ld\n", calls * NR_THREADS);
		fflush(stdout);
	}
	return 0;
}
