/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Per-thread counts for each function: histograms or, if only some calls are recorded
 * (sample.c), the number of calls. Each thread has its own chunks of the data file, so
 * counting needs no lock. At a thread's first call of a function, the thread takes an
 * unused element of a chunk and stores the address of the element in its table.
 */
#ifndef PB_TRACE_TALLY_H
#define PB_TRACE_TALLY_H

#include "format/format.h"

#include <stddef.h>

struct pb_thread_state;

#define PB_TALLY_CHUNKS 64

/*
 * The counters of a thread. fork() fills them with zeros: a child counts in its own file.
 * @nr:      the number of elements in @of
 * @used:    by chunk: the number of elements taken; may exceed the capacity of the chunk
 * @smaller: the thread's previous table
 * @of:      elements; the first word of each is its function's number plus 1
 */
struct pb_tally {
	uint64_t nr;
	size_t size;
	uint64_t nr_chunks;
	uint64_t used[PB_TALLY_CHUNKS];
	struct pb_tally *smaller;
	struct pbd_histograms *chunk[PB_TALLY_CHUNKS];
	uint64_t *of[];
};

extern __thread struct pb_tally *pb_tally
	__attribute__((tls_model("initial-exec")));

/*
 * The kind of the chunks and the size of an element. Global, because only one tracer at a
 * time uses tallies.
 */
extern enum pbd_kind pb_tally_kind;
extern size_t pb_tally_size;

uint64_t *pb_tally_make(uint64_t place, uint64_t function);

/*
 * Returns the element at @place, for the function with this number; makes it if necessary.
 * NULL: the call is not counted, or counts as lost.
 */
static inline uint64_t *pb_tally_get(uint64_t place, uint64_t function)
{
	struct pb_tally *own = pb_tally;
	uint64_t *counts = NULL;

	if (__builtin_expect(own && place < own->nr, 1))
		counts = own->of[place];
	return __builtin_expect(counts != NULL, 1) ?
		       counts :
		       pb_tally_make(place, function);
}

/* Write the new name of thread @of to its chunks. The caller holds the session's lock. */
void pb_tally_write_name(const struct pb_thread_state *of);

/*
 * Release the counters of an ended thread. NULL is allowed. The caller holds the session's
 * lock.
 */
void pb_tally_release(struct pb_tally *of);

/*
 * Make tables with elements for all present functions, for threads that begin when system
 * calls are forbidden (sandbox.c). The caller holds the session's lock. Returns 0 or
 * -errno.
 */
int pb_tallies_make_spare(void);

/*
 * The process has left the file: empty the thread's table, but do not free it. NULL is
 * allowed. The caller holds the session's lock.
 */
void pb_tally_forget(struct pb_tally *of);

#endif /* PB_TRACE_TALLY_H */
