/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Text can still be written if the main thread has ended before other threads.
 * /proc/self then refers to a thread without memory.
 */
// RUN: %build %s -o %t --ld-path=%ld.lld -Wl,--static-calls %link
// RUN: %t | FileCheck %s
// CHECK: update: 0, result 2

#include <patchbay/static_call.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int one(void) { return 1; }
static int two(void) { return 2; }

DEFINE_STATIC_CALL(number, one);

/* Older kernels can open the file, but a read returns nothing. */
static int main_thread_has_memory(void)
{
	int fd = open("/proc/self/mem", O_RDONLY), there;
	char byte = 0;

	if (fd < 0)
		return 0;
	there = pread(fd, &byte, 1, (off_t)(uintptr_t)&byte) == 1;
	close(fd);
	return there;
}

static void *last(void *arg)
{
	int error;

	while (main_thread_has_memory())
		usleep(1000);
	error = static_call_update(number, two);
	printf("update: %d, result %d\n", error, static_call(number)());
	exit(0);
	return arg;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, last, NULL))
		return 1;
	pthread_exit(NULL);
}
