/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Writes the data file (format.h) to areas of the arena (arena.h) or, without an arena,
 * to mappings of the file. It allocates disk space before it maps the file, so a full
 * disk causes an error here, and no SIGBUS later. All functions may be called where
 * sys.h's code may. The caller holds a lock.
 */
#ifndef PB_TRACE_DATA_FILE_H
#define PB_TRACE_DATA_FILE_H

#include "format/format.h"
#include "system/descriptor.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

/* @size bytes of the file from @start on are allocated, and mapped at @mapped. */
struct pb_data_ahead {
	char *mapped;
	uint64_t start, size;
};

/*
 * Only its user may read the file, as with perf.data: it contains arguments and results of
 * calls. A process that can open the file could also lock it.
 */
#define PB_DATA_MODE 0600

/*
 * Keeps no descriptor open, with one exception (user.h): programs close descriptors that
 * they do not know, and reuse their numbers.
 */
struct pb_data_file {
	struct pbd_header *header; /* in the arena or mapped; NULL: no file */
	const void *held; /* the mapping that keeps the file's lock */
	uint64_t is_in_arena; /* header and other chunks are in the arena */
	uint64_t allocated; /* bytes of disk space that the quota counted */
	uint64_t end;       /* end of the allocated pages */
	uint64_t extents;   /* number of allocations so far */
	uint64_t unused_at, nr_unused; /* blocks that the recorder may write */
	struct pb_identity identity;
	int kept; /* the descriptor of pb_data_keep() plus 1; 0: none */
	int stays; /* a spare file: the process cannot make another one */
	struct pb_data_ahead ahead;   /* from pb_data_open() */
	struct pb_data_ahead lasting; /* for chunks that are never unmapped */
	char path[PATH_MAX];
	char before[PATH_MAX]; /* its name before it had a header, if any;
			          too large for small stacks */
};

/* Our own errors for max-size= and max-memory=. No system call here returns them. */
#define PB_OVER_SIZE EXFULL
#define PB_OVER_MEMORY ENOANO

/* Set this before any other use of this header. */
extern uint64_t pb_page_size;

/* Unlock new mappings of files: mlockall(2) locks them. */
extern int pb_data_unlocks;

/*
 * Make this process's file in directory @output. If that fails, take a file
 * that was set aside (spare_files.h). Allocate and map enough for the first
 * chunks, of @size bytes together, so that they need no system call. If the
 * disk has no space for them, the file may still be made. Returns 0 or -errno.
 */
int pb_data_open(struct pb_data_file *file, const char *output, size_t size);

/* Bytes that chunks can still use without a system call. */
size_t pb_data_ahead(const struct pb_data_file *file);

/* The file's name in its directory. */
const char *pb_data_name(const struct pb_data_file *file);

/*
 * Append a zeroed chunk of @size bytes, which stays mapped. The caller fills it
 * in and then calls pb_data_commit(). If the disk has no space, returns NULL
 * and sets *@error. The file is then unchanged.
 */
void *pb_data_reserve(struct pb_data_file *file, enum pbd_kind kind,
		      size_t size, int *error);
void pb_data_commit(struct pb_data_file *file, const struct pbd_chunk *chunk);

/*
 * Append @nr unused chunks of @size bytes, which are not mapped. Returns 0, or -errno, and
 * the file is unchanged.
 */
int pb_data_add_spare(struct pb_data_file *file, uint64_t nr, uint64_t size);

/* The process does not write to the chunk any more. */
void pb_data_unmap(const struct pb_data_file *file,
		   const struct pbd_chunk *chunk);

/* A descriptor of the file, or -errno. -ESTALE: the path now refers to another file. */
int pb_data_reopen(const struct pb_data_file *file);

/*
 * Keep a descriptor open, so that the file need not be found by its path.
 * Returns 0 or -errno.
 */
int pb_data_keep(struct pb_data_file *file);

/*
 * Unmap the first part of the file. If the header is in the arena, there is no other
 * mapping, so this releases the lock.
 */
void pb_data_unhold(const struct pb_data_file *file);

/*
 * The recording is over: unmap the file, close it and release its lock.
 * Handlers must not call it.
 */
void pb_data_close(struct pb_data_file *file);

/*
 * Unmap all of the file that has a mapping at @of, which may be an earlier file of this
 * process or its parent's. NULL does nothing.
 */
void pb_data_unmap_all(const void *of);

/* Is the error a lack of descriptors, so that the next event should try again? */
int pb_data_is_passing(int error);

/*
 * In a forked child: close the descriptor that its parent has kept. A child
 * that gives up its rights must not be able to truncate a file that others have
 * mapped.
 */
void pb_data_forget(void);

/*
 * Is @end beyond the process's limit of file sizes (RLIMIT_FSIZE)? A process that writes
 * there gets a signal that kills it.
 */
int pb_data_exceeds_limit(uint64_t end);

/*
 * Record the first failure in the header. @error is 0 or -errno. Limits that
 * the user has set are no failures.
 */
void pb_data_note(struct pb_data_file *file, int error);

#endif /* PB_TRACE_DATA_FILE_H */
