/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tally.h"

#include "count_losses.h"
#include "file/arena.h"
#include "session/memory_limit.h"
#include "session/recording.h"
#include "session/syscalls.h"
#include "system/local.h"
#include "thread.h"
#include "thread_choice.h"

/* Each chunk of a thread is twice as large as its previous chunk, up to CHUNK_MAX. */
#define CHUNK_MIN 4096u
#define CHUNK_MAX (1u << 20)
#define MIN_FUNCTIONS 1024u

/* The number of tables that are made in advance for a sandbox. */
#define NR_SPARE 64

/* Code below uses struct pbd_histograms for both kinds of chunks. */
_Static_assert(offsetof(struct pbd_samples, sample) ==
			       offsetof(struct pbd_histograms, histogram) &&
		       offsetof(struct pbd_samples, comm) ==
			       offsetof(struct pbd_histograms, comm) &&
		       offsetof(struct pbd_sample, function) == 0 &&
		       offsetof(struct pbd_histogram, function) == 0,
	       "struct pbd_samples is not as struct pbd_histograms");

enum pbd_kind pb_tally_kind = PBD_HISTOGRAMS;
size_t pb_tally_size = sizeof(struct pbd_histogram);

__thread struct pb_tally *pb_tally __attribute__((tls_model("initial-exec")));

static uint64_t capacity(const struct pbd_histograms *chunk)
{
	return (pb_arena_size(&chunk->chunk, sizeof(*chunk)) - sizeof(*chunk)) / pb_tally_size;
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

	if (nr < 8) /* sizes below CHUNK_MAX */
		size = (size_t)CHUNK_MIN << nr;
	if (!pb_memory_has_room(size, !nr)) {
		*error = -PB_OVER_MEMORY;
		return NULL;
	}
	chunk = pb_data_reserve(&pb_session->file, pb_tally_kind, size, error);
	if (!chunk)
		return NULL;
	pb_memory_take(size);
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
		pb_pool_publish(spare, pb_tally_kind);
	}
	return chunk;
}

void pb_tally_write_name(const struct pb_thread_state *of)
{
	for (struct pb_tally *own = of->tally; own; own = own->smaller)
		for (uint64_t i = 0; i < own->nr_chunks && i < PB_TALLY_CHUNKS; i++)
			if (own->chunk[i])
				pb_copy(own->chunk[i]->comm, of->comm,
					sizeof(own->chunk[i]->comm));
}

void pb_tally_release(struct pb_tally *of)
{
	while (of) {
		struct pb_tally *smaller = of->smaller;

		for (uint64_t i = 0; i < of->nr_chunks && i < PB_TALLY_CHUNKS; i++)
			if (of->chunk[i] && !pb_pool_has(of->chunk[i])) {
				pb_memory_give(of->chunk[i]->chunk.size);
				pb_data_unmap(&pb_session->file,
					      &of->chunk[i]->chunk);
			}
		pb_sys(SYS_munmap, of, of->size);
		of = smaller;
	}
}

void pb_tally_forget(struct pb_tally *of)
{
	for (; of; of = of->smaller) {
		/*
		 * Write only to used elements, so that untouched pages of a large table
		 * stay unallocated.
		 */
		for (uint64_t i = 0; i < of->nr; i++)
			if (of->of[i])
				of->of[i] = NULL;
		for (uint64_t i = 0; i < PB_TALLY_CHUNKS; i++) {
			of->used[i] = 0;
			of->chunk[i] = NULL;
		}
		of->nr = of->nr_chunks = 0;
	}
}

static size_t table_size(uint64_t nr)
{
	size_t size = sizeof(struct pb_tally) + nr * sizeof(uint64_t *);

	return (size + pb_page_size - 1) & ~(pb_page_size - 1);
}

static uint64_t rounded_up(uint64_t functions)
{
	uint64_t nr = MIN_FUNCTIONS;

	while (nr < functions)
		nr *= 2;
	return nr;
}

int pb_tallies_make_spare(void)
{
	uint64_t nr = rounded_up(pb_nr_places ? pb_nr_places : pb_nr_functions);
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

/* Take a spare table. Several threads may call this at the same time. */
static struct pb_tally *spare_table(uint64_t place, uint64_t *nr)
{
	uint64_t *left = &pb_session->nr_spare_tables;
	uint64_t old = __atomic_load_n(left, __ATOMIC_ACQUIRE);

	*nr = pb_session->spare_table_functions;
	do {
		if (!old || place >= *nr)
			return NULL;
	} while (!__atomic_compare_exchange_n(left, &old, old - 1, 1,
					      __ATOMIC_ACQUIRE,
					      __ATOMIC_ACQUIRE));
	return (void *)(pb_session->spare_tables + (old - 1) * table_size(*nr));
}

/*
 * Make a table with an element for @place. Keeps the previous table unchanged, because a
 * handler that was interrupted by this code may still read that table. @free: the thread
 * may make system calls, and holds the session's lock.
 */
static int make_table(uint64_t place, int free)
{
	struct pb_tally *own, *old = pb_self->tally;
	uint64_t nr = rounded_up(place + 1);
	int error = -ENOMEM;

	/* Reuse the empty table of an earlier recording, if it is large enough. */
	if (old && !old->nr && old->size >= table_size(nr)) {
		old->nr = nr;
		return 0;
	}
	own = free ? pb_session_alloc(table_size(nr), &error) :
		     spare_table(place, &nr);
	if (!own)
		return error;
	if (old) {
		pb_copy(own, old, sizeof(*old) + old->nr * sizeof(old->of[0]));
		old->nr_chunks = 0; /* the new table owns the chunks */
	}
	own->nr = nr;
	own->size = table_size(nr);
	own->smaller = old;
	pb_self->tally = own;
	pb_tally = own;
	return 0;
}

/* Make sure that this thread has a table with an element for @place. */
static int make_room(uint64_t place, int free)
{
	int error = free ? pb_session_events() : 0;

	if (!error && free)
		pb_thread_begin(&error);
	else if (!error && !pb_thread_begin_spare())
		error = -ENOMEM;
	/* A forked child has its parent's table, filled with zeros (@nr is 0). */
	if (!error && (!pb_tally || pb_tally->nr <= place))
		error = make_table(place, free);
	return error;
}

/* Take an unused element. Returns NULL if the last chunk is full, or if there is no chunk. */
static uint64_t *next_unused(struct pb_tally *own)
{
	uint64_t last = own->nr_chunks - 1, i;
	struct pbd_histograms *chunk;

	/* Signal handlers may have raised @nr_chunks beyond the limit. */
	if (last >= PB_TALLY_CHUNKS)
		return NULL;
	/*
	 * NULL: add_chunk() was interrupted before it stored this chunk, perhaps by a
	 * signal handler that left by siglongjmp(3).
	 */
	chunk = own->chunk[last];
	if (!chunk || own->used[last] >= capacity(chunk))
		return NULL;
	i = pb_count_up(&own->used[last]);
	return i < capacity(chunk) ? (uint64_t *)((char *)chunk->histogram +
						  i * pb_tally_size) :
				     NULL;
}

static int add_chunk(struct pb_tally *own, int free)
{
	struct pbd_histograms *chunk;
	int error = -ENOBUFS;
	uint64_t nr;

	if (own->nr_chunks >= PB_TALLY_CHUNKS)
		return -ENOBUFS;
	chunk = free ? reserve_chunk(own->nr_chunks, &error) : spare_chunk();
	if (!chunk)
		return error;
	nr = pb_count_up(&own->nr_chunks);
	if (nr >= PB_TALLY_CHUNKS)
		return -ENOBUFS;
	own->chunk[nr] = chunk;
	return 0;
}

/*
 * Returns the element of @function; makes one if necessary. On failure returns NULL and
 * sets *@error. If a signal handler interrupts this function and makes an element for the
 * same @function, both elements count calls, or one of them stays empty.
 */
static uint64_t *make(uint64_t place, uint64_t function, int free, int *error)
{
	uint64_t *counts;

	*error = make_room(place, free);
	/* A signal handler may have made the element since the caller's check. */
	if (!*error && pb_tally->of[place])
		return pb_tally->of[place];
	while (!*error) {
		counts = next_unused(pb_tally);
		if (counts) {
			*counts = function + 1;
			return pb_tally->of[place] = counts;
		}
		*error = add_chunk(pb_tally, free);
	}
	return NULL;
}

static uint64_t *make_locked(uint64_t place, uint64_t function, int *error)
{
	uint64_t *counts;

	pb_guard(&pb_session->lock);
	counts = make(place, function, 1, error);
	if (!counts && pb_session->file.header)
		pb_data_note(&pb_session->file, *error);
	/* Retry only when pb_session->again changes: a retry at each call would be slow. */
	if (*error == -PB_OVER_SIZE || *error == -PB_OVER_MEMORY) {
		pb_session->no_tally = pb_session->again + 1;
		pb_session->no_tally_error = *error;
	} else {
		pb_session->failed =
			counts || pb_data_is_passing(*error) ? 0 : *error;
	}
	return counts;
}

/* Has the last attempt failed, with pb_session->again unchanged since? */
static int has_no_place(void)
{
	return pb_session->no_tally &&
	       pb_session->no_tally ==
		       __atomic_load_n(&pb_session->again, __ATOMIC_RELAXED) + 1;
}

uint64_t *pb_tally_make(uint64_t place, uint64_t function)
{
	int saved_errno = errno, chosen = 1, free, error = 0;
	const int is_new = !pb_self || !pb_self->number;
	uint64_t *counts = NULL;

	if (pb_untraced)
		return NULL;
	if (pb_locked) {
		pb_count_loss(PBD_MISSED_IN_RECORDER);
		return NULL;
	}
	free = pb_syscalls_begin();
	if (!pb_session->failed)
		chosen = pb_thread_is_chosen(is_new);
	if (!chosen)
		pb_thread_count_unrecorded(is_new);
	if (chosen && !pb_session->failed && !has_no_place())
		counts = free ? make_locked(place, function, &error) :
				make(place, function, 0, &error);
	if (free)
		pb_syscalls_end();
	if (chosen && !counts)
		pb_ring_lose(free ? pb_loss_of(error ? error :
						 pb_session->no_tally_error) : PBD_LOST_SANDBOX);
	errno = saved_errno;
	return counts;
}
