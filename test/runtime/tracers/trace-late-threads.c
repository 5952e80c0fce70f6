/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A thread whose first traced call comes after all destructors, while glibc frees the
 * thread's storage, does not leak its buffer. The runtime is not notified when such a
 * thread ends, but the next thread reuses the buffer.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build -fno-builtin %s -o %t/prog %link
// RUN: cd %t && timeout 600 %patchbay record -F free -t function -- ./prog | FileCheck %s
// CHECK: 10000 threads in little memory
// RUN: %patchbay report -f calls,name %t/patchbay.data | FileCheck %s --check-prefix=CALLS
// CALLS: {{[1-9][0-9][0-9][0-9][0-9]}} free
#include "../Inputs/check.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

#define UNTRACED __attribute__((no_profile_instrument_function))

void *__libc_malloc(size_t size);
void __libc_free(void *memory);

UNTRACED void *malloc(size_t size)
{
	return __libc_malloc(size);
}

__attribute__((noinline)) void free(void *memory)
{
	__libc_free(memory);
}

UNTRACED static void *idle(void *arg)
{
	return arg;
}

/* Returns how many bytes of data files are mapped. */
UNTRACED static unsigned long mapped(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, end, size = 0;
	char line[512];

	CHECK(maps);
	while (fgets(line, sizeof(line), maps))
		if (strstr(line, ".pbd") && sscanf(line, "%lx-%lx", &start, &end) == 2)
			size += end - start;
	fclose(maps);
	return size;
}

UNTRACED int main(void)
{
	unsigned long before = mapped();

	for (int i = 0; i < 10000; i++) {
		pthread_t thread;

		CHECK(!pthread_create(&thread, NULL, idle, NULL));
		CHECK(!pthread_join(thread, NULL));
	}
	before = mapped() - before;
	if (before > 16 << 20)
		printf("%lu KB are mapped\n", before >> 10);
	CHECK(before <= 16 << 20);
	printf("10000 threads in little memory\n");
	return 0;
}
