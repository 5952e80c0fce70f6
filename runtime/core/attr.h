/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Structures of callers that may be of an earlier or a later header. */
#ifndef PB_CORE_ATTR_H
#define PB_CORE_ATTR_H

#include <errno.h>
#include <stddef.h>

/*
 * As of copy_struct_from_user(): what lies behind the @known bytes of a
 * structure of @size bytes must not be asked for, since we do not know it.
 * Returns 0, -EINVAL or -E2BIG.
 */
static inline int pb_check_size(const void *attr, size_t size, size_t known)
{
	const unsigned char *byte = attr;

	if (size < known)
		return -EINVAL;
	for (size_t i = known; i < size; i++)
		if (byte[i])
			return -E2BIG;
	return 0;
}

#endif /* PB_CORE_ATTR_H */
