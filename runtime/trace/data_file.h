/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Writing the data file (format.h). Space is allocated on disk before it is
 * mapped, so that a full disk is an error here and not a signal later. All of
 * it may be called where sys.h's code may; callers hold a lock.
 */
#ifndef PB_TRACE_DATA_FILE_H
#define PB_TRACE_DATA_FILE_H

#include "descriptor.h"
#include "format.h"

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
 * For its user alone, as perf.data is: arguments and results of calls are in it. And
 * who may open it may lock it.
 */
#define PB_DATA_MODE 0600

/*
 * No descriptor is kept, unless it must be (user.h): programs close those they do not
 * know, and are given the numbers again for files of their own.
 */
struct pb_data_file {
	struct pbd_header *header; /* mapped, shared; NULL: no file */
	uint64_t allocated; /* bytes of the disk that were counted for it */
	uint64_t end;       /* up to here, whole pages */
	uint64_t extents;   /* by so many allocations */
	struct pb_identity identity;
	int kept; /* the descriptor of pb_data_keep(), and 1; 0: none */
	struct pb_data_ahead ahead;   /* of pb_data_open() */
	struct pb_data_ahead lasting; /* of chunks that are never unmapped */
	char path[PATH_MAX];
	char before[PATH_MAX]; /* what it was called before it had a header, if
				  it was; not on small stacks */
};

/* Errors of ours, which no system call here has: max-size= and max-memory=. */
#define PB_OVER_SIZE EXFULL
#define PB_OVER_MEMORY ENOANO

/* To be set before anything else here is used. */
extern uint64_t pb_page_size;

/*
 * Make the file of this process in directory @output, or take one that was set aside
 * (spare_files.h) if it cannot make any there, and allocate and map so much of
 * it at once that its first chunks, of @size bytes together, take no system call. If
 * there is no space for so much, there may be a file all the same. Returns 0 or -errno.
 */
int pb_data_open(struct pb_data_file *file, const char *output, size_t size);

/* Bytes of chunks that would take no system call now. */
size_t pb_data_ahead(const struct pb_data_file *file);

/* What the file is called in its directory. */
const char *pb_data_name(const struct pb_data_file *file);

/*
 * Append a chunk of @size bytes, which are zero, and map it; it stays mapped.
 * The caller fills it in and then calls pb_data_commit(). Returns NULL and sets
 * *@error if there is no space; the file is as before.
 */
void *pb_data_reserve(struct pb_data_file *file, enum pbd_kind kind,
		      size_t size, int *error);
void pb_data_commit(struct pb_data_file *file, const struct pbd_chunk *chunk);

/* It is for readers only from now on, and need not be mapped any more. */
void pb_data_unmap(const struct pb_data_file *file,
		   const struct pbd_chunk *chunk);

/* A descriptor of the file, or -errno: -ESTALE if another one is in its place. */
int pb_data_reopen(const struct pb_data_file *file);

/* From now on it need not be found by its path. Returns 0 or -errno. */
int pb_data_keep(struct pb_data_file *file);

/*
 * The recording is over: nothing of the file is mapped or open any more, and it is not
 * locked. Not called by handlers.
 */
void pb_data_close(struct pb_data_file *file);

/* The same of the file that is mapped there, of another process. NULL: none. */
void pb_data_unmap_all(const void *of);

/* There may be descriptors again when the next event comes. */
int pb_data_is_passing(int error);

/*
 * In a forked child: close what its parent has kept. A child that gives up its rights
 * must not be able to truncate a file that others have mapped.
 */
void pb_data_forget(void);

/*
 * As posix_fallocate(3), of a file that nobody counts: where the file system cannot,
 * bytes are written.
 */
int pb_data_allocate(int fd, uint64_t start, uint64_t size);

/* Never in the place of another file. Returns 0 or -errno. */
int pb_data_rename(const char *from, const char *to);

/*
 * Leave word of the first failure; @error is 0 or -errno. A limit that was asked for is
 * none.
 */
void pb_data_note(struct pb_data_file *file, int error);

#endif /* PB_TRACE_DATA_FILE_H */
