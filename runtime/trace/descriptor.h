/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Descriptors that stay open in the program's table, beside its own ones. The program
 * may close them, as servers do with all that they do not know, and have another file
 * of the same number then: so each use finds out first which file it is. All of it may
 * be called where sys.h's code may.
 */
#ifndef PB_TRACE_DESCRIPTOR_H
#define PB_TRACE_DESCRIPTOR_H

#include <stdint.h>

/* Which file it is: a number is not enough. */
struct pb_identity {
	uint64_t device, inode;
};

/* Of the file that @fd is of. Returns 0 or -errno. */
int pb_identify(int fd, struct pb_identity *identity);

int pb_is_of(int fd, const struct pb_identity *identity);

/* @fd if it is of this file; else it is closed: -ESTALE. @fd may be -errno. */
int pb_check_descriptor(int fd, const struct pb_identity *identity);

/*
 * Moves it to a number behind what programs usually have open, where the limit allows
 * that. Closed by execve(2). Returns the number, or -errno: then it is closed.
 */
int pb_keep_descriptor(int fd);

/* A copy of what has been kept as @number, for a moment, or -errno. */
int pb_copy_kept(int number, const struct pb_identity *identity);

#endif /* PB_TRACE_DESCRIPTOR_H */
