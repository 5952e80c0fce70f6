/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Keeps the arguments of a call until it ends: only then it is known whether
 * the call is recorded. Each thread has room for PB_CAPTURES_WORDS. The calls
 * lie there as on the thread's stack, ordered by frame. So the next call from
 * above drops all calls that longjmp() has cut off.
 */
#ifndef PB_TRACE_CAPTURES_H
#define PB_TRACE_CAPTURES_H

#include <stddef.h>
#include <stdint.h>

#define PB_CAPTURES_WORDS 2046

struct pb_captures {
	uint64_t top;  /* words in use */
	uint64_t uses; /* how often a call was kept here */
	uint64_t word[PB_CAPTURES_WORDS];
};

/*
 * Reserve @nr words for this call until pb_captures_take(). Returns NULL
 * without room. Keeps errno.
 */
uint64_t *pb_captures_keep(uintptr_t frame, uint64_t function, size_t nr);

/* Keep only @nr of the @most words of the last pb_captures_keep(). */
void pb_captures_trim(uint64_t *words, size_t most, size_t nr);

/*
 * Return these words and *@nr, or NULL if there was no room. They stay valid
 * until the next call.
 */
const uint64_t *pb_captures_take(uintptr_t frame, uint64_t function, size_t *nr);

#endif /* PB_TRACE_CAPTURES_H */
