/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * If a child is forked while recordings of its running process begin and end, the child
 * frees no block that its parent has freed. The test slows down the runtime's free(),
 * so that many forks happen during that time.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog
// RUN: cd %t && ./prog 1000 %patchbay 2>&1 | FileCheck %s
/* The forking thread does not wait for the end of a recording. */
// RUN: cd %t && ./prog 15000 %patchbay 2>&1 | FileCheck %s
// CHECK-COUNT-4: 1 process recorded in data
// CHECK: {{^}}children: right{{$}}
#include "../Inputs/check.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIVE = 0x4c495645, FREED = 0x46524545, ARENA = 256 << 20 };

/* An allocator that never reuses a block. */
struct block {
	unsigned int state;
	size_t size;
} __attribute__((aligned(16)));

static char arena[ARENA] __attribute__((aligned(16)));
static atomic_size_t taken;
static __thread int is_own; /* a thread of the program, not of the runtime */
static int pause_us;

void *malloc(size_t size)
{
	const size_t whole = sizeof(struct block) + ((size + 15) & ~(size_t)15);
	const size_t at = atomic_fetch_add(&taken, whole);
	struct block *block = (struct block *)(arena + at);

	if (at + whole > ARENA)
		abort();
	block->state = LIVE;
	block->size = size;
	return block + 1;
}

void free(void *p)
{
	struct block *block = p;

	if (!p)
		return;
	if (block[-1].state != LIVE)
		abort();
	block[-1].state = FREED;
	if (!is_own && pause_us)
		usleep((useconds_t)pause_us);
}

void *calloc(size_t nr, size_t size) { return malloc(nr * size); }

void *realloc(void *p, size_t size)
{
	void *other = malloc(size);
	const size_t before = p ? ((struct block *)p)[-1].size : 0;

	if (p)
		memcpy(other, p, before < size ? before : size);
	free(p);
	return other;
}

OPAQUE int step(int a) { return a + 1; }

static atomic_int ended, failed;

static void *fork_on(void *arg)
{
	is_own = 1;
	while (!ended) {
		const pid_t child = fork();
		int status;

		CHECK(child >= 0);
		if (!child)
			_exit(step(1) != 2);
		CHECK_EQ(waitpid(child, &status, 0), child);
		failed += status != 0;
	}
	return arg;
}

int main(int argc, char **argv)
{
	char command[4096];
	pthread_t thread;

	CHECK_EQ(argc, 3);
	is_own = 1;
	pause_us = atoi(argv[1]);
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	snprintf(command, sizeof(command), "%s record -t count -F step -o data -p %d -- sleep 0.1",
		 argv[2], (int)getpid());
	CHECK_EQ(pthread_create(&thread, NULL, fork_on, NULL), 0);
	for (int i = 0; i < 4; i++)
		CHECK_EQ(system(command), 0);
	ended = 1;
	CHECK_EQ(pthread_join(thread, NULL), 0);
	if (failed)
		printf("children: %d failed\n", failed);
	else
		puts("children: right");
	return 0;
}
