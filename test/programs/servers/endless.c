/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A server that works without a pause until its input ends. One thread per argument calls
 * functions as fast as possible. Other threads and children continually start and end.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPAQUE __attribute__((noinline))

static volatile int stop;
static volatile int sum;

OPAQUE int parse(int n) { return n * 3 + 1; }
OPAQUE int handle(int n)
{
	int all = 0;

	for (int i = 0; i < 8; i++)
		all += parse(n + i);
	return all;
}

static void *work(void *arg)
{
	while (!stop)
		sum = handle(sum);
	return arg;
}

static void *work_a_while(void *arg)
{
	for (int i = 0; i < 1000; i++)
		sum = handle(i);
	return arg;
}

static void *come_and_go(void *arg)
{
	while (!stop) {
		pthread_t thread;
		pid_t pid;

		if (!pthread_create(&thread, NULL, work_a_while, NULL))
			pthread_join(thread, NULL);
		pid = fork();
		if (!pid) {
			work_a_while(NULL);
			_exit(0);
		}
		if (pid > 0)
			waitpid(pid, NULL, 0);
		usleep(50000);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread[65];
	int nr = argc - 1 < 64 ? argc - 1 : 64;

	(void)argv;
	for (int i = 0; i < nr; i++)
		if (pthread_create(&thread[i], NULL, work, NULL))
			return 1;
	if (pthread_create(&thread[nr], NULL, come_and_go, NULL))
		return 1;
	puts("ready");
	fflush(stdout);
	getchar();
	stop = 1;
	for (int i = 0; i <= nr; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
