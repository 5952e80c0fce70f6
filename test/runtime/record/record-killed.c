/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The recording is usable after SIGKILL at random moments, while the command writes the
 * events of busy threads:
 * - of the program: the recording has all its calls.
 * - of the command: the program's exit status is unchanged, and the recording has all
 *   its calls.
 * - of both: the recording can be read.
 * To run more rounds: PATCHBAY_TEST_KILLS=1000
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link -pthread
// RUN: %python %S/../Inputs/kill-recorder.py 6 %patchbay %t/prog %t/work | FileCheck %s
// CHECK: program: {{[0-9]+}} killed, {{[0-9]+}} times in the arena, each of {{[0-9]+}} calls was there
// CHECK: command: {{[0-9]+}} killed, {{[0-9]+}} times in the arena, each of {{[0-9]+}} calls was there
// CHECK: both: {{[0-9]+}} killed, {{[0-9]+}} times in the arena, {{[0-9]+}} of {{[0-9]+}} calls were there

#include "../Inputs/check.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define THREADS 3
#define STATUS 23

/*
 * For each thread, the number of its calls; the last element says whether all have
 * ended.
 */
static volatile uint64_t *finished;
static pthread_barrier_t barrier;

OPAQUE void step(void)
{
	__asm__ volatile("");
}

static void *steps(void *arg)
{
	long n = (long)arg;

	pthread_barrier_wait(&barrier);
	while (!finished[THREADS]) {
		step();
		finished[n]++;
		/* Slow down: more calls add no new cases, but take longer to read. */
		for (volatile int wait = 0; wait < 50; wait++)
			;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int fd = open(argv[argc - 1], O_RDWR | O_CREAT | O_TRUNC, 0600);
	pthread_t thread[THREADS];

	CHECK(fd >= 0 && !ftruncate(fd, 4096));
	finished = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(finished != MAP_FAILED);
	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	for (long i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&thread[i], NULL, steps, (void *)i));
	pthread_barrier_wait(&barrier);
	printf("%d\n", (int)getpid());
	fflush(stdout);
	for (long i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	return STATUS;
}
