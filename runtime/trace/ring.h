/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Event buffers: each thread has a ring of blocks in the data file, which only
 * it and its signal handlers write to.
 *
 * To *reserve* a record is to advance @next, with an instruction that is atomic
 * with respect to the thread's own signal handlers and needs no bus lock. To
 * *commit* it is to write its last word, which is zero until then. To *discard*
 * it is not to: it stays a hole, which readers skip. What is committed is in
 * pages of the file, so nothing that happens to the process takes it away.
 *
 * Blocks are made when they are needed, each twice as large as the one before,
 * up to a limit; then recording stops for this thread, or its oldest block is
 * used again, in another *pass*, whose number marks its records. Events that
 * find no place are counted, and so are those that are overwritten.
 *
 * Where blocks are used again, a new thread takes over the ring of one that is
 * no more and goes on in the middle of its block: so many threads that record
 * little fill few blocks, and what they recorded is overwritten in its turn.
 * Elsewhere a new thread has blocks of its own, from the smallest on.
 */
#ifndef PB_TRACE_RING_H
#define PB_TRACE_RING_H

#include "format.h"

#include <counter.h>
#include <stddef.h>
#include <stdint.h>

/*
 * In memory that fork() fills with zeros (MADV_WIPEONFORK), so that a child,
 * however it was made, finds a ring without a block and not its parent's.
 * @next:  where the next record will be, and in the upper bits, which addresses
 *         of user space do not have, the block's pass
 * @end:   where a block has no more room for one, in the same form
 * The rest is ring.c's.
 */
struct pb_ring {
	uint64_t next;
	uint64_t end;
	uint64_t seq;
	uint64_t size;        /* of all blocks */
	uint64_t nr_blocks;
	uint32_t full;        /* there will be no more blocks */
	uint32_t stopped;     /* and none is used again, until pb_session's @again
				 is this number no more; 0: they are */
	uint64_t generation;  /* of the file that the blocks are in: rotate.h */
	enum pbd_loss why;    /* what it cannot record then is lost */
	struct pbd_block **block; /* the current one is the last made or used */
	struct pbd_record *named; /* PBD_THREAD_NAME of this thread; NULL: there is none,
				     or no longer */
};

/* Of this thread, in its struct pb_thread_state; at first one that has no room. */
extern __thread struct pb_ring *pb_ring
	__attribute__((tls_model("initial-exec")));

/* Of threads that are the library's own: what they call is not recorded. */
extern __thread int pb_untraced __attribute__((tls_model("initial-exec")));

/* Bytes of a thread's first block; or as few, if these are there already. */
#define PB_BLOCK_MIN 4096u
#define PB_BLOCK_LEAST 1024u

#define PB_PASS_SHIFT (64 - PBD_PASS_BITS)

/* Write the record that was reserved at @next, of a block in use. */
static inline void pb_ring_commit(uint64_t next, uint64_t time,
				  uint64_t function, uintptr_t frame,
				  uint64_t last)
{
	struct pbd_record *record =
		(struct pbd_record *)(next << PBD_PASS_BITS >> PBD_PASS_BITS);

	/*
	 * What is there from an earlier pass is gone first, for who reads the
	 * block while it is used again.
	 */
	__atomic_store_n(&record->last, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&record->time, time, __ATOMIC_RELEASE);
	__atomic_store_n(&record->function, (uint32_t)function,
			 __ATOMIC_RELEASE);
	__atomic_store_n(&record->frame, (uint32_t)(frame >> 4),
			 __ATOMIC_RELEASE);
	last |= next >> PB_PASS_SHIFT << PBD_KIND_BITS;
	/*
	 * Release, for readers of a process that runs. For those of one that was
	 * killed program order would do.
	 */
	__atomic_store_n(&record->last, last, __ATOMIC_RELEASE);
}

/*
 * A signal handler may come between any two instructions, record, and begin
 * another block. @next is then another one, so that the exchange fails: it can
 * be the same only after all blocks have been used 64 times more. If then @end
 * was read in between, of another block, the record lies behind the last one of
 * its block: there is room for one, which is never read.
 *
 * Returns 0 if there is no room.
 */
static inline int pb_ring_try(uint64_t time, uint64_t function, uintptr_t frame,
			      uint64_t last)
{
	struct pb_ring *ring = pb_ring;
	uint64_t next, end;

	do {
		next = __atomic_load_n(&ring->next, __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		end = __atomic_load_n(&ring->end, __ATOMIC_RELAXED);
		if (__builtin_expect(next >= end, 0))
			return 0;
	} while (!pb_local_cmpxchg(&ring->next, next,
				   next + sizeof(struct pbd_record)));
	pb_ring_commit(next, time, function, frame, last);
	return 1;
}

/* How many blocks a ring has at most: room for so many is behind @block. */
size_t pb_ring_max_blocks(void);

struct pb_thread_state;

/* @of has another name than what it records into says. With the session's lock held. */
void pb_ring_write_name(struct pb_thread_state *of);

/*
 * A thread begins with this object and the ring in it, which is new, or that of a
 * thread that is gone. With the session's lock held, and before any handler finds
 * the ring.
 */
void pb_ring_take_over(struct pb_thread_state *by);

/* An event is not recorded, for this reason: count it. */
void pb_ring_lose(enum pbd_loss why);

/* When the block is full, or there is none; the event may be lost. */
void pb_ring_record_slowly(uint64_t time, uint64_t function, uintptr_t frame,
			   uint64_t last);

/*
 * Record an event. Async-signal-safe; nothing that it uses but general registers
 * and flags is changed. The last thing that a handler does, so that the slow way
 * is a jump and the fast one keeps no registers.
 */
static inline void pb_ring_record(uint64_t time, uint64_t function,
				  uintptr_t frame, enum pbd_record_kind kind,
				  uint64_t detail)
{
	uint64_t last = detail << PBD_DETAIL_SHIFT | kind;

	if (__builtin_expect(!pb_ring_try(time, function, frame, last), 0))
		pb_ring_record_slowly(time, function, frame, last);
}

#endif /* PB_TRACE_RING_H */
