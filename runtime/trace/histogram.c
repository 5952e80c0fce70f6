/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The function_profile tracer with histogram=1: each thread counts, for each
 * function, how long its calls took. What it counts in are pages of the data
 * file, which only it and its signal handlers write to, with additions that are
 * atomic with respect to these and need no bus lock.
 */
#include "histogram.h"

#include "index.h"
#include "local.h"
#include "losses.h"
#include "sandbox.h"
#include "thread.h"
#include "thread_choice.h"
#include "tracers.h"

#include <counter.h>
#include <patchbay/exit.h>

/* Of a thread's first chunk; each is twice as large as the one before. */
#define CHUNK_MIN 4096u
#define CHUNK_MAX (1u << 20)
#define MAX_CHUNKS 64
#define MIN_FUNCTIONS 1024u

/* So many tables are made in advance, for a sandbox. */
#define NR_SPARE 64

/*
 * What a thread has counted in. It is in memory that fork() fills with zeros, so
 * that a child begins anew, in a file of its own.
 * @nr:      functions that there is room for in @of
 * @used:    histograms of each chunk that belong to a function, or more
 * @smaller: the thread's table before this one
 */
struct pb_histogram_table {
	uint64_t nr;
	size_t size;
	uint64_t nr_chunks;
	uint64_t used[MAX_CHUNKS];
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

static void fill_in(struct pbd_histograms *chunk)
{
	chunk->thread = pb_self->number;
	chunk->tid = pb_self->tid;
	pb_copy(chunk->comm, pb_self->comm, sizeof(chunk->comm));
}

static struct pbd_histograms *reserve_chunk(uint64_t nr, int *error)
{
	size_t size = CHUNK_MAX;
	struct pbd_histograms *chunk;

	if (nr < 8) /* from CHUNK_MIN to CHUNK_MAX */
		size = (size_t)CHUNK_MIN << nr;
	chunk = pb_data_reserve(&pb_session->file, PBD_HISTOGRAMS, size, error);
	if (!chunk)
		return NULL;
	pb_thread_ask_name(pb_self);
	fill_in(chunk);
	pb_data_commit(&pb_session->file, &chunk->chunk);
	pb_session_tick();
	return chunk;
}

static struct pbd_histograms *spare_chunk(void)
{
	struct pbd_chunk *spare = pb_pool_take();
	struct pbd_histograms *chunk = (struct pbd_histograms *)spare;

	if (spare) {
		fill_in(chunk);
		pb_pool_publish(spare, PBD_HISTOGRAMS);
	}
	return chunk;
}

void pb_histogram_release(struct pb_histogram_table *of)
{
	while (of) {
		struct pb_histogram_table *smaller = of->smaller;

		for (uint64_t i = 0; i < of->nr_chunks && i < MAX_CHUNKS; i++)
			if (of->chunk[i] && !pb_pool_has(of->chunk[i]))
				pb_data_unmap(&pb_session->file,
					      &of->chunk[i]->chunk);
		pb_sys(SYS_munmap, of, of->size);
		of = smaller;
	}
}

void pb_histogram_forget(struct pb_histogram_table *of)
{
	for (; of; of = of->smaller) {
		for (uint64_t i = 0; i < of->nr; i++)
			of->of[i] = NULL;
		for (uint64_t i = 0; i < MAX_CHUNKS; i++) {
			of->used[i] = 0;
			of->chunk[i] = NULL;
		}
		of->nr = of->nr_chunks = 0;
	}
}

static size_t table_size(uint64_t nr)
{
	size_t size = sizeof(struct pb_histogram_table) +
		      nr * sizeof(struct pbd_histogram *);

	return (size + pb_page_size - 1) & ~(pb_page_size - 1);
}

static uint64_t rounded_up(uint64_t functions)
{
	uint64_t nr = MIN_FUNCTIONS;

	while (nr < functions)
		nr *= 2;
	return nr;
}

int pb_histograms_make_spare(void)
{
	uint64_t nr = rounded_up(pb_nr_functions);
	int error;
	void *memory = pb_session_alloc(NR_SPARE * table_size(nr), &error);

	if (!memory)
		return error;
	pb_session->spare_tables = memory;
	pb_session->spare_table_functions = nr;
	__atomic_store_n(&pb_session->nr_spare_tables, NR_SPARE,
			 __ATOMIC_RELEASE);
	return 0;
}

/* Other threads may do the same. */
static struct pb_histogram_table *spare_table(uint64_t function, uint64_t *nr)
{
	uint64_t *left = &pb_session->nr_spare_tables;
	uint64_t old = __atomic_load_n(left, __ATOMIC_ACQUIRE);

	*nr = pb_session->spare_table_functions;
	do {
		if (!old || function >= *nr)
			return NULL;
	} while (!__atomic_compare_exchange_n(left, &old, old - 1, 1,
					      __ATOMIC_ACQUIRE,
					      __ATOMIC_ACQUIRE));
	return (void *)(pb_session->spare_tables + (old - 1) * table_size(*nr));
}

/*
 * A table with room for a function. The one before stays where it is: a handler
 * that this one interrupted may be reading it, and finds there what is right.
 * @free: system calls may be made, and the session's lock is held.
 */
static int make_table(uint64_t function, int free)
{
	struct pb_histogram_table *own, *old = pb_self->histograms;
	uint64_t nr = rounded_up(function + 1);
	int error = -ENOMEM;

	/* That of an earlier recording. */
	if (old && !old->nr && old->size >= table_size(nr)) {
		old->nr = nr;
		return 0;
	}
	own = free ? pb_session_alloc(table_size(nr), &error) :
		     spare_table(function, &nr);
	if (!own)
		return error;
	if (old) {
		pb_copy(own, old, sizeof(*old) + old->nr * sizeof(old->of[0]));
		old->nr_chunks = 0; /* they are the new one's to release */
	}
	own->nr = nr;
	own->size = table_size(nr);
	own->smaller = old;
	pb_self->histograms = own;
	table = own;
	return 0;
}

/* This thread, with a table in which the function has a place. */
static int make_place(uint64_t function, int free)
{
	int error = free ? pb_session_events() : 0;

	if (!error && free)
		pb_thread_begin(&error);
	else if (!error && !pb_thread_begin_spare())
		error = -ENOMEM;
	/* A forked child's table is its parent's, and zeros. */
	if (!error && (!table || table->nr <= function))
		error = make_table(function, free);
	return error;
}

/* One that nobody uses, or NULL: the last chunk is full, or there is none. */
static struct pbd_histogram *next_unused(struct pb_histogram_table *own)
{
	uint64_t last = own->nr_chunks - 1, i;
	struct pbd_histograms *chunk;

	/* A signal handler may have counted beyond what there is. */
	if (last >= MAX_CHUNKS)
		return NULL;
	/* NULL: whoever made room for it is interrupted, or has been for good. */
	chunk = own->chunk[last];
	if (!chunk || own->used[last] >= capacity(chunk))
		return NULL;
	i = pb_count_up(&own->used[last]);
	return i < capacity(chunk) ? &chunk->histogram[i] : NULL;
}

static int add_chunk(struct pb_histogram_table *own, int free)
{
	struct pbd_histograms *chunk;
	int error = -ENOBUFS;
	uint64_t nr;

	if (own->nr_chunks >= MAX_CHUNKS)
		return -ENOBUFS;
	chunk = free ? reserve_chunk(own->nr_chunks, &error) : spare_chunk();
	if (!chunk)
		return error;
	nr = pb_count_up(&own->nr_chunks);
	if (nr >= MAX_CHUNKS)
		return -ENOBUFS;
	own->chunk[nr] = chunk;
	return 0;
}

/*
 * The histogram of a function, made if need be, or NULL and *@error. A signal
 * handler that comes in between may do the same: if that is for the same
 * function, it has two, or the one made here stays empty.
 */
static struct pbd_histogram *make_histogram(uint64_t function, int free,
					    int *error)
{
	struct pbd_histogram *histogram;

	*error = make_place(function, free);
	/* A signal handler may have been quicker. */
	if (!*error && table->of[function])
		return table->of[function];
	while (!*error) {
		histogram = next_unused(table);
		if (histogram) {
			histogram->function = function + 1;
			return table->of[function] = histogram;
		}
		*error = add_chunk(table, free);
	}
	return NULL;
}

static struct pbd_histogram *make_locked(uint64_t function)
{
	struct pbd_histogram *histogram;
	pb_sigset signals;
	int error;

	pb_signal_lock(&pb_session->lock, &signals);
	histogram = make_histogram(function, 1, &error);
	if (!histogram && pb_session->file.header)
		pb_data_note(&pb_session->file, error);
	pb_session->failed = !histogram && !pb_data_is_passing(error);
	pb_signal_unlock(&pb_session->lock, signals);
	return histogram;
}

/* NULL: the call is not counted, or is among those that are lost. */
static struct pbd_histogram *find_slowly(uint64_t function)
{
	struct pbd_histogram *histogram = NULL;
	int saved_errno = errno, chosen = 1, free, error;

	if (pb_untraced)
		return NULL;
	if (pb_locked) {
		pb_count_loss(PBD_MISSED_IN_RECORDER);
		return NULL;
	}
	free = pb_syscalls_begin();
	if (!pb_session->failed)
		chosen = pb_thread_is_chosen(!pb_self || !pb_self->number);
	if (chosen && !pb_session->failed)
		histogram = free ? make_locked(function) :
				   make_histogram(function, 0, &error);
	if (free)
		pb_syscalls_end();
	if (chosen && !histogram)
		pb_ring_lose(free ? PBD_LOST_SPACE : PBD_LOST_SANDBOX);
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
	uint64_t function = pb_index_get(cell->data, ip);
	struct pbd_histogram *histogram = NULL;
	struct pb_histogram_table *own = table;

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
