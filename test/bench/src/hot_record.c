/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * hot_callee() times and records itself like libpatchbay-trace (trace/threads/ring.h), in
 * records of BYTES bytes. 24 is the size in trace/format/format.h; other values test
 * smaller records. Records of all sizes are reserved and committed in the same way, so that
 * signal handlers may record in between and readers may read concurrently.
 *
 * 16: the lower half of the time at the exit; function, frame; pass, kind and a duration of
 *     24 bits. A longer call, or a new upper half, needs one more record.
 * 12: the same without the frame.
 * 8:  time since the previous record (20 bits), duration (16), and a number of the function
 *     (20), which must be looked up. If a signal handler records in between, the time since
 *     the previous record is wrong, and one more record is needed. This benchmark does not
 *     handle that case.
 *
 * With FRESH each block is untouched memory, as in a recording that keeps all events.
 * Otherwise blocks are a ring that stays in the cache.
 */
#include "threads/ring.h"

#include <stdlib.h>
#include <sys/mman.h>

unsigned int hot_callee(unsigned int x);

#define RING_BYTES (FRESH ? 64u << 20 : 256u << 10)

struct pb_ring pb_no_ring;
__thread uintptr_t pb_ring_distance;

static struct {
	struct pb_ring ring;
	uint64_t time; /* upper half of the time; with 8 bytes, time of the previous record */
} mine;

/* Numbers of functions by their position in the text. */
static uint32_t numbers[4096];

/* The slow path: a new block, and values that do not fit. */
static __attribute__((noinline)) void slowly(uint64_t now)
{
	if (mine.ring.block) {
		if (mine.ring.next < mine.ring.end) { /* a record with the time */
			mine.time = BYTES == 8 ? now : now >> 32;
			mine.ring.next += BYTES;
			return;
		}
		if (FRESH)
			munmap(mine.ring.block, RING_BYTES);
	}
	if (FRESH || !mine.ring.block)
		mine.ring.block = mmap(NULL, RING_BYTES, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mine.ring.block == MAP_FAILED)
		abort();
	mine.ring.next = (uintptr_t)mine.ring.block;
	mine.ring.end = mine.ring.next + RING_BYTES - BYTES;
	mine.time = BYTES == 8 ? now : now >> 32;
	pb_ring_distance = (uintptr_t)&mine.ring - (uintptr_t)&pb_no_ring;
}

#if BYTES == 24

static inline void record(uint64_t start, uint64_t now, uint64_t function,
			  uintptr_t frame)
{
	uint64_t duration = now - start;

	if (__builtin_expect(duration > PBD_DETAIL_MAX, 0))
		duration = PBD_DETAIL_MAX;
	if (__builtin_expect(!pb_ring_try(start, function, frame,
					  duration << PBD_DETAIL_SHIFT |
						  PBD_RECORD_CALL),
			     0))
		slowly(now);
}

#else

static inline void commit(uint64_t next, uint64_t now, uint64_t function,
			  uintptr_t frame, uint64_t duration)
{
	uint64_t pass = next >> PB_PASS_SHIFT << PBD_KIND_BITS | PBD_RECORD_CALL;
	void *at = (void *)(next << PBD_PASS_BITS >> PBD_PASS_BITS);

#if BYTES == 8
	uint64_t since = now - mine.time;

	(void)frame;
	mine.time = now;
	/* A single store commits the record. */
	__atomic_store_n((uint64_t *)at,
			 pass | duration << 8 | since << 24 | function << 44,
			 __ATOMIC_RELEASE);
#else
	uint32_t *words = at;

	__atomic_store_n(&words[BYTES / 4 - 1], 0, __ATOMIC_RELAXED);
	__atomic_store_n(&words[0], (uint32_t)now, __ATOMIC_RELEASE);
	__atomic_store_n(&words[1], (uint32_t)function, __ATOMIC_RELEASE);
	if (BYTES == 16)
		__atomic_store_n(&words[2], (uint32_t)(frame >> 4), __ATOMIC_RELEASE);
	__atomic_store_n(&words[BYTES / 4 - 1], (uint32_t)(duration << 8 | pass),
			 __ATOMIC_RELEASE);
#endif
}

static inline int fits(uint64_t now, uint64_t duration)
{
	if (BYTES == 8)
		return now - mine.time < 1 << 20 && duration < 1 << 16;
	return now >> 32 == mine.time && duration < 1 << 24;
}

static inline void record(uint64_t start, uint64_t now, uint64_t function,
			  uintptr_t frame)
{
	struct pb_ring *ring = pb_ring_find();
	uint64_t next, end;

	if (BYTES == 8)
		function = numbers[function >> 4 & 4095];
	if (__builtin_expect(!fits(now, now - start), 0))
		return slowly(now);
	do {
		next = __atomic_load_n(&ring->next, __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		end = __atomic_load_n(&ring->end, __ATOMIC_RELAXED);
		if (__builtin_expect(next >= end, 0))
			return slowly(now);
	} while (!pb_local_cmpxchg(&ring->next, next, next + BYTES));
	commit(next, now, function, frame, now - start);
}

#endif

__attribute__((aligned(64))) unsigned int hot_callee(unsigned int x)
{
	uint64_t start = __builtin_readcyclecounter();
	uintptr_t function, frame;

	x++;
	/*
	 * Keep the body between the two clock readings. A handler gets x and frame in
	 * registers.
	 */
	__asm__ volatile("" : "+r"(x), "=r"(frame) : : "memory");
	__asm__ volatile("" : "=r"(function) : "0"(hot_callee));
	record(start, __builtin_readcyclecounter(), function, frame);
	return x;
}
