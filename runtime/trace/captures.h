/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What arguments were when a call began, kept until it has ended: only then it is known
 * whether it is recorded. Each thread has room for so many words; calls lie there as on
 * its stack, by their frames, so what longjmp() cuts off is gone at the next call from
 * above it.
 */
#ifndef PB_TRACE_CAPTURES_H
#define PB_TRACE_CAPTURES_H

#include <stddef.h>
#include <stdint.h>

#define PB_CAPTURES_WORDS 2046

struct pb_captures {
	uint64_t top;  /* words in use */
	uint64_t uses; /* how often something was kept here */
	uint64_t word[PB_CAPTURES_WORDS];
};

/* Room for @nr words of this call, until pb_captures_take(), or NULL. Keeps errno. */
uint64_t *pb_captures_keep(uintptr_t frame, uint64_t function, size_t nr);

/*
 * Of the @most words that pb_captures_keep() has made room for, as the last, keep @nr.
 */
void pb_captures_trim(uint64_t *words, size_t most, size_t nr);

/* These words and *@nr, or NULL: there was no room. They stay until the next call. */
const uint64_t *pb_captures_take(uintptr_t frame, uint64_t function, size_t *nr);

#endif /* PB_TRACE_CAPTURES_H */
