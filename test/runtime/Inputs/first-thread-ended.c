/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The first thread ends, and another one continues. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline)) long counted(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

static void *go_on(void *first)
{
	pthread_join(*(pthread_t *)first, NULL);
	puts("ready");
	fflush(stdout);
	for (long i = 0;; i = counted(i))
		usleep(1000);
	return NULL;
}

int main(void)
{
	static pthread_t first;
	pthread_t other;

	first = pthread_self();
	if (!pthread_create(&other, NULL, go_on, &first))
		pthread_exit(NULL);
	return 1;
}
