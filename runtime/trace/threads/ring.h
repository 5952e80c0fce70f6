/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Event buffers. Each thread has a ring of blocks in the data file. Only the
 * thread and its signal handlers write to it.
 *
 * To *reserve* a record is to advance @next. The instruction for that is atomic
 * with respect to the thread's own signal handlers, and needs no bus lock. To
 * *commit* a record is to write its last word, which is zero until then. To
 * *discard* a record is to leave that word 0: the record stays a hole, which
 * readers skip. Committed records are in memory that survives the
 * process.
 *
 * The recorder makes blocks when it needs them, each twice as large as the
 * previous one, up to a limit. At the limit it stops recording for this thread,
 * or it reuses the thread's oldest block, in another *pass*. The number of the
 * pass marks the block's records. The recorder counts events that find no room,
 * and events that are overwritten.
 *
 * With overwrite=1, a new thread takes over the ring of a thread that has ended,
 * and continues in the middle of its block. So many threads with few events fill
 * few blocks, and old events are overwritten in order. Without overwrite=1, a
 * new thread has blocks of its own, from the smallest on.
 */
#ifndef PB_TRACE_RING_H
#define PB_TRACE_RING_H

#include "format/format.h"

#include <counter.h>
#include <stddef.h>
#include <stdint.h>

/*
 * In memory that fork() fills with zeros (MADV_WIPEONFORK). So a child finds an
 * empty ring and not its parent's, by whatever call it was created.
 * @next:  address of the next record. The upper bits, which addresses of user
 *         space do not have, are the block's pass
 * @end:   end of the block's room, in the same format
 * The other fields belong to ring.c.
 */
struct pb_ring {
	uint64_t next;
	uint64_t end;
	uint64_t seq;
	uint64_t size;        /* of all blocks */
	uint64_t nr_blocks;
	uint32_t full;        /* no more blocks can be added */
	uint32_t stopped;     /* nor reused: until pb_session's @again differs from
				 this number minus 1; 0: not stopped */
	uint64_t generation;  /* of the file with these blocks: rotate.h */
	enum pbd_loss why;    /* the kind of loss while the ring is stopped */
	struct pbd_block **block; /* the current one was made or reused last */
	struct pbd_record *named; /* PBD_THREAD_NAME of this thread; NULL: none, or
				     it was overwritten */
};

/*
 * This thread's ring, in its struct pb_thread_state. NULL at first, like all
 * thread-local data of this library: a program that makes threads by clone(2)
 * may fill their thread-local storage with zeros.
 */
extern __thread struct pb_ring *pb_ring
	__attribute__((tls_model("initial-exec")));

#define PB_PASS_SHIFT (64 - PBD_PASS_BITS)

/* Write the record that was reserved at @next, in a block in use. */
static inline void pb_ring_commit(uint64_t next, uint64_t time,
				  uint64_t function, uintptr_t frame,
				  uint64_t last)
{
	struct pbd_record *record =
		(struct pbd_record *)(next << PBD_PASS_BITS >> PBD_PASS_BITS);

	/*
	 * First clear the record of an earlier pass, for a process that reads the
	 * block while it is reused.
	 */
	__atomic_store_n(&record->last, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&record->time, time, __ATOMIC_RELEASE);
	__atomic_store_n(&record->function, (uint32_t)function,
			 __ATOMIC_RELEASE);
	__atomic_store_n(&record->frame, (uint32_t)(frame >> 4),
			 __ATOMIC_RELEASE);
	last |= next >> PB_PASS_SHIFT << PBD_KIND_BITS;
	/*
	 * Release, for readers of a running process. Readers of a killed process
	 * would need program order only.
	 */
	__atomic_store_n(&record->last, last, __ATOMIC_RELEASE);
}

/*
 * Record an event if the block has room. Returns 0 if it has none. Without @again also returns
 * 0 if a signal handler has recorded an event meanwhile.
 *
 * A signal handler may interrupt this between any two instructions, record an event, and
 * begin another block. The exchange then fails, because @next has changed. @next can have the
 * same value again only after 64 passes over all blocks. If ring->end was read after the
 * handler began the other block, it belongs to that block. Then the record may be after the
 * last one of its own block: each block has room for one more record there, which is never
 * read.
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

/* The most blocks that a ring has. @block must have room for them. */
size_t pb_ring_max_blocks(void);

struct pb_thread_state;

/* Thread @of has a new name: update it in the file. The caller holds the session's lock. */
void pb_ring_write_name(struct pb_thread_state *of);

/*
 * Begin the ring of a thread. It is new, or belonged to a thread that has ended. Call this
 * under the session's lock, before a handler can find the ring.
 */
void pb_ring_take_over(struct pb_thread_state *by);

/* Count an event that is not recorded, and the reason. */
void pb_ring_lose(enum pbd_loss why);

/* Record an event where pb_ring_put() did not. The event may be lost. */
void pb_ring_record_slowly(uint64_t time, uint64_t function, uintptr_t frame,
			   uint64_t last);

/*
 * Record an event. Async-signal-safe. Changes no registers except general ones
 * and flags. Handlers call it last, so that the slow path is a jump and the
 * fast path saves no registers.
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
