/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Each call is a thread, which calls the function once and waits until all threads exist.
 * So a slice includes the tracer's work for new threads while other threads exist, and for
 * ending threads.
 */
#include "worker.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

unsigned int hot_callee(unsigned int x);

enum { MAX_THREADS = 10000, STACK = 128 << 10 };

static pthread_t threads[MAX_THREADS];
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static atomic_ulong sum;

void load_prepare(void)
{
	sum = 0;
}

static void *run(void *arg)
{
	sum += hot_callee(0);
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	return arg;
}

static void must(int error, const char *what)
{
	if (!error)
		return;
	fprintf(stderr, "%s: error %d\n", what, error);
	exit(1);
}

uint64_t load_run(uint64_t calls)
{
	pthread_attr_t attr;

	must(calls > MAX_THREADS, "more threads than there is room for");
	pthread_attr_init(&attr);
	must(pthread_attr_setstacksize(&attr, STACK), "stack size");
	pthread_mutex_lock(&gate);
	for (uint64_t i = 0; i < calls; i++)
		must(pthread_create(&threads[i], &attr, run, NULL),
		     "pthread_create");
	pthread_mutex_unlock(&gate);
	for (uint64_t i = 0; i < calls; i++)
		pthread_join(threads[i], NULL);
	pthread_attr_destroy(&attr);
	return sum;
}
