// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads run functions that call each other and themselves: nesting ROUNDS
#include <pthread.h>
#include <stdlib.h>

#define CALL __attribute__((noinline))

static volatile unsigned long work;

CALL void leaf(int n)
{
	for (int i = 0; i < n % 50; i++)
		work += i;
}

CALL void other_leaf(int n)
{
	work += n;
}

CALL void direct(int n)
{
	leaf(n);
	if (n > 0)
		direct(n - 2);
	other_leaf(n);
}

CALL void pong(int n);

CALL void ping(int n)
{
	leaf(n);
	if (n > 0)
		pong(n - 1);
}

CALL void pong(int n)
{
	if (n & 1)
		ping(n - 2);
	other_leaf(n);
	if (n > 2)
		ping(n - 3);
}

CALL void twice(int n)
{
	direct(n % 5);
	direct(n % 3);
}

CALL void one(int n)
{
	twice(n);
	ping(n % 9);
}

CALL void another(int n)
{
	ping(n % 7);
	if (n % 4 == 0)
		one(n);
}

CALL void serve(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		one(i);
		another(i);
	}
}

CALL void *run(void *rounds)
{
	serve((int)(long)rounds);
	return NULL;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 10;
	pthread_t thread[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, run, (void *)(rounds / (i + 1)));
	serve((int)rounds);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
