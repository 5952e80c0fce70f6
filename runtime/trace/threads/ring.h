/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Event buffers. Each thread has a ring of blocks in the data file. Only the thread and its
 * signal handlers write to it.
 *
 * Writing a record takes two steps. To *reserve* the record, the thread advances @next with
 * an instruction that is atomic with respect to signal handlers of the same thread and
 * needs no bus lock. To *commit* the record, the thread writes the record's last word,
 * which is zero until then. Readers skip records whose last word is 0 (holes). Committed
 * records survive the process, because they are in the mapped file.
 *
 * Each block is twice as large as the previous one, up to a limit. When the buffer is full,
 * the thread stops recording or, with overwrite=1, reuses its oldest block. Each reuse is a
 * new *pass*, and each record contains the number of its pass. Lost and overwritten events
 * are counted.
 *
 * With overwrite=1, a new thread takes over the ring of a thread that has ended, and
 * continues in the current block of that ring. So threads with few events share blocks, and
 * the oldest events are overwritten first. Without overwrite=1, a new thread begins with a
 * new, small block.
 */
#ifndef PB_TRACE_RING_H
#define PB_TRACE_RING_H

#include "format/format.h"

#include <counter.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Allocated with MADV_WIPEONFORK, so the ring of a child is empty, even if the program
 * calls clone(2) directly.
 * @next:  address of the next record. The upper bits, unused in user-space addresses, hold
 *         the block's pass
 * @end:   end of the block, in the same format
 * The other fields belong to ring.c.
 */
struct pb_ring {
	uint64_t next;
	uint64_t end;
	uint64_t seq;
	uint64_t size;        /* total size of all blocks */
	uint64_t nr_blocks;
	uint32_t full;        /* no more blocks can be added */
	uint32_t stopped;     /* 0: not stopped; otherwise stopped until pb_session's
				 @again differs from this number minus 1 */
	uint64_t generation;  /* generation of the file with these blocks (pb_rotation) */
	enum pbd_loss why;    /* the kind of loss while the ring is stopped */
	struct pbd_block **block; /* circular: @seq gives the current block */
	struct pbd_record *named; /* this thread's PBD_THREAD_NAME record; NULL: none, or
				     overwritten */
};

/* The ring of a thread that has none: always full. */
extern struct pb_ring pb_no_ring __attribute__((visibility("hidden")));

/*
 * The distance of this thread's ring, in its struct pb_thread_state, from pb_no_ring. Initially
 * 0, so handlers need no check for a thread without a ring. All thread-local data of this
 * library begins with zeros, because programs that make threads by clone(2) may fill
 * thread-local storage with zeros.
 */
extern __thread uintptr_t pb_ring_distance __attribute__((tls_model("initial-exec")));

static inline __attribute__((always_inline)) struct pb_ring *pb_ring_find(void)
{
	return (struct pb_ring *)((uintptr_t)&pb_no_ring + pb_ring_distance);
}

#define PB_PASS_SHIFT (64 - PBD_PASS_BITS)

/* Write and commit the record that was reserved at @next. */
static inline void pb_ring_commit(uint64_t next, uint64_t time,
				  uint64_t function, uintptr_t frame,
				  uint64_t last)
{
	struct pbd_record *record =
		(struct pbd_record *)(next << PBD_PASS_BITS >> PBD_PASS_BITS);

	/*
	 * Invalidate the record of the earlier pass first: another process may be reading
	 * the block.
	 */
	__atomic_store_n(&record->last, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&record->time, time, __ATOMIC_RELEASE);
	__atomic_store_n(&record->function, (uint32_t)function,
			 __ATOMIC_RELEASE);
	__atomic_store_n(&record->frame, (uint32_t)(frame >> 4),
			 __ATOMIC_RELEASE);
	last |= next >> PB_PASS_SHIFT << PBD_KIND_BITS;
	/*
	 * Release: readers in other processes that see @last also see the rest of the
	 * record.
	 */
	__atomic_store_n(&record->last, last, __ATOMIC_RELEASE);
}

/*
 * Record an event. Returns 0 if the block is full. If @again is 0, also returns 0 if a
 * signal handler has recorded an event during the call.
 *
 * A signal handler may interrupt this function between any two instructions, record events,
 * and begin another block. The exchange then fails, because @next has changed. A stale @end
 * is harmless if the exchange fails. @next has its old value again only after 64 passes
 * over all blocks. In that case the exchange may succeed although @next is at the end of
 * its block, so each block has space for one more record, which is never read.
 */
static inline __attribute__((always_inline)) int
pb_ring_put(uint64_t time, uint64_t function, uintptr_t frame, uint64_t last, int again)
{
	struct pb_ring *ring = pb_ring_find();
	uint64_t next;
	int done;

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

/* Write the new name of thread @of to the file. The caller holds the session's lock. */
void pb_ring_write_name(struct pb_thread_state *of);

/*
 * Initialize a thread's ring, which may have belonged to an ended thread. Call this before
 * a handler can find the ring. The caller holds the session's lock.
 */
void pb_ring_take_over(struct pb_thread_state *by);

/* Count a lost event by reason. */
void pb_ring_lose(enum pbd_loss why);

/*
 * Slow path of pb_ring_record(): begin another block if necessary. Counts the event as lost
 * on failure.
 */
void pb_ring_record_slowly(uint64_t time, uint64_t function, uintptr_t frame,
			   uint64_t last);

/*
 * Record an event. Async-signal-safe. Changes only general registers and flags. Handlers
 * call this last, so that the slow path is a tail call and the fast path saves no
 * registers.
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
