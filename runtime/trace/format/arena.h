/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The arena: memory that traced processes share with `patchbay record` (the *recorder*).
 * The recorder writes the contents to the data files of the processes, so that traced
 * threads avoid page faults for pages of files.
 *
 * The arena is a memfd of fixed size: a struct pba_arena, @nr chunks from PBA_DATA_AT on,
 * and @nr_pages small pages after them. The recorder makes the arena. Processes open the
 * arena by a path in /proc of the recorder (option arena=), and forked children inherit the
 * mapping.
 *
 * A thread *takes* a chunk of the arena for a large block of its data file. The process has
 * already allocated the block's space in the file, as an unused chunk (PBD_SPARE), so the
 * recorder's write cannot fail on a full disk. The recorder copies records of owned chunks
 * to the file several times a second, and full chunks at once. Then it frees full chunks.
 * If no chunk is free, the thread itself writes a full chunk of its process.
 *
 * All other bytes of the file are in *areas*: consecutive pages that contain the bytes of
 * the file from offset @at on. The first area begins with the header. Several times a
 * second the recorder copies changed bytes to the file, the header last. When all processes
 * have released the file's lock, the recorder copies all areas once more. A process maps
 * its file only to keep that lock, and never accesses the mapping, so truncating the file
 * does not kill the process.
 */
#ifndef PATCHBAY_TRACE_ARENA_H
#define PATCHBAY_TRACE_ARENA_H

#include <stdint.h>

#define PBA_MAGIC "PBARENA4"
#ifndef PBA_CHUNK_SIZE /* a test defines smaller sizes */
#define PBA_CHUNK_SIZE (UINT64_C(1) << 20) /* the size of the largest blocks (ring.c) */
#define PBA_CHUNKS_MAX 64
#define PBA_PAGES_MAX 16384
#endif
#define PBA_PAGE_SIZE (UINT64_C(4) << 10)
#define PBA_DATA_AT (UINT64_C(2) << 20) /* a multiple of any page size */
#define PBA_NAME_MAX 32 /* "4294967295.9999.spare.pbd" */

enum pba_state {
	PBA_FREE = 0,  /* all zeros */
	PBA_TAKEN = 1, /* a process is setting the fields below, or the recorder is clearing the
			  chunk */
	PBA_OWNED = 2, /* a thread writes records to the chunk */
	PBA_FULL = 3,  /* all records are reserved; an interrupted thread may still have to
			  complete a record */
	PBA_ENDED = 4, /* the thread that owned the chunk has ended */
	PBA_WRITTEN = 5, /* the recorder or the process is writing this full chunk to the file */
};

/*
 * A chunk, or the first page of an area. Other pages of areas are PBA_TAKEN. The process
 * sets all fields before @state becomes PBA_OWNED. Later only @size changes: the area
 * becomes shorter, and another area contains the following bytes.
 */
struct pba_chunk {
	uint32_t state; /* enum pba_state */
	uint32_t size;	/* bytes of the area; 0 in chunks */
	uint64_t at;	   /* file offset of the block or area */
	uint64_t start_ns; /* @start_ns in the file's header */
	uint32_t pages; /* number of pages of the area */
	uint32_t is_read; /* the recorder is copying the chunk: do not reuse it */
	char file[PBA_NAME_MAX];
};

struct pba_arena {
	char magic[8];
	uint32_t nr;
	uint32_t closed; /* the recorder is about to end, so taking chunks is forbidden */
	uint32_t recorder; /* id of the recorder's thread; the kernel sets FUTEX_OWNER_DIED when
			      the thread ends (set_robust_list(2)) */
	uint32_t asked;	   /* incremented by a process that wants all records written now */
	uint32_t answered; /* the last value of @asked that the recorder has handled */
	uint32_t id; /* random number: option arena-id= */
	uint32_t nr_pages;
	uint32_t nr_used; /* number of the first page after all pages that were ever taken */
	/*
	 * For max-size=. @size_used: bytes on disk of all files of the recording; the
	 * recorder corrects this number. @size_changing: the number of processes that are
	 * changing files and @size_used at the moment.
	 */
	uint64_t size_used;
	uint32_t size_changing;
	struct pba_chunk chunk[PBA_CHUNKS_MAX];
	struct pba_chunk page[PBA_PAGES_MAX];
};

#define PBA_PAGES_AT(nr) (PBA_DATA_AT + (nr) * PBA_CHUNK_SIZE)
#define PBA_SIZE(nr, nr_pages) (PBA_PAGES_AT(nr) + (nr_pages) * PBA_PAGE_SIZE)

#endif /* PATCHBAY_TRACE_ARENA_H */
