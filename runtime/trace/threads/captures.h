/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Keeps the arguments of a call until the call ends, because only then it is known whether
 * the call is recorded. Each thread has space for PB_CAPTURES_WORDS, used like a stack:
 * calls are in the order of their frames. When a call with a higher frame comes, all calls
 * with lower frames are dropped, since longjmp() has ended them.
 */
#ifndef PB_TRACE_CAPTURES_H
#define PB_TRACE_CAPTURES_H

#include <stddef.h>
#include <stdint.h>

#define PB_CAPTURES_WORDS 2046

struct pb_captures {
	uint64_t top;  /* words in use */
	uint64_t uses; /* the number of calls that were kept here */
	uint64_t word[PB_CAPTURES_WORDS];
};

/*
 * Reserve @nr words for this call, until pb_captures_take(). Returns NULL if there is no
 * space. Preserves errno.
 */
uint64_t *pb_captures_keep(uintptr_t frame, uint64_t function, size_t nr);

/* Keep only @nr of the @most words of the last pb_captures_keep(). */
void pb_captures_trim(uint64_t *words, size_t most, size_t nr);

/*
 * Returns the words that were kept for the call, and their number, or NULL if there was no
 * space. The words stay valid until the thread's next call.
 */
const uint64_t *pb_captures_take(uintptr_t frame, uint64_t function, size_t *nr);

#endif /* PB_TRACE_CAPTURES_H */
