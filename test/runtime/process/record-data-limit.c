/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program with a small RLIMIT_DATA or RLIMIT_AS can use all of its memory while it is
 * recorded. Its threads start, and its malloc(3) works.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog -lpthread
// RUN: %t/prog | FileCheck %s
// RUN: %patchbay record -t count -o %t/data -- %t/prog | FileCheck %s
// RUN: %patchbay record -t graph -o %t/data -- %t/prog | FileCheck %s
// RUN: %patchbay record -t graph --live -o %t/data -- %t/prog | FileCheck %s
// RUN: %patchbay record --max-overhead 2%% -o %t/data -- %t/prog | FileCheck %s
// CHECK: {{^}}data: threads 0 0 0 0, malloc 1{{$}}
// CHECK-NEXT: {{^}}address space: threads 0 0 0 0, malloc 1{{$}}
// RUN: %patchbay report -i %t/data | FileCheck %s --check-prefix=REPORT
// REPORT: {{^ +}}8 {{.*}} in_thread{{$}}

#include "../Inputs/check.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define STACK 65536

OPAQUE void *in_thread(void *arg) { return arg; }

static void try(const char *what)
{
	pthread_t threads[4];
	int errors[4];
	pthread_attr_t attr;
	void *memory;

	CHECK(!pthread_attr_init(&attr));
	CHECK(!pthread_attr_setstacksize(&attr, STACK));
	for (int i = 0; i < 4; i++)
		errors[i] = pthread_create(&threads[i], &attr, in_thread, NULL);
	for (int i = 0; i < 4; i++)
		if (!errors[i])
			pthread_join(threads[i], NULL);
	memory = malloc(200000);
	printf("%s: threads %d %d %d %d, malloc %d\n", what, errors[0], errors[1], errors[2],
	       errors[3], !!memory);
	free(memory);
	CHECK(!pthread_attr_destroy(&attr));
}

static void limit(int resource, rlim_t limit)
{
	const struct rlimit both = { limit, limit };

	CHECK(!setrlimit(resource, &both));
}

int main(void)
{
	limit(RLIMIT_DATA, 1 << 20);
	try("data");
	limit(RLIMIT_AS, 8 << 20);
	try("address space");
	return 0;
}
