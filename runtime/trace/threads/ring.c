/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ring.h"

#include "count_losses.h"
#include "file/arena.h"
#include "options/options.h"
#include "own_clock.h"
#include "rotate.h"
#include "session/memory_limit.h"
#include "session/syscalls.h"
#include "system/local.h"
#include "thread.h"
#include "thread_choice.h"

/*
 * Blocks of this size make new blocks rare in busy threads. A thread's first blocks are
 * smaller, to save memory in threads with few events.
 */
#define BLOCK_MAX PBA_CHUNK_SIZE
/*
 * Arena blocks are large. A thread gets an arena block only if its next block would have at
 * least this size.
 */
#define ARENA_FROM (128u << 10)

_Static_assert(PB_BUFFER_MIN == PB_BLOCK_MIN, "a buffer has its first block");

/*
 * Other processes can write to blocks in the arena, so never compute an address from a
 * number that is stored in such a block.
 */
static uint64_t size_of(const struct pbd_block *block)
{
	return pb_arena_has(block) ? PBA_CHUNK_SIZE :
				     pb_arena_size(&block->chunk, PB_BLOCK_LEAST);
}

static uint64_t pass_of(const struct pbd_block *block)
{
	return pb_arena_has(block) || pb_arena_has_pages(block) ? 0 : block->pass;
}

/* The last record stays unused: see pb_ring_put(). */
static uint64_t capacity(const struct pbd_block *block)
{
	return (size_of(block) - sizeof(*block)) /
		       sizeof(block->record[0]) -
	       1;
}

static struct pbd_block *current(const struct pb_ring *ring)
{
	return ring->block[(ring->seq - 1) % ring->nr_blocks];
}

static uint64_t place(const struct pbd_block *block, uint64_t nr)
{
	return (uint64_t)(uintptr_t)&block->record[nr] |
	       pass_of(block) << PB_PASS_SHIFT;
}

static void fill_in(const struct pb_thread_state *self, struct pbd_block *block,
		    uint64_t seq)
{
	block->thread = self->number;
	block->tid = self->tid;
	block->seq = seq;
	block->lost = 0;
	pb_copy(block->comm, self->comm, sizeof(block->comm));
}

static void begin(struct pb_thread_state *self, struct pbd_block *block)
{
	struct pb_ring *ring = &self->ring;

	pb_thread_ask_name(self);
	fill_in(self, block, ++ring->seq);
	/*
	 * Set @end to 0 first: a SIGTRAP handler that interrupts this function must find
	 * the block full.
	 */
	__atomic_store_n(&ring->end, 0, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&ring->next, place(block, 0), __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&ring->end, place(block, capacity(block)),
			 __ATOMIC_RELAXED);
	pb_session_tick();
}

/*
 * Returns the size of a thread's first block. In a forked child the first block uses the
 * rest of the mapped part of the file, so that the file need not grow. With small buffers
 * the first block is always PB_BLOCK_MIN.
 */
static uint64_t first_size(void)
{
	uint64_t left = pb_data_ahead(&pb_session->file);

	if (pb_session->parent && left >= PB_BLOCK_LEAST &&
	    left < PB_BLOCK_MIN && pb_options.buffer >= 4 * PB_BLOCK_MIN)
		return left;
	return PB_BLOCK_MIN;
}

static uint64_t next_size(const struct pb_ring *ring)
{
	uint64_t size;

	if (!ring->nr_blocks)
		return first_size();
	size = size_of(ring->block[ring->nr_blocks - 1]) * 2;
	if (size < PB_BLOCK_MIN)
		return PB_BLOCK_MIN;
	if (size >= ARENA_FROM && pb_arena_is_open() &&
	    ring->size + BLOCK_MAX <= pb_options.buffer && pb_memory_has_room(BLOCK_MAX, 0))
		return BLOCK_MAX;
	return size < BLOCK_MAX ? size : BLOCK_MAX;
}

/* The ring has a new block: pass the previous, full arena block to the recorder. */
static void pass_on(struct pbd_block **block)
{
	const uint64_t size = size_of(*block);

	if (!pb_arena_pass_on(*block, PBA_FULL))
		return;
	*block = NULL;
	pb_memory_give(size);
}

static int add_block(struct pb_thread_state *self)
{
	struct pb_ring *ring = &self->ring;
	uint64_t size = next_size(ring);
	struct pbd_block *block;
	int error;

	if (ring->size + size > pb_options.buffer ||
	    ring->nr_blocks + PB_POOL_NR >= self->max_blocks)
		return -ENOBUFS;
	if (!pb_memory_has_room(size, !ring->nr_blocks))
		return -PB_OVER_MEMORY;
	block = pb_data_reserve(&pb_session->file, PBD_BLOCK, size, &error);
	/* A smaller block may still fit into max-size=. */
	while (!block && error == -PB_OVER_SIZE && size > PB_BLOCK_MIN) {
		size /= 2;
		block = pb_data_reserve(&pb_session->file, PBD_BLOCK, size, &error);
	}
	if (!block)
		return error;
	ring->block[ring->nr_blocks++] = block;
	ring->size += size;
	pb_memory_take(size);
	begin(self, block);
	pb_data_commit(&pb_session->file, &block->chunk);
	if (ring->nr_blocks > 1 && ring->block[ring->nr_blocks - 2])
		pass_on(&ring->block[ring->nr_blocks - 2]);
	return 0;
}

/*
 * Returns the number of events in a full block, where all records belong to the present
 * pass.
 */
static uint64_t nr_events(const struct pbd_block *block)
{
	const uint64_t most = capacity(block);
	uint64_t nr = 0;

	for (uint64_t i = 0; i < most; i++)
		nr += block->record[i].last % (1u << PBD_KIND_BITS) &&
		      block->record[i].function < PBD_VALUE;
	return nr;
}

/* Empty the block for newer events, and count the events that are overwritten. */
static void clear(struct pb_ring *ring, struct pbd_block *block)
{
	struct pbd_session *session = pb_session->chunk;

	if ((uintptr_t)ring->named - (uintptr_t)block < block->chunk.size)
		ring->named = NULL;

	__atomic_fetch_add(&session->overwritten, nr_events(block),
			   __ATOMIC_RELAXED);
	__atomic_fetch_add(&session->lost, block->lost, __ATOMIC_RELAXED);
	block->pass++;
}

static void use_again(struct pb_thread_state *self)
{
	struct pb_ring *ring = &self->ring;
	struct pbd_block *block = ring->block[ring->seq % ring->nr_blocks];

	clear(ring, block);
	begin(self, block);
}

/* Is the ring stopped? A ring stays stopped until pb_session->again changes. */
static int is_stopped(const struct pb_ring *ring)
{
	return ring->stopped &&
	       ring->stopped == __atomic_load_n(&pb_session->again,
						__ATOMIC_RELAXED) + 1;
}

static int next_block(struct pb_thread_state *self)
{
	struct pb_ring *ring = &self->ring;
	int error = ring->full ? -ENOBUFS : add_block(self);

	if (!error)
		return 0;
	if (error != -ENOBUFS)
		pb_data_note(&pb_session->file, error);
	if (pb_data_is_passing(error) && !(ring->nr_blocks && pb_options.overwrite))
		return error;
	/* From now on, with overwrite=1, blocks are reused, oldest first. */
	ring->full = 1;
	if (ring->nr_blocks && pb_options.overwrite) {
		use_again(self);
		return 0;
	}
	ring->stopped = pb_session->again + 1;
	ring->why = pb_loss_of(error);
	return error;
}

size_t pb_ring_max_blocks(void)
{
	size_t growing = 9; /* a block below PB_BLOCK_MIN, and the sizes PB_BLOCK_MIN to
			       BLOCK_MAX */

	return pb_options.buffer / BLOCK_MAX + growing + 1 + PB_POOL_NR;
}

static void put(struct pb_ring *ring, uint64_t time, uint32_t function,
		uint64_t last)
{
	uint64_t next = ring->next;

	ring->next = next + sizeof(struct pbd_record);
	pb_ring_commit(next, time, function, 0, last);
}

/*
 * Continue after the records of the ended thread if at least four records fit into the
 * block: the new thread's number and name, its off-CPU time, and one event. Plain stores
 * suffice, because handlers cannot find the ring yet.
 *
 * Otherwise fill the rest of the block with holes. Old records would become valid again
 * when the number of the pass wraps around.
 */
static void go_on(struct pb_thread_state *self)
{
	struct pb_ring *ring = &self->ring;
	uint64_t name[2];

	ring->named = NULL;
	if (ring->next + 4 * sizeof(struct pbd_record) > ring->end) {
		while (ring->next < ring->end)
			put(ring, 0, 0, PBD_RECORD_NONE);
		return;
	}
	pb_copy(name, self->comm, sizeof(name));
	put(ring, self->number, PBD_THREAD,
	    (uint64_t)self->tid << PBD_DETAIL_SHIFT | PBD_RECORD_ENTRY);
	ring->named = (struct pbd_record *)(ring->next << PBD_PASS_BITS >>
					    PBD_PASS_BITS);
	put(ring, name[0], PBD_THREAD_NAME,
	    name[1] << PBD_DETAIL_SHIFT | PBD_RECORD_ENTRY);
	pb_session_tick();
}

/* Unmap the blocks of a thread that has ended. */
static void release(struct pb_ring *ring)
{
	while (ring->nr_blocks) {
		struct pbd_block *block = ring->block[--ring->nr_blocks];

		if (block && !pb_pool_has(block)) {
			pb_memory_give(size_of(block));
			pb_data_unmap(&pb_session->file, &block->chunk);
		}
	}
	ring->seq = ring->size = 0;
	ring->full = ring->stopped = 0;
	ring->next = ring->end = 0;
	ring->named = NULL;
}

/* The process has left the file with these blocks and will unmap it: forget the blocks. */
static void begin_again(struct pb_ring *ring)
{
	ring->end = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	ring->next = 0;
	ring->named = NULL;
	ring->nr_blocks = ring->seq = ring->size = 0;
	ring->full = ring->stopped = 0;
	ring->generation = pb_session->rotation.generation;
}

static int is_elsewhere(const struct pb_ring *ring)
{
	return ring->generation !=
	       __atomic_load_n(&pb_session->rotation.generation,
			       __ATOMIC_ACQUIRE);
}

void pb_ring_write_name(struct pb_thread_state *of)
{
	const struct pb_ring *ring = &of->ring;
	uint64_t name[2], last;

	/* The process must not change a file that it has left. */
	if (!ring->nr_blocks || is_elsewhere(ring))
		return;
	for (uint64_t i = 0; i < ring->nr_blocks; i++)
		if (ring->block[i] && ring->block[i]->thread == of->number)
			pb_copy(ring->block[i]->comm, of->comm,
				sizeof(ring->block[i]->comm));
	if (!ring->named)
		return;
	pb_copy(name, of->comm, sizeof(name));
	last = ring->named->last & ((1u << PBD_DETAIL_SHIFT) - 1);
	__atomic_store_n(&ring->named->time, name[0], __ATOMIC_RELAXED);
	__atomic_store_n(&ring->named->last, name[1] << PBD_DETAIL_SHIFT | last,
			 __ATOMIC_RELAXED);
}

void pb_ring_take_over(struct pb_thread_state *by)
{
	/* Try again to add blocks: the file may have space again. */
	by->ring.full = by->ring.stopped = 0;
	if (is_elsewhere(&by->ring))
		begin_again(&by->ring);
	if (!by->ring.nr_blocks)
		return;
	if (pb_options.overwrite)
		go_on(by);
	else
		release(&by->ring);
}

/*
 * Used in a sandbox when the pool is empty: clears and returns the ring's oldest block, or
 * returns NULL. A signal handler that interrupts this function gets another block.
 */
static struct pbd_block *oldest(struct pb_ring *ring, uint64_t *seq)
{
	struct pbd_block *block;

	if (!ring->nr_blocks || !pb_options.overwrite)
		return NULL;
	*seq = pb_count_up(&ring->seq);
	block = ring->block[*seq % ring->nr_blocks];
	/*
	 * NULL: a signal handler has reserved this element in spare(), and left by
	 * siglongjmp(3).
	 */
	if (block)
		clear(ring, block);
	return block;
}

static struct pbd_block *spare(struct pb_ring *ring, uint64_t *seq)
{
	struct pbd_block *block;

	if (ring->size + pb_session->pool.size > pb_options.buffer)
		ring->full = 1;
	if (ring->full)
		return NULL;
	block = (struct pbd_block *)pb_pool_take();
	if (!block)
		return NULL;
	pb_local_add(&ring->size, pb_session->pool.size);
	*seq = pb_count_up(&ring->seq);
	ring->block[pb_count_up(&ring->nr_blocks)] = block;
	return block;
}

/*
 * Begin another block, without a lock and with signals enabled. A signal handler that
 * interrupts this function may call it, too. @next and @end must always belong to the same
 * block, or show a full block. So set @end to 0 before @next changes. If a signal handler
 * has begun a block in between, the exchange fails, and this function's block is wasted.
 */
static int next_spare_block(struct pb_thread_state *self)
{
	struct pb_ring *ring = &self->ring;
	uint64_t next = __atomic_load_n(&ring->next, __ATOMIC_RELAXED);
	uint64_t end = __atomic_load_n(&ring->end, __ATOMIC_RELAXED);
	uint64_t seq = 0;
	struct pbd_block *block;

	if (next < end)
		return 1;
	/* If a signal handler begins a block at this point, that block is wasted. */
	if (is_elsewhere(ring)) {
		ring->nr_blocks = ring->size = 0;
		ring->generation = pb_session->rotation.generation;
	}
	block = spare(ring, &seq);
	if (!block)
		block = oldest(ring, &seq);
	if (!block) {
		ring->why = ring->full ? PBD_LOST_FULL : PBD_LOST_SANDBOX;
		ring->stopped = pb_session->again + 1;
		return 0;
	}
	fill_in(self, block, seq + 1);
	pb_pool_publish(&block->chunk, PBD_BLOCK);
	if (!pb_exchange(&ring->end, end, 0))
		return 1;
	if (pb_exchange(&ring->next, next, place(block, 0)))
		pb_exchange(&ring->end, 0, place(block, capacity(block)));
	return 1;
}

static int record_in_sandbox(uint64_t time, uint64_t function, uintptr_t frame,
			     uint64_t last)
{
	struct pb_thread_state *self = pb_thread_begin_spare();

	while (self && next_spare_block(self))
		if (pb_ring_try(time, function, frame, last))
			return 1;
	return 0;
}

void pb_ring_lose(enum pbd_loss why)
{
	struct pb_ring *ring = pb_ring_find();
	uint64_t *lost = NULL;

	pb_count_loss(why);
	if (!is_elsewhere(ring) && ring->nr_blocks && current(ring))
		lost = &current(ring)->lost;
	else if (pb_session->chunk)
		lost = &pb_session->chunk->lost;
	if (lost)
		__atomic_fetch_add(lost, 1, __ATOMIC_RELAXED);
}

/* Give this thread's ring space for an event. Returns 0 or -errno. */
static int make_room(void)
{
	int error = pb_session_events();
	struct pb_thread_state *self;

	self = error ? NULL : pb_thread_begin(&error);
	if (!self && pb_session->file.header)
		pb_data_note(&pb_session->file, error);
	pb_session->failed = self || pb_data_is_passing(error) ? 0 : error;
	if (!self || self->ring.next < self->ring.end)
		return error;
	if (is_elsewhere(&self->ring))
		begin_again(&self->ring);
	if (pb_rotate_is_due(next_size(&self->ring)) && !pb_rotate_switch())
		begin_again(&self->ring);
	else if (self->ring.stopped && !is_stopped(&self->ring))
		self->ring.full = self->ring.stopped = 0;
	return next_block(self);
}

static int record_in_new_block(uint64_t time, uint64_t function,
			       uintptr_t frame, uint64_t last, int *error)
{
	int recorded = 0;

	pb_guard(&pb_session->lock);
	*error = make_room();
	if (!*error) {
		pb_own_clock_begin_block();
		recorded = pb_ring_try(time, function, frame, last);
	}
	return recorded;
}

void pb_ring_record_slowly(uint64_t time, uint64_t function, uintptr_t frame,
			   uint64_t last)
{
	int saved_errno = errno, done = 0, error = pb_session->failed, free;
	const int is_new = !pb_self || !pb_self->number;

	if (pb_untraced || pb_ring_try(time, function, frame, last))
		return;
	if (pb_locked) {
		pb_count_loss(PBD_MISSED_IN_RECORDER);
		return;
	}
	free = pb_syscalls_begin();
	if (!pb_session->failed && !is_stopped(pb_ring_find())) {
		if (!pb_thread_is_chosen(is_new)) {
			pb_thread_count_unrecorded(is_new);
			done = 1;
		} else if (free)
			done = record_in_new_block(time, function, frame, last,
						   &error);
		else
			done = record_in_sandbox(time, function, frame, last);
	}
	if (free)
		pb_syscalls_end();
	if (!done)
		pb_ring_lose(pb_ring_find()->stopped ? pb_ring_find()->why :
			     free ? pb_loss_of(error) : PBD_LOST_SANDBOX);
	errno = saved_errno;
}
