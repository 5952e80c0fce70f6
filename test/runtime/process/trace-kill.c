/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* If a process is killed, the recording has all its calls up to the last one. */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog -lpthread
// RUN: %python %S/../Inputs/kill-traced.py 40 %patchbay %patchbay_lib/libpatchbay-trace.so %t/prog %t/work | FileCheck %s
// CHECK: every one of {{[0-9]+}} calls was there

#include "../Inputs/check.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define THREADS 3

static volatile uint64_t *finished;
static pthread_barrier_t barrier;

OPAQUE void step(void)
{
	__asm__ volatile("");
}

static void *steps(void *arg)
{
	long n = (long)arg;
	char name[16];

	snprintf(name, sizeof(name), "thread %ld", n);
	pthread_setname_np(pthread_self(), name);
	pthread_barrier_wait(&barrier);
	for (;;) {
		step();
		finished[n]++;
		/* Slow down: more calls add no new cases, but take longer to read. */
		for (volatile int wait = 0; wait < 300; wait++)
			;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int fd = open(argv[argc - 1], O_RDWR | O_CREAT | O_TRUNC, 0600);
	pthread_t thread;

	CHECK(fd >= 0 && !ftruncate(fd, 4096));
	finished = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(finished != MAP_FAILED);
	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	for (long i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&thread, NULL, steps, (void *)i));
	pthread_barrier_wait(&barrier);
	puts("started");
	fflush(stdout);
	pause();
	return 0;
}
