/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The function_profile tracer with histogram=1: each thread counts, for each
 * function, how long its calls took. What it counts in are pages of the data
 * file, which only it and its signal handlers write to, with additions that are
 * atomic with respect to these and need no bus lock.
 */
#include "histogram.h"

#include "losses.h"
#include "session.h"
#include "thread.h"
#include "thread_choice.h"
#include "tracers.h"

#include <counter.h>
#include <patchbay/exit.h>

#include <linux/prctl.h>
#include <sys/mman.h>

/* Of a thread's first chunk; each is twice as large as the one before. */
#define CHUNK_MIN 4096u
#define MAX_CHUNKS 24
#define MIN_FUNCTIONS 1024u

/*
 * What a thread has counted in. It is in memory that fork() fills with zeros, so
 * that a child begins anew, in a file of its own.
 * @nr:      functions that there is room for in @of
 * @used:    histograms of the last chunk that belong to a function
 * @smaller: the thread's table before this one
 */
struct pb_histogram_table {
	uint64_t nr;
	size_t size;
	uint32_t nr_chunks;
	uint64_t used;
	struct pb_histogram_table *smaller;
	struct pbd_histograms *chunk[MAX_CHUNKS];
	struct pbd_histogram *of[];
};

static __thread struct pb_histogram_table *table
	__attribute__((tls_model("initial-exec")));

static uint64_t capacity(const struct pbd_histograms *chunk)
{
	return (chunk->chunk.size - sizeof(*chunk)) /
	       sizeof(chunk->histogram[0]);
}

static int add_chunk(struct pb_histogram_table *own)
{
	struct pbd_histograms *chunk;
	int error;

	if (own->nr_chunks == MAX_CHUNKS)
		return -ENOBUFS;
	chunk = pb_data_reserve(&pb_session->file, PBD_HISTOGRAMS,
				(size_t)CHUNK_MIN << own->nr_chunks, &error);
	if (!chunk)
		return error;
	chunk->thread = pb_self->number;
	chunk->tid = pb_self->tid;
	pb_sys(SYS_prctl, PR_GET_NAME, chunk->comm);
	pb_data_commit(&pb_session->file, &chunk->chunk);
	own->chunk[own->nr_chunks++] = chunk;
	own->used = 0;
	pb_session_tick();
	return 0;
}

static void release_chunk(const struct pbd_histograms *chunk)
{
	uintptr_t start = (uintptr_t)chunk & ~(pb_page_size - 1);
	uintptr_t end = (uintptr_t)chunk + chunk->chunk.size;

	pb_sys(SYS_munmap, start, end - start);
}

void pb_histogram_release(struct pb_histogram_table *of)
{
	while (of) {
		struct pb_histogram_table *smaller = of->smaller;

		while (of->nr_chunks)
			release_chunk(of->chunk[--of->nr_chunks]);
		pb_sys(SYS_munmap, of, of->size);
		of = smaller;
	}
}

/*
 * A table with room for a function. The one before stays where it is: a handler
 * that this one interrupted may be reading it, and finds there what is right.
 */
static int make_table(uint64_t function)
{
	struct pb_histogram_table *own, *old = pb_self->histograms;
	uint64_t nr = MIN_FUNCTIONS;
	size_t size;
	int error;

	while (nr <= function)
		nr *= 2;
	size = sizeof(*own) + nr * sizeof(own->of[0]);
	own = pb_session_alloc(size, &error);
	if (!own)
		return error;
	if (old) {
		pb_copy(own, old, sizeof(*old) + old->nr * sizeof(old->of[0]));
		old->nr_chunks = 0; /* they are the new one's to release */
	}
	own->nr = nr;
	own->size = size;
	own->smaller = old;
	pb_self->histograms = own;
	table = own;
	return 0;
}

/* This thread, with a table in which the function has a place. */
static int make_place(uint64_t function)
{
	int error = pb_session_events();

	if (!error)
		pb_thread_begin(&error);
	/* A forked child's table is its parent's, and zeros. */
	if (!error && (!table || table->nr <= function))
		error = make_table(function);
	return error;
}

/* The histogram of a function, made if need be, or NULL. */
static struct pbd_histogram *make_histogram(uint64_t function)
{
	struct pbd_histograms *chunk;
	struct pbd_histogram *histogram;
	int error = make_place(function);

	/* A signal handler may have been quicker. */
	if (!error && table->of[function])
		return table->of[function];
	if (!error && (!table->nr_chunks ||
		       table->used ==
			       capacity(table->chunk[table->nr_chunks - 1])))
		error = add_chunk(table);
	if (error) {
		pb_data_note(&pb_session->file, error);
		return NULL;
	}
	chunk = table->chunk[table->nr_chunks - 1];
	histogram = &chunk->histogram[table->used++];
	histogram->function = function + 1;
	return table->of[function] = histogram;
}

static struct pbd_histogram *make_slowly(uint64_t function)
{
	struct pbd_histogram *histogram;
	pb_sigset signals;

	pb_signal_lock(&pb_session->lock, &signals);
	histogram = make_histogram(function);
	pb_session->failed = !histogram;
	pb_signal_unlock(&pb_session->lock, signals);
	return histogram;
}

/* NULL: the call is not counted, or is among those that are lost. */
static struct pbd_histogram *find_slowly(uint64_t function)
{
	struct pbd_histogram *histogram = NULL;
	int saved_errno = errno;

	if (pb_untraced)
		return NULL;
	if (pb_locked) {
		pb_count_loss(PBD_MISSED_IN_RECORDER);
		return NULL;
	}
	if (!pb_session->failed) {
		if (pb_thread_is_chosen(!pb_self || !pb_self->tid))
			histogram = make_slowly(function);
		else
			goto out;
	}
	if (!histogram) {
		pb_count_loss(PBD_LOST_SPACE);
		if (pb_session->chunk)
			__atomic_fetch_add(&pb_session->chunk->lost, 1,
					   __ATOMIC_RELAXED);
	}
out:
	errno = saved_errno;
	return histogram;
}

static void raise_longest(uint64_t *longest, uint64_t duration)
{
	uint64_t old;

	do
		old = __atomic_load_n(longest, __ATOMIC_RELAXED);
	while (old < duration && !pb_local_cmpxchg(longest, old, duration));
}

static unsigned int bucket_of(uint64_t duration)
{
	unsigned int log2 = 63u - (unsigned int)__builtin_clzll(duration | 1);

	return log2 < PBD_HISTOGRAM_BUCKETS ? log2 : PBD_HISTOGRAM_BUCKETS - 1;
}

void pb_histogram_exit(uintptr_t ip, uintptr_t parent_ip,
		       const struct patchbay_cell *cell,
		       struct patchbay_regs *regs)
{
	uint64_t duration = patchbay_duration(regs);
	uint64_t function = (uintptr_t)cell->data;
	struct pbd_histogram *histogram = NULL;
	struct pb_histogram_table *own = table;

	(void)ip;
	(void)parent_ip;
	if (__builtin_expect(own && function < own->nr, 1))
		histogram = own->of[function];
	if (__builtin_expect(!histogram, 0))
		histogram = find_slowly(function);
	if (!histogram)
		return;
	pb_local_add(&histogram->bucket[bucket_of(duration)], 1);
	pb_local_add(&histogram->total, duration);
	raise_longest(&histogram->longest, duration);
}
