/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Blocks in memory of the recorder (format/arena.h) instead of mapped pages of the data
 * file. The code may be called where sys.h's code may. The caller holds a lock.
 */
#ifndef PB_TRACE_ARENA_H
#define PB_TRACE_ARENA_H

#include "format/arena.h"

struct pb_data_file;

/*
 * Map the arena that the options name, if the process may. It stays mapped, in forked
 * children, too.
 */
void pb_arena_open(void);

/* The recorder accepts blocks of PBA_CHUNK_SIZE. */
int pb_arena_is_open(void);

/* A zeroed chunk, for a block of the file that the recorder will write; or NULL. */
void *pb_arena_take(struct pb_data_file *file);

int pb_arena_has(const void *address);

/*
 * Leave the chunk to the recorder: PBA_FULL or PBA_ENDED. Returns 0 if it is not one of
 * the arena.
 */
int pb_arena_pass_on(const void *chunk, enum pba_state state);

/*
 * Wait until the recorder has written all present records, or has been killed; a second
 * at most. Handlers must not call it. The caller need not hold the lock.
 */
void pb_arena_wait(void);

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

/* The process ends. If the recorder has been killed, write what it has not written. */
void pb_arena_write_rest(const struct pb_data_file *file);

#endif /* PB_TRACE_ARENA_H */
