/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * strdup(3), which sanitizers and programs replace by one that does not work before
 * their own constructors have run.
 */
#ifndef PB_CORE_COPY_STRING_H
#define PB_CORE_COPY_STRING_H

#include <stdlib.h>
#include <string.h>

static inline char *pb_copy_string(const char *from)
{
	size_t size = strlen(from) + 1;
	char *to = malloc(size);

	return to ? memcpy(to, from, size) : NULL;
}

#endif /* PB_CORE_COPY_STRING_H */
