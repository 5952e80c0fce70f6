/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What each thread counts of each function: histograms, or how often a function was
 * called of which only some calls are recorded (sample.c). It counts in pages of the
 * data file, which only it and its signal handlers write to. What is counted of a
 * function is in a chunk once the thread has called it; a table leads there.
 */
#ifndef PB_TRACE_TALLY_H
#define PB_TRACE_TALLY_H

#include "format.h"

#include <stddef.h>

struct pb_thread_state;

#define PB_TALLY_CHUNKS 64

/*
 * What a thread has counted in. It is in memory that fork() fills with zeros, so
 * that a child begins anew, in a file of its own.
 * @nr:      places that there are in @of
 * @used:    elements of each chunk that belong to a function, or more
 * @smaller: the thread's table before this one
 * @of:      elements; the first word of each is its function's number, and 1
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

/* Of chunks and of each element: there is one tracer that counts in this way. */
extern enum pbd_kind pb_tally_kind;
extern size_t pb_tally_size;

uint64_t *pb_tally_make(uint64_t place, uint64_t function);

/*
 * The element at @place, of the function with this number, made if need be. NULL: the
 * call is not counted, or is among those that are lost.
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

/* @of has another name than what it counts in says. With the session's lock held. */
void pb_tally_write_name(const struct pb_thread_state *of);

/*
 * The thread that counted in it is gone: what it counted is for readers only. NULL
 * is no table. With the session's lock held.
 */
void pb_tally_release(struct pb_tally *of);

/*
 * For threads that begin when no system calls may be made: tables in advance,
 * for all functions there are. With the session's lock held. Returns 0 or -errno.
 */
int pb_tallies_make_spare(void);

/*
 * What it leads to is not to be counted in any more, as the file is over: the tables
 * stay their threads', empty. NULL: none. With the session's lock held.
 */
void pb_tally_forget(struct pb_tally *of);

#endif /* PB_TRACE_TALLY_H */
