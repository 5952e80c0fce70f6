/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Until it reads a line from stdin, the first thread waits for its vfork(2) child and
 * cannot be stopped. Then it prints "back". Another thread is always busy.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) long counted(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

static void *call(void *arg)
{
	for (long i = 0;; i++)
		if (counted(i) != i + 1)
			abort();
	return arg;
}

int main(void)
{
	pthread_t thread;
	char byte;
	int status;
	pid_t child;

	if (pthread_create(&thread, NULL, call, NULL))
		abort();
	puts("ready");
	fflush(stdout);
	child = vfork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(read(STDIN_FILENO, &byte, 1) == 1 ? 0 : 1);
	}
	if (waitpid(child, &status, 0) != child || status)
		abort();
	puts("back");
	fflush(stdout);
	for (;;)
		pause();
}
