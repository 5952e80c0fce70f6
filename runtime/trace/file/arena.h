/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Blocks in memory of the recorder (format/arena.h) instead of mapped pages of the data
 * file. The code may be called where sys.h's code may. The caller holds a lock.
 */
#ifndef PB_TRACE_ARENA_H
#define PB_TRACE_ARENA_H

#include "format/arena.h"

struct pb_data_file;
struct pbd_chunk;

/*
 * Map the arena that the options name, if the process may. It stays mapped, in forked
 * children, too. With overwrite=1, or a memory limit, only its head is mapped.
 */
void pb_arena_open(void);

/* Its head, or NULL. */
struct pba_arena *pb_arena_head(void);

/*
 * Map it, all of it or only the first page. Sets the numbers of chunks and pages. Returns
 * NULL if this process cannot.
 */
struct pba_arena *pb_arena_map(int is_whole, uint32_t *nr, uint32_t *nr_pages);

/* The recorder accepts blocks of PBA_CHUNK_SIZE, and areas. */
int pb_arena_is_open(void);

/* The recorder was killed, or has ended. */
int pb_arena_is_left(void);

/* A zeroed chunk, for a block of the file that the recorder will write; or NULL. */
void *pb_arena_take(struct pb_data_file *file);

/* Is it in a chunk of PBA_CHUNK_SIZE, or in an area? */
int pb_arena_has(const void *address);
int pb_arena_has_pages(const void *address);

/*
 * The size of a chunk of a file. Other processes can write to chunks in areas, so a size from
 * there is limited to the end of the arena. It is at least @least.
 */
uint64_t pb_arena_size(const struct pbd_chunk *chunk, uint64_t least);

/*
 * Zeroed memory for @size bytes of a file, or NULL. They belong to it only after
 * pb_arena_bind(), which @file needs a header and a name for. Takes no lock.
 */
void *pb_arena_take_pages(uint64_t size);
void pb_arena_bind(const struct pb_data_file *file, const void *area, uint64_t at);

/* Give back an area of @size bytes that belongs to no file. */
void pb_arena_drop(void *area, uint64_t size);

/* One system call instead of a page fault for each page. Older kernels cannot. */
void pb_arena_populate(void *area, uint64_t size);

/* The area has only @size bytes. Another one has what comes after them in the file. */
void pb_arena_cut(const void *area, uint64_t size);

/*
 * Leave the chunk to the recorder: @state is PBA_FULL or PBA_ENDED. The chunk must be the only
 * one in its area. Returns 0 if it is not in the arena.
 */
int pb_arena_pass_on(const void *chunk, enum pba_state state);

/* The process goes on in another file: rotate.h. Threads may still write to @from. */
void pb_arena_next_file(const struct pb_data_file *from, const struct pb_data_file *to);
/* No thread writes to any former file. */
void pb_arena_finish_files(void);

/*
 * Wait until the recorder has written all present records. Waits 5 s at most. Returns 0
 * if the recorder was killed, or has ended: another one may continue (Recorder.h in the
 * command). Handlers must not call it, and the caller need not hold the lock.
 */
int pb_arena_wait(void);

/*
 * The recording is over: leave the file's blocks to the recorder, and unmap the arena.
 * @file: with a header, unless this process has none. Handlers must not call it.
 */
void pb_arena_close(const struct pb_data_file *file);

/*
 * The program limits or locks its memory: unmap all chunks except those that its threads
 * use, and take no more. Forked children have none, either.
 */
void pb_arena_leave(const struct pb_data_file *file);

/*
 * If the recorder has been killed, write what it has not written: all at the end of the
 * process, and areas before a block is used that the process has mapped since. Returns 0
 * if the recorder lives; -errno if the file cannot be opened.
 */
int pb_arena_write_rest(const struct pb_data_file *file);
void pb_arena_write_areas(const struct pb_data_file *file);

#endif /* PB_TRACE_ARENA_H */
