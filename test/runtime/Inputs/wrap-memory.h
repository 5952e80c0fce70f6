/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Lets a test observe when libpatchbay.a allocates or frees memory. The test defines
 * fails_now(), which returns 1 to make an allocation fail, and changed(), which gets
 * the change of the number of blocks. Link with -Wl,--wrap=pb_malloc and so on.
 */
#ifndef WRAP_MEMORY_H
#define WRAP_MEMORY_H

#include <errno.h>
#include <stddef.h>

static int fails_now(void);
static void changed(int by);

void *__real_pb_malloc(size_t size);
void *__real_pb_calloc(size_t nr, size_t size);
void *__real_pb_realloc(void *old, size_t size);
void __real_pb_free(void *block);

#define WRAP __attribute__((no_profile_instrument_function))

WRAP static void *made(void *block, int is_new)
{
	if (block && is_new)
		changed(1);
	return block;
}

WRAP static void *none(void)
{
	errno = ENOMEM;
	return NULL;
}

WRAP void *__wrap_pb_malloc(size_t size)
{
	return fails_now() ? none() : made(__real_pb_malloc(size), 1);
}

WRAP void *__wrap_pb_calloc(size_t nr, size_t size)
{
	return fails_now() ? none() : made(__real_pb_calloc(nr, size), 1);
}

WRAP void *__wrap_pb_realloc(void *old, size_t size)
{
	return fails_now() ? none() : made(__real_pb_realloc(old, size), !old);
}

WRAP void __wrap_pb_free(void *block)
{
	if (block)
		changed(-1);
	__real_pb_free(block);
}

#endif
