/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes to text from outside, as a removed uprobe or a debugger does. */
#ifndef COMPILER_BYTES_H
#define COMPILER_BYTES_H

#include "check.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* Offset and size of the bytes of a site that say whether the site is armed. */
#if defined(__x86_64__)
enum { STATE_AT = 0, STATE_SIZE = 1 };
#elif defined(__powerpc64__)
enum { STATE_AT = 0, STATE_SIZE = 4 };
#else
enum { STATE_AT = 4, STATE_SIZE = 4 };
#endif

static inline void write_text(uintptr_t at, const void *bytes, size_t size)
{
	int fd = open("/proc/self/mem", O_WRONLY);

	CHECK(fd >= 0);
	CHECK_EQ(pwrite(fd, bytes, size, (off_t)at), size);
	close(fd);
}

/*
 * Copies the state bytes of the disarmed site @from, which equal the file's, to
 * @to.
 */
static inline void disarm_like(uintptr_t to, uintptr_t from)
{
	char state[STATE_SIZE];

	memcpy(state, (const void *)(from + STATE_AT), sizeof(state));
	write_text(to + STATE_AT, state, sizeof(state));
}

#endif /* COMPILER_BYTES_H */
