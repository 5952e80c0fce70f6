/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Takes memory for blocks and other chunks of the data file from the recorder's arena
 * (format/arena.h), instead of mapping the file. Handlers may call these functions unless
 * stated otherwise. The caller holds a lock.
 */
#ifndef PB_TRACE_ARENA_H
#define PB_TRACE_ARENA_H

#include "format/arena.h"

struct pb_data_file;
struct pbd_chunk;

/*
 * Map the arena that the options name, if permitted. Forked children inherit the mapping.
 * With overwrite=1, or a memory limit, only the head of the arena is mapped.
 */
void pb_arena_open(void);

/* The arena's head, or NULL if it is not mapped. */
struct pba_arena *pb_arena_head(void);

/*
 * Map the whole arena, or only its first page. Sets the numbers of chunks and pages.
 * Returns NULL on failure.
 */
struct pba_arena *pb_arena_map(int is_whole, uint32_t *nr, uint32_t *nr_pages);

/* May threads take chunks and areas? */
int pb_arena_is_open(void);

/* Has the recorder ended, or was it killed? */
int pb_arena_is_left(void);

/*
 * Returns a zeroed chunk for a block, which the recorder will write to the file, or NULL.
 */
void *pb_arena_take(struct pb_data_file *file);

/*
 * pb_arena_has(): is @address in a chunk of PBA_CHUNK_SIZE? pb_arena_has_pages(): is
 * @address in an area?
 */
int pb_arena_has(const void *address);
int pb_arena_has_pages(const void *address);

/*
 * Returns the size of a chunk. Other processes can write to areas, so a size that is stored
 * in an area is limited to values from @least to the end of the arena.
 */
uint64_t pb_arena_size(const struct pbd_chunk *chunk, uint64_t least);

/*
 * pb_arena_take_pages() returns an area of @size zeroed bytes, or NULL. pb_arena_bind()
 * assigns the area to offset @at of @file, which must have a header and a name by then. The
 * callers need not hold the lock.
 */
void *pb_arena_take_pages(uint64_t size);
void pb_arena_bind(const struct pb_data_file *file, const void *area, uint64_t at);

/* Free an area of @size bytes that is not bound to a file. */
void pb_arena_drop(void *area, uint64_t size);

/*
 * Allocate all pages of the area by one system call, instead of one page fault per page.
 * Does nothing before Linux 5.14.
 */
void pb_arena_populate(void *area, uint64_t size);

/*
 * Truncate the area to @size bytes. Another area contains the following bytes of the file.
 */
void pb_arena_cut(const void *area, uint64_t size);

/*
 * Pass the chunk to the recorder: @state is PBA_FULL or PBA_ENDED. A chunk in an area must
 * be the only chunk of the area. Returns 0 if the chunk is not in the arena.
 */
int pb_arena_pass_on(const void *chunk, enum pba_state state);

/* The process begins another file (rotate.h). Threads may still write to @from. */
void pb_arena_next_file(const struct pb_data_file *from, const struct pb_data_file *to);
/* All threads have finished writing to earlier files. */
void pb_arena_finish_files(void);

/*
 * Wait, at most 5 s, until the recorder has written all present records. Returns 0 if the
 * recorder has ended or was killed; another recorder may continue (Recorder.h in the
 * command). Handlers must not call this function. The caller need not hold the lock.
 */
int pb_arena_wait(void);

/*
 * The recording is over: pass the file's blocks to the recorder, and unmap the arena. If
 * the process has no file, @file has no header. Handlers must not call this function.
 */
void pb_arena_close(const struct pb_data_file *file);

/*
 * Called when the program limits or locks its memory: unmap all chunks that no thread uses,
 * and stop taking chunks, also in forked children.
 */
void pb_arena_leave(const struct pb_data_file *file);

/*
 * If the recorder was killed, write the rest of the file instead. pb_arena_write_rest()
 * writes blocks and areas, when the process ends, and returns 1, 0 if the recorder lives,
 * or -errno if the file cannot be opened. pb_arena_write_areas() only writes the areas,
 * after the process has added a chunk.
 */
int pb_arena_write_rest(const struct pb_data_file *file);
void pb_arena_write_areas(const struct pb_data_file *file);

#endif /* PB_TRACE_ARENA_H */
