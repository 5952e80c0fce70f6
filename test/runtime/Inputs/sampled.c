/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Three threads call often() 1,000 times each, and a child calls it 100 times. once()
 * is called once.
 */
#include "check.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

OPAQUE int often(int a) { return a + 1; }
OPAQUE int once(int a) { return a + 1; }

static void *calls(void *arg)
{
	for (int i = 0; i < 1000; i++)
		often(i);
	return arg;
}

int main(void)
{
	pthread_t thread[3];
	int status;
	pid_t pid;

	once(1);
	for (int i = 0; i < 3; i++)
		CHECK(!pthread_create(&thread[i], NULL, calls, NULL));
	for (int i = 0; i < 3; i++)
		CHECK(!pthread_join(thread[i], NULL));
	pid = fork();
	for (int i = 0; !pid && i < 100; i++)
		often(i);
	CHECK(!pid || (waitpid(pid, &status, 0) == pid && !status));
	return 0;
}
