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
 * used again. Events that find no place are counted.
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
 * @next:  where the next record will be
 * @end:   where a block has no more room for one
 * The rest is ring.c's.
 */
struct pb_ring {
	uint64_t next;
	uint64_t end;
	uint64_t seq;
	uint64_t size;        /* of all blocks */
	uint32_t thread;
	uint32_t tid;
	uint32_t nr_blocks;
	uint32_t full;        /* there will be no more blocks */
	uint32_t stopped;     /* and none is used again */
	struct pb_ring *others;
	struct pbd_block *block[]; /* the current one is the last made or used */
};

extern __thread struct pb_ring *pb_ring
	__attribute__((tls_model("initial-exec")));

/* When the block is full, or there is none. NULL: the event is lost. */
struct pbd_record *pb_ring_reserve_slowly(void);

/*
 * A place for a record, or NULL. Async-signal-safe; nothing that it uses but
 * general registers and flags is changed.
 *
 * A signal handler may come between any two instructions, record, and begin
 * another block. @next is then another one, so that the exchange fails: it can
 * be the same only after all blocks have been used once more. If then @end was
 * read in between, of another block, the record lies behind the last one of its
 * block: there is room for one, which is never read.
 */
static inline struct pbd_record *pb_ring_reserve(void)
{
	struct pb_ring *ring = pb_ring;

	if (__builtin_expect(!ring, 0))
		return pb_ring_reserve_slowly();
	for (;;) {
		uint64_t next = __atomic_load_n(&ring->next, __ATOMIC_RELAXED);
		uint64_t end;

		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		end = __atomic_load_n(&ring->end, __ATOMIC_RELAXED);
		if (__builtin_expect(next >= end, 0))
			return pb_ring_reserve_slowly();
		if (pb_local_cmpxchg(&ring->next, next,
				     next + sizeof(struct pbd_record)))
			return (struct pbd_record *)(uintptr_t)next;
	}
}

/*
 * Release, for readers of a process that runs. For those of one that was killed
 * program order would do.
 */
static inline void pb_ring_commit(struct pbd_record *record, uint64_t time,
				  uint64_t function, uintptr_t frame,
				  enum pbd_record_kind kind, uint64_t detail)
{
	record->time = time;
	record->function = (uint32_t)function;
	record->frame = (uint32_t)(frame >> 4);
	__atomic_store_n(&record->last, detail << PBD_DETAIL_SHIFT | kind,
			 __ATOMIC_RELEASE);
}

#endif /* PB_TRACE_RING_H */
