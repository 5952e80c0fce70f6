/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Takes blocks and other parts of the data file from the recorder's memory
 * (format/arena.h), instead of mapping the file. May be called where sys.h's code may. The
 * caller holds a lock.
 */
#ifndef PB_TRACE_ARENA_H
#define PB_TRACE_ARENA_H

#include "format/arena.h"

struct pb_data_file;
struct pbd_chunk;

/*
 * Map the arena that the options name, if the process may. Forked children inherit the
 * mapping. With overwrite=1, or a memory limit, only its head is mapped.
 */
void pb_arena_open(void);

/* The arena's head, or NULL if it is not mapped. */
struct pba_arena *pb_arena_head(void);

/*
 * Map the whole arena, or only its first page. Sets the numbers of chunks and pages.
 * Returns NULL if this process cannot map it.
 */
struct pba_arena *pb_arena_map(int is_whole, uint32_t *nr, uint32_t *nr_pages);

/* May threads take chunks and areas? */
int pb_arena_is_open(void);

/* Was the recorder killed, or has it ended? */
int pb_arena_is_left(void);

/* A zeroed chunk, for a block of the file that the recorder will write; or NULL. */
void *pb_arena_take(struct pb_data_file *file);

/* Is @address in a chunk of PBA_CHUNK_SIZE? Or in an area? */
int pb_arena_has(const void *address);
int pb_arena_has_pages(const void *address);

/*
 * The size of a chunk of a file. Other processes can write to chunks in areas, so a size from
 * there is limited to the end of the arena. It is at least @least.
 */
uint64_t pb_arena_size(const struct pbd_chunk *chunk, uint64_t least);

/*
 * Take an area of @size zeroed bytes. Returns NULL if there is none. pb_arena_bind() makes
 * it the bytes of @file from @at on; the file must have a header and a name by then. The
 * caller need not hold the lock.
 */
void *pb_arena_take_pages(uint64_t size);
void pb_arena_bind(const struct pb_data_file *file, const void *area, uint64_t at);

/* Give back an area of @size bytes that belongs to no file. */
void pb_arena_drop(void *area, uint64_t size);

/*
 * Add all pages by one system call, instead of one page fault for each. Does nothing before
 * Linux 5.14.
 */
void pb_arena_populate(void *area, uint64_t size);

/* End the area after @size bytes. The bytes that follow in the file are in another area. */
void pb_arena_cut(const void *area, uint64_t size);

/*
 * Pass the chunk to the recorder: @state is PBA_FULL or PBA_ENDED. In an area, the chunk
 * must be the only one. Returns 0 if the chunk is not in the arena.
 */
int pb_arena_pass_on(const void *chunk, enum pba_state state);

/* The process begins another file (rotate.h). Threads may still write to @from. */
void pb_arena_next_file(const struct pb_data_file *from, const struct pb_data_file *to);
/* No thread writes to an earlier file any more. */
void pb_arena_finish_files(void);

/*
 * Wait, at most 5 s, until the recorder has written all present records. Returns 0 if
 * the recorder was killed, or has ended; another recorder may continue (Recorder.h in
 * the command). Handlers must not call it, and the caller need not hold the lock.
 */
int pb_arena_wait(void);

/*
 * The recording is over: pass the file's blocks to the recorder, and unmap the arena. @file
 * has a header unless this process has no file. Handlers must not call it.
 */
void pb_arena_close(const struct pb_data_file *file);

/*
 * The program limits or locks its memory: unmap all chunks except those that its threads
 * use, and take no more. Forked children take none, either.
 */
void pb_arena_leave(const struct pb_data_file *file);

/*
 * If the recorder was killed, write what it has not written. pb_arena_write_rest()
 * writes everything, when the process ends. pb_arena_write_areas() writes the areas,
 * when the process adds a chunk of its own. Returns 1, 0 if the recorder lives, or
 * -errno if the file cannot be opened.
 */
int pb_arena_write_rest(const struct pb_data_file *file);
void pb_arena_write_areas(const struct pb_data_file *file);

#endif /* PB_TRACE_ARENA_H */
