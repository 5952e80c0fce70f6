/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For each line of input, each of four threads makes one call that sleeps. */
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

#define NR_THREADS 4

static sem_t go[NR_THREADS], done;

__attribute__((noinline)) void nap(void)
{
	usleep(30000);
}

static void *work(void *arg)
{
	for (;;) {
		sem_wait(arg);
		nap();
		sem_post(&done);
	}
	return arg;
}

/* Waits for ever, so that `record -p` can borrow this thread. */
static void *wait(void *arg)
{
	for (;;)
		poll(NULL, 0, 20);
	return arg;
}

int main(void)
{
	pthread_t thread;
	char line[16];

	pthread_create(&thread, NULL, wait, NULL);
	for (int i = 0; i < NR_THREADS; i++) {
		sem_init(&go[i], 0, 0);
		pthread_create(&thread, NULL, work, &go[i]);
	}
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		for (int i = 0; i < NR_THREADS; i++)
			sem_post(&go[i]);
		for (int i = 0; i < NR_THREADS; i++)
			sem_wait(&done);
		printf("done %d\n", NR_THREADS);
		fflush(stdout);
	}
	return 0;
}
