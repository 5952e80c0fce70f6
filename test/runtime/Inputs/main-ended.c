/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls quick() for ever on a thread after the main thread, to which /proc/self refers,
 * has ended. Prints "ready" when the main thread has ended.
 */
#include "check.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

OPAQUE int quick(int a) { return a + 1; }

static int main_thread_has_ended(void)
{
	char text[4096];
	FILE *file = fopen("/proc/self/stat", "r");
	size_t size;

	CHECK(file);
	size = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[size] = '\0';
	return strstr(text, ") Z ") != NULL;
}

static void *call(void *arg)
{
	int n = 0;

	while (!main_thread_has_ended())
		usleep(1000);
	puts("ready");
	fflush(stdout);
	for (;;) {
		n = quick(n);
		usleep(1000);
	}
	return arg;
}

int main(void)
{
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, call, NULL));
	pthread_exit(NULL);
}
