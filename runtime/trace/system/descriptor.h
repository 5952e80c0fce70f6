/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Descriptors that stay open in the program's descriptor table. The program may close all
 * unknown descriptors, as servers do, and then open another file with the same number. So
 * each use first verifies the file. Handlers may call these functions.
 */
#ifndef PB_TRACE_DESCRIPTOR_H
#define PB_TRACE_DESCRIPTOR_H

#include <stddef.h>
#include <stdint.h>

/* Identifies the file of a descriptor. */
struct pb_identity {
	uint64_t device, inode;
};

/* Identify the file of @fd. Returns 0 or -errno. */
int pb_identify(int fd, struct pb_identity *identity);

int pb_is_of(int fd, const struct pb_identity *identity);

/*
 * Returns @fd if it refers to this file, or if it is -errno. Otherwise closes @fd and
 * returns -ESTALE.
 */
int pb_check_descriptor(int fd, const struct pb_identity *identity);

/*
 * Move @fd to a number above the numbers that programs usually use, if the limit allows,
 * and set close-on-exec. Returns the new number, or -errno. Closes @fd even on error.
 */
int pb_keep_descriptor(int fd);

/* Read the first @size bytes of the file @path. Returns the number of bytes, or -errno. */
long pb_read_path(const char *path, void *to, size_t size);

/* Returns a temporary copy of the descriptor kept as @number, or -errno. */
int pb_copy_kept(int number, const struct pb_identity *identity);

#endif /* PB_TRACE_DESCRIPTOR_H */
