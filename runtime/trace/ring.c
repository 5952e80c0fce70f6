/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ring.h"
#include "losses.h"
#include "own_clock.h"
#include "session.h"
#include "thread.h"
#include "thread_choice.h"

#include <linux/prctl.h>

/* Blocks of a short-lived thread are small, those of a busy one are rare. */
#define BLOCK_MIN 4096u
#define BLOCK_MAX (1u << 20)

/* One less than there is room for: see pb_ring_record(). */
static uint64_t capacity(const struct pbd_block *block)
{
	return (block->chunk.size - sizeof(*block)) /
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
	       block->pass << PB_PASS_SHIFT;
}

static void begin(struct pb_ring *ring, struct pbd_block *block)
{
	block->thread = ring->thread;
	block->tid = ring->tid;
	block->seq = ++ring->seq;
	block->lost = 0;
	pb_sys(SYS_prctl, PR_GET_NAME, block->comm);
	/* In between, a handler of SIGTRAP must find no room. */
	__atomic_store_n(&ring->end, 0, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&ring->next, place(block, 0), __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&ring->end, place(block, capacity(block)),
			 __ATOMIC_RELAXED);
	pb_session_tick();
}

static int add_block(struct pb_ring *ring)
{
	uint64_t size = BLOCK_MIN;
	struct pbd_block *block;
	int error;

	if (ring->nr_blocks)
		size = ring->block[ring->nr_blocks - 1]->chunk.size * 2;
	if (size > BLOCK_MAX)
		size = BLOCK_MAX;
	if (ring->size + size > pb_options.buffer)
		return -ENOBUFS;
	block = pb_data_reserve(&pb_session->file, PBD_BLOCK, size, &error);
	if (!block)
		return error;
	ring->block[ring->nr_blocks++] = block;
	ring->size += size;
	begin(ring, block);
	pb_data_commit(&pb_session->file, &block->chunk);
	return 0;
}

/* Of a block that is full: each place was taken in its present pass. */
static uint64_t nr_events(const struct pbd_block *block)
{
	uint64_t nr = 0;

	for (uint64_t i = 0; i < capacity(block); i++)
		nr += block->record[i].last % (1u << PBD_KIND_BITS) &&
		      block->record[i].function < PBD_VALUE;
	return nr;
}

static void use_again(struct pb_ring *ring)
{
	struct pbd_block *block = ring->block[ring->seq % ring->nr_blocks];

	pb_session->chunk->overwritten += nr_events(block);
	pb_session->chunk->lost += block->lost;
	block->pass++;
	begin(ring, block);
}

static int next_block(struct pb_ring *ring)
{
	int error = ring->full ? -ENOBUFS : add_block(ring);

	if (!error)
		return 0;
	/* From now on the order of blocks is that in which they were made. */
	ring->full = 1;
	if (error != -ENOBUFS)
		pb_data_note(&pb_session->file, error);
	if (ring->nr_blocks && pb_options.overwrite) {
		use_again(ring);
		return 0;
	}
	ring->stopped = 1;
	ring->why = error == -ENOBUFS ? PBD_LOST_FULL : PBD_LOST_SPACE;
	return error;
}

size_t pb_ring_max_blocks(void)
{
	size_t growing = 8; /* from BLOCK_MIN to BLOCK_MAX */

	return pb_options.buffer / BLOCK_MAX + growing + 1;
}

static void unmap(struct pbd_block *block)
{
	uintptr_t start = (uintptr_t)block & ~(pb_page_size - 1);
	uintptr_t end = (uintptr_t)block + block->chunk.size;

	pb_sys(SYS_munmap, start, end - start);
}

static void put(struct pb_ring *ring, uint64_t time, uint32_t function,
		uint64_t last)
{
	uint64_t next = ring->next;

	ring->next = next + sizeof(struct pbd_record);
	pb_ring_commit(next, time, function, 0, last);
}

/*
 * Is there room behind what an earlier thread recorded? For who it is from now
 * on, how long it has slept, and an event: else that would be lost. Plain
 * stores do: no handler finds the ring before it is this thread's.
 *
 * Too little room becomes holes: what was left there, pass after pass, would
 * count again once a pass has the number of its own.
 */
static void go_on(struct pb_ring *ring)
{
	uint64_t name[2] = { 0, 0 };

	if (ring->next + 4 * sizeof(struct pbd_record) > ring->end) {
		while (ring->next < ring->end)
			put(ring, 0, 0, PBD_RECORD_NONE);
		return;
	}
	pb_sys(SYS_prctl, PR_GET_NAME, name);
	put(ring, ring->thread, PBD_THREAD,
	    (uint64_t)ring->tid << PBD_DETAIL_SHIFT | PBD_RECORD_ENTRY);
	put(ring, name[0], PBD_THREAD_NAME,
	    name[1] << PBD_DETAIL_SHIFT | PBD_RECORD_ENTRY);
	pb_session_tick();
}

/* What an earlier thread recorded is for readers only, from now on. */
static void release(struct pb_ring *ring)
{
	while (ring->nr_blocks)
		unmap(ring->block[--ring->nr_blocks]);
	ring->seq = ring->size = 0;
	ring->full = ring->stopped = 0;
	ring->next = ring->end = 0;
}

void pb_ring_begin(struct pb_ring *ring, uint32_t thread, uint32_t tid)
{
	ring->thread = thread;
	ring->tid = tid;
	if (!ring->nr_blocks)
		return;
	if (pb_options.overwrite)
		go_on(ring);
	else
		release(ring);
}

static void count_lost(const struct pb_ring *ring)
{
	uint64_t *lost = NULL;

	pb_count_loss(ring && ring->stopped ? ring->why : PBD_LOST_SPACE);
	if (ring && ring->nr_blocks)
		lost = &current(ring)->lost;
	else if (pb_session->chunk)
		lost = &pb_session->chunk->lost;
	if (lost)
		__atomic_fetch_add(lost, 1, __ATOMIC_RELAXED);
}

/* Does this thread's ring have room now? */
static int make_room(void)
{
	int error = pb_session_events();
	const struct pb_thread_state *self;

	self = error ? NULL : pb_thread_begin(&error);
	pb_session->failed = !self;
	if (self && pb_ring->next >= pb_ring->end)
		error = next_block(pb_ring);
	return !error;
}

/* Returns whether it is recorded; if not, the thread's ring may say why. */
static int record_in_new_block(uint64_t time, uint64_t function,
			       uintptr_t frame, uint64_t last)
{
	int recorded = 0;
	pb_sigset signals;

	pb_signal_lock(&pb_session->lock, &signals);
	if (make_room()) {
		pb_own_clock_begin_block();
		recorded = pb_ring_try(time, function, frame, last);
	}
	pb_signal_unlock(&pb_session->lock, signals);
	return recorded;
}

void pb_ring_record_slowly(uint64_t time, uint64_t function, uintptr_t frame,
			   uint64_t last)
{
	int saved_errno = errno;

	if (pb_untraced)
		return;
	if (pb_locked) {
		pb_count_loss(PBD_MISSED_IN_RECORDER);
		return;
	}
	if (!pb_session->failed && !(pb_ring && pb_ring->stopped)) {
		if (!pb_thread_is_chosen(!pb_self || !pb_self->tid) ||
		    record_in_new_block(time, function, frame, last))
			goto out;
	}
	count_lost(pb_ring);
out:
	errno = saved_errno;
}
