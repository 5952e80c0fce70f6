/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * hot_callee() times and logs itself: the lower bound for any tracer of durations. The
 * function reads the clock twice and, with RECORD, writes a record of 24 bytes to a ring,
 * without checks and for a single writer.
 */
#include <stdint.h>

unsigned int hot_callee(unsigned int x);

#ifdef RECORD
static struct record {
	uint64_t start, function, duration;
} ring[8192], *next = ring;
#else
static volatile uint64_t longest;
#endif

__attribute__((aligned(64))) unsigned int hot_callee(unsigned int x)
{
	uint64_t start = __builtin_readcyclecounter(), duration;

	x++;
	/* Keep the body between the two reads of the clock. */
	__asm__ volatile("" : "+r"(x) : : "memory");
	duration = __builtin_readcyclecounter() - start;
#ifdef RECORD
	next->start = start;
	next->function = (uintptr_t)hot_callee;
	next->duration = duration;
	if (++next == ring + sizeof(ring) / sizeof(ring[0]))
		next = ring;
#else
	if (duration > UINT64_C(1) << 40)
		longest = duration;
#endif
	return x;
}
