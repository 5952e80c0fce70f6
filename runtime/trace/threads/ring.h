/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Event buffers. Each thread has a ring of blocks in the data file. Only the
 * thread and its signal handlers write to it.
 *
 * Writing a record takes two steps. *Reserve* it: advance @next, by an
 * instruction that is atomic with respect to the thread's own signal handlers,
 * and needs no bus lock. *Commit* it: write its last word, which is zero until
 * then. Readers skip records whose last word is 0 (holes). Committed records
 * are in memory that survives the process.
 *
 * Each block is twice as large as the previous one, up to a limit. When the
 * buffer is full, the thread's recording stops or, with overwrite=1, reuses the
 * thread's oldest block, in another *pass*. Each record has the number of the
 * pass. Lost and overwritten events are counted.
 *
 * With overwrite=1, a new thread takes over the ring of a thread that has ended,
 * and continues in the middle of its block. So many threads with few events fill
 * few blocks, and the oldest events are overwritten first. Without overwrite=1,
 * a new thread begins with a new, small block.
 */
#ifndef PB_TRACE_RING_H
#define PB_TRACE_RING_H

#include "format/format.h"

#include <counter.h>
#include <stddef.h>
#include <stdint.h>

/*
 * In memory that fork() fills with zeros (MADV_WIPEONFORK), also if the program calls
 * clone(2) itself. So a child has an empty ring.
 * @next:  address of the next record. The upper bits, which addresses of user
 *         space do not have, are the block's pass
 * @end:   end of the block, in the same format
 * The other fields belong to ring.c.
 */
struct pb_ring {
	uint64_t next;
	uint64_t end;
	uint64_t seq;
	uint64_t size;        /* of all blocks */
	uint64_t nr_blocks;
	uint32_t full;        /* no more blocks can be added */
	uint32_t stopped;     /* 0: not stopped; otherwise stopped until pb_session's
				 @again differs from this number minus 1 */
	uint64_t generation;  /* of the file with these blocks: rotate.h */
	enum pbd_loss why;    /* the kind of loss while the ring is stopped */
	struct pbd_block **block; /* in a circle: @seq gives the current one */
	struct pbd_record *named; /* this thread's record PBD_THREAD_NAME; NULL: none,
				     or overwritten */
};

/*
 * This thread's ring, in its struct pb_thread_state; initially NULL. All
 * thread-local data of this library begins with zeros, because programs that
 * make threads by clone(2) may fill thread-local storage with zeros.
 */
extern __thread struct pb_ring *pb_ring
	__attribute__((tls_model("initial-exec")));

#define PB_PASS_SHIFT (64 - PBD_PASS_BITS)

/* Write and commit the record that was reserved at @next. */
static inline void pb_ring_commit(uint64_t next, uint64_t time,
				  uint64_t function, uintptr_t frame,
				  uint64_t last)
{
	struct pbd_record *record =
		(struct pbd_record *)(next << PBD_PASS_BITS >> PBD_PASS_BITS);

	/*
	 * First invalidate the old record of an earlier pass, for a process that reads the
	 * block at this moment.
	 */
	__atomic_store_n(&record->last, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&record->time, time, __ATOMIC_RELEASE);
	__atomic_store_n(&record->function, (uint32_t)function,
			 __ATOMIC_RELEASE);
	__atomic_store_n(&record->frame, (uint32_t)(frame >> 4),
			 __ATOMIC_RELEASE);
	last |= next >> PB_PASS_SHIFT << PBD_KIND_BITS;
	/* Release, for readers in other processes. */
	__atomic_store_n(&record->last, last, __ATOMIC_RELEASE);
}

/*
 * Record an event. Returns 0 if the block is full. Without @again also returns 0 if a
 * signal handler has recorded an event during the call.
 *
 * A signal handler may interrupt this between any two instructions, record events, and
 * begin another block. The exchange then fails, because @next has changed; it only has the
 * same value again after 64 passes over all blocks. If @end was read after that, it
 * belongs to the other block, which does no harm if the exchange fails. After exactly 64
 * passes the exchange may succeed although @next is at the end of its block. For that case
 * each block has space for one more record there, which is never read.
 */
static inline __attribute__((always_inline)) int
pb_ring_put(uint64_t time, uint64_t function, uintptr_t frame, uint64_t last, int again)
{
	struct pb_ring *ring = pb_ring;
	uint64_t next;
	int done;

	if (__builtin_expect(!ring, 0))
		return 0;
	do {
		next = __atomic_load_n(&ring->next, __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		if (__builtin_expect(!pb_is_below(next, &ring->end), 0))
			return 0;
		done = pb_local_cmpxchg(&ring->next, &next,
					next + sizeof(struct pbd_record));
	} while (again && !done);
	if (__builtin_expect(!done, 0))
		return 0;
	pb_ring_commit(next, time, function, frame, last);
	return 1;
}

static inline int pb_ring_try(uint64_t time, uint64_t function, uintptr_t frame,
			      uint64_t last)
{
	return pb_ring_put(time, function, frame, last, 1);
}

/* Maximum number of blocks of a ring: the size of @block. */
size_t pb_ring_max_blocks(void);

struct pb_thread_state;

/* Thread @of has a new name: update it in the file. The caller holds the session's lock. */
void pb_ring_write_name(struct pb_thread_state *of);

/*
 * Begin the ring of a thread, which is new or belonged to a thread that has ended. Call
 * this with the session's lock held, before a handler can find the ring.
 */
void pb_ring_take_over(struct pb_thread_state *by);

/* Count an event that is not recorded, and the reason. */
void pb_ring_lose(enum pbd_loss why);

/* Record an event if pb_ring_put() has failed. The event may be lost. */
void pb_ring_record_slowly(uint64_t time, uint64_t function, uintptr_t frame,
			   uint64_t last);

/*
 * Record an event. Async-signal-safe. Changes no registers except general ones
 * and flags. Handlers call this last, so that the slow path is a tail call and
 * the fast path saves no registers.
 */
static inline void pb_ring_record(uint64_t time, uint64_t function,
				  uintptr_t frame, enum pbd_record_kind kind,
				  uint64_t detail)
{
	uint64_t last = detail << PBD_DETAIL_SHIFT | kind;

	if (__builtin_expect(!pb_ring_put(time, function, frame, last, 0), 0))
		pb_ring_record_slowly(time, function, frame, last);
}

#endif /* PB_TRACE_RING_H */
