/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Writes the data file (format.h), in areas of the arena (arena.h) or, without an arena, in
 * mappings of the file. Disk space is allocated before the file is mapped, so that a full
 * disk causes an error instead of SIGBUS. Handlers may call all functions unless stated
 * otherwise. The caller holds a lock.
 */
#ifndef PB_TRACE_DATA_FILE_H
#define PB_TRACE_DATA_FILE_H

#include "format/format.h"
#include "system/descriptor.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A mapping for future chunks: @size bytes of the file from offset @start are at @mapped.
 */
struct pb_data_ahead {
	char *mapped;
	uint64_t start, size;
};

/*
 * Private to the user, like perf.data, because the file contains arguments and results of
 * calls. A process of another user could also hold the file's lock.
 */
#define PB_DATA_MODE 0600

/*
 * A data file. Usually no descriptor stays open, because programs close unknown descriptors
 * and reuse their numbers. The exception is @kept (user.h).
 */
struct pb_data_file {
	struct pbd_header *header; /* in the arena or mapped; NULL: no file */
	const void *held; /* the mapping that keeps the file's lock */
	uint64_t is_in_arena; /* the header and other chunks are in the arena */
	uint64_t allocated; /* bytes of disk space that the quota counted */
	uint64_t end;       /* end of the allocated pages */
	uint64_t extents;   /* number of allocations so far */
	uint64_t unused_at, nr_unused; /* blocks added by add_unused_blocks() */
	struct pb_identity identity;
	int kept; /* the descriptor of pb_data_keep() plus 1; 0: none */
	int stays; /* this is a spare file: the process cannot make new files */
	struct pb_data_ahead ahead;   /* space that pb_data_open() has mapped */
	struct pb_data_ahead lasting; /* space for chunks that are never unmapped */
	char path[PATH_MAX];
	char before[PATH_MAX]; /* the temporary name, if any; a field, because stacks may be
			          small */
};

/*
 * Errors of this library for max-size= and max-memory=. The system calls used here never
 * return them.
 */
#define PB_OVER_SIZE EXFULL
#define PB_OVER_MEMORY ENOANO

/* Set this before any other use of this header. */
extern uint64_t pb_page_size;

/* Unlock new mappings of files, because the program has called mlockall(2). */
extern int pb_data_unlocks;

/*
 * Make this process's file in directory @output. On failure take a spare file
 * (spare_files.h). Allocates and maps @size bytes for the first chunks, so that these
 * chunks need no system calls. If the disk is too full for them, the file may still be
 * made. Returns 0 or -errno.
 */
int pb_data_open(struct pb_data_file *file, const char *output, size_t size);

/* Returns the number of bytes that are already mapped for chunks. */
size_t pb_data_ahead(const struct pb_data_file *file);

/* Returns the file's name without its directory. */
const char *pb_data_name(const struct pb_data_file *file);

/*
 * Append a zeroed chunk of @size bytes, which stays mapped. The caller fills in the chunk
 * and then calls pb_data_commit(). On error, such as a full disk, returns NULL, sets
 * *@error, and leaves the file unchanged.
 */
void *pb_data_reserve(struct pb_data_file *file, enum pbd_kind kind,
		      size_t size, int *error);
void pb_data_commit(struct pb_data_file *file, const struct pbd_chunk *chunk);

/* Append @nr unused chunks of @size bytes, without mapping them. Returns 0 or -errno. */
int pb_data_add_spare(struct pb_data_file *file, uint64_t nr, uint64_t size);

/* Unmap the chunk, because the process has finished writing to it. */
void pb_data_unmap(const struct pb_data_file *file,
		   const struct pbd_chunk *chunk);

/*
 * Returns a descriptor of the file, or -errno. -ESTALE: the path now refers to another
 * file.
 */
int pb_data_reopen(const struct pb_data_file *file);

/*
 * Keep a descriptor open, for a process that will lose access to the path. Returns 0 or
 * -errno.
 */
int pb_data_keep(struct pb_data_file *file);

/*
 * Unmap @held. If the header is in the arena, @held is the only mapping of the file, so
 * this releases the lock.
 */
void pb_data_unhold(const struct pb_data_file *file);

/*
 * The recording is over: unmap and close the file, which releases its lock. Handlers must
 * not call this function.
 */
void pb_data_close(struct pb_data_file *file);

/*
 * Unmap the file that is mapped at @of: an earlier file of this process, or a file of its
 * parent. Does nothing if @of is NULL.
 */
void pb_data_unmap_all(const void *of);

/*
 * Is the error temporary (a lack of descriptors), so that the next event should try again?
 */
int pb_data_is_passing(int error);

/*
 * Called in a forked child: close the inherited descriptor. A child that gives up its
 * rights must not be able to truncate a file that other processes have mapped.
 */
void pb_data_forget(void);

/*
 * Does @end exceed RLIMIT_FSIZE? A write beyond that limit raises SIGXFSZ, which kills the
 * process.
 */
int pb_data_exceeds_limit(uint64_t end);

/*
 * Store the first failure in the header. @error is 0 or -errno. Ignores errors caused by
 * limits that the user has set.
 */
void pb_data_note(struct pb_data_file *file, int error);

#endif /* PB_TRACE_DATA_FILE_H */
