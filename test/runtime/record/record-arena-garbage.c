/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A traced program that writes garbage to the memory shared with `patchbay record` does
 * no harm. The command ends, and writes only to files of the recording. The program
 * continues, even if the garbage is in heads of blocks that its threads use.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -I %patchbay_source/runtime -o %t/prog %link -pthread
// RUN: cd %t && echo precious > 1.pbd && cp 1.pbd notes.pbd && cp 1.pbd before
// RUN: %patchbay record -t function_duration -F step -o out -- ./prog
// RUN: cmp before 1.pbd && cmp before notes.pbd && ls out | FileCheck %s
// CHECK: {{^[0-9]+\.pbd$}}
// CHECK-NOT: {{.}}

#include "../Inputs/check.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <trace/format/arena.h>
#include <unistd.h>

OPAQUE void step(void)
{
	__asm__ volatile("");
}

static struct pba_arena *find_arena(void)
{
	const char *at = strstr(getenv("PATCHBAY"), ",arena=") + strlen(",arena=");
	char path[64] = "";
	void *mapped;

	memcpy(path, at, strcspn(at, ","));
	mapped = mmap(NULL, PBA_SIZE(PBA_CHUNKS_MAX, PBA_PAGES_MAX), PROT_READ | PROT_WRITE, MAP_SHARED,
		      open(path, O_RDWR), 0);
	CHECK(mapped != MAP_FAILED);
	return mapped;
}

static uint64_t one_of(const uint64_t *values, size_t nr)
{
	return values[(size_t)rand() % nr];
}

/* Returns the head of one of the first blocks, which threads use. */
static uint64_t *block_head(struct pba_arena *arena)
{
	return (uint64_t *)((char *)arena + PBA_DATA_AT +
			    (uint64_t)(rand() % 4) * PBA_CHUNK_SIZE);
}

/* Makes calls, which need new blocks, while another thread writes garbage. */
static void *steps(void *arg)
{
	while (!__atomic_load_n((int *)arg, __ATOMIC_RELAXED))
		step();
	return NULL;
}

int main(void)
{
	static const char *const names[] = { "../1.pbd", "../notes.pbd", "1.pbd", "/dev/zero",
					     "..", "" };
	static const uint64_t offsets[] = { 0, 8, 4096, 1 << 20, UINT64_MAX, UINT64_MAX - 7,
					    UINT64_MAX << 20, 104 };
	struct pba_arena *arena = find_arena();
	struct pba_chunk real;
	const time_t end = time(NULL) + 3;
	int is_over = 0;
	pthread_t thread;

	for (int i = 0; i < 400000; i++)
		step();
	real = arena->chunk[0];
	snprintf(real.file, sizeof(real.file), "%d.pbd", (int)getpid());
	CHECK(!pthread_create(&thread, NULL, steps, &is_over));
	while (time(NULL) < end) {
		struct pba_chunk *chunk = &arena->chunk[rand() % PBA_CHUNKS_MAX];

		*chunk = real;
		chunk->at = one_of(offsets, sizeof(offsets) / sizeof(offsets[0]));
		if (rand() % 2)
			strcpy(chunk->file, names[rand() % 6]);
		if (rand() % 4 == 0)
			memset(chunk->file, 'x', sizeof(chunk->file));
		arena->nr = (uint32_t)rand();
		chunk->state = (uint32_t)rand() % 8;
		block_head(arena)[rand() % 8] = (uint64_t)rand() << 40;
	}
	__atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	return 0;
}
