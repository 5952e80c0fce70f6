/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Read and write structures of callers that were compiled with an older or a newer header. */
#pragma once

#include <errno.h>
#include <stddef.h>
#include <string.h>

/*
 * Read the caller's structure at @from, whose first member is its size, into @to, which has
 * @known bytes (as copy_struct_from_user() in Linux). Fields that an older caller does not
 * have become 0. Bytes that only a newer caller knows must be 0. Sets the size in @to to
 * @known. Returns 0; -EINVAL if there are fewer than @least bytes; or -E2BIG.
 */
static inline int pb_read_attr(void *to, size_t known, const void *from,
			       size_t least)
{
	const unsigned char *byte = from;
	size_t size;

	memcpy(&size, from, sizeof(size));
	if (size < least)
		return -EINVAL;
	for (size_t i = known; i < size; i++)
		if (byte[i])
			return -E2BIG;
	memset(to, 0, known);
	memcpy(to, from, size < known ? size : known);
	memcpy(to, &known, sizeof(known));
	return 0;
}

/*
 * Write @from, of @known bytes, to the caller's structure @to, whose first member is its
 * size. An older caller does not get the last fields. Fields that only a newer caller has
 * become 0. Keeps the size in @to. Returns 0, or -EINVAL if there are fewer than @least bytes.
 */
static inline int pb_write_info(void *to, const void *from, size_t known,
				size_t least)
{
	const size_t start = sizeof(size_t);
	size_t size, end;

	memcpy(&size, to, sizeof(size));
	if (size < least)
		return -EINVAL;
	end = size < known ? size : known;
	memcpy((char *)to + start, (const char *)from + start, end - start);
	memset((char *)to + end, 0, size - end);
	return 0;
}
