/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Empties caches and TLBs, then calls every function of the table once, in a random order
 * that is equal in all systems. Only the text is cold: the table itself is read
 * sequentially.
 *
 * A sweep consists of several slices, because slices should be short (worker.h). A slice
 * continues after the end of the previous slice.
 */
#include "worker.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

typedef unsigned int function(unsigned int);

/* The generated files define these; see harness/functions.py. */
extern function *__start_bench_functions[], *__stop_bench_functions[];

static function **next;
static size_t calls_since_evict; /* 0 at the start: the first sweep runs without eviction */

static uint64_t xorshift(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

__attribute__((constructor)) static void shuffle(void)
{
	function **table = __start_bench_functions;
	size_t nr = __stop_bench_functions - table;
	uint64_t state = 0x9e3779b97f4a7c15;

	for (size_t i = nr - 1; i > 0; i--) {
		size_t j = xorshift(&state) % (i + 1);
		function *other = table[j];

		table[j] = table[i];
		table[i] = other;
	}
	next = table;
}

/*
 * Evict text: read memory of four times the size of the second-level cache, in small pages,
 * whose number also exceeds the entries of the second-level TLB.
 */
void load_prepare(void)
{
	static volatile char *evict;
	static size_t size;

	size_t nr = __stop_bench_functions - __start_bench_functions;

	if (calls_since_evict < nr)
		return;
	calls_since_evict = 0;
	if (!evict) {
		long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
		void *memory;

		size = 4 * (l2 > 0 ? l2 : 4 << 20);
		memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory == MAP_FAILED)
			_exit(1);
		madvise(memory, size, MADV_NOHUGEPAGE);
		evict = memory;
		for (size_t i = 0; i < size; i += 64)
			evict[i] = 1;
	}
	for (size_t i = 0; i < size; i += 64)
		(void)evict[i];
}

__attribute__((aligned(64))) uint64_t load_run(uint64_t calls)
{
	function **f = next;
	unsigned int x = 1;

	calls_since_evict += calls;
	for (uint64_t i = 0; i < calls; i++) {
		x = (*f++)(x);
		if (f == __stop_bench_functions)
			f = __start_bench_functions;
	}
	next = f;
	return x;
}
