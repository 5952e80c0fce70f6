/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The arena: memory that traced processes share with `patchbay record`, which writes it
 * to their data files (the *recorder*). So traced threads take no page faults for pages
 * of files.
 *
 * The arena is a memfd of fixed size: a struct pba_arena, and @nr chunks from
 * PBA_DATA_AT on. The recorder makes it. Processes find it by a path in /proc of the
 * recorder (option arena=), and forked children inherit the mapping.
 *
 * A thread *takes* a chunk for a block of its data file. The process allocates the
 * block's space in the file first, so the recorder needs no space there, and a chunk
 * that is never written is an unused chunk of the file (PBD_SPARE). Only the recorder
 * frees chunks. It copies records of owned chunks several times a second, and full
 * chunks at once. If no chunk is free, the thread maps its block in the file instead.
 */
#ifndef PATCHBAY_TRACE_ARENA_H
#define PATCHBAY_TRACE_ARENA_H

#include <stdint.h>

#define PBA_MAGIC "PBARENA2"
#define PBA_CHUNK_SIZE (UINT64_C(1) << 20) /* of the largest blocks: ring.c */
#define PBA_CHUNKS_MAX 64
#define PBA_DATA_AT (UINT64_C(64) << 10) /* a multiple of any page size */
#define PBA_NAME_MAX 32 /* "4294967295.9999.spare.pbd" */

enum pba_state {
	PBA_FREE = 0,  /* all zeros */
	PBA_TAKEN = 1, /* its process is setting the fields below, or the recorder is
			  filling it with zeros */
	PBA_OWNED = 2, /* a thread writes records to it */
	PBA_FULL = 3,  /* all records are reserved; signal handlers may have interrupted
			  threads that still complete some */
	PBA_ENDED = 4, /* its thread has ended */
};

/* Its process sets all fields before @state becomes PBA_OWNED. */
struct pba_chunk {
	uint32_t state; /* enum pba_state */
	uint32_t reserved;
	uint64_t at;	   /* where the block begins in the file */
	uint64_t start_ns; /* of the file's header */
	char file[PBA_NAME_MAX];
};

struct pba_arena {
	char magic[8];
	uint32_t nr;
	uint32_t closed; /* the recorder will end: take no more chunks */
	uint32_t recorder; /* its thread's id; the kernel sets FUTEX_OWNER_DIED when
			      the thread ends (set_robust_list(2)) */
	uint32_t asked;	   /* increased by processes: write all records now */
	uint32_t answered; /* the last @asked that the recorder has done */
	uint32_t id; /* random; option arena-id= */
	struct pba_chunk chunk[PBA_CHUNKS_MAX];
};

#define PBA_SIZE(nr) (PBA_DATA_AT + (nr) * PBA_CHUNK_SIZE)

#endif /* PATCHBAY_TRACE_ARENA_H */
