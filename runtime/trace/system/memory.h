/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Memory for code that holds the session's lock. The program's malloc() must not be
 * called there: another thread may hold the lock of the program's heap, and a signal
 * handler that interrupts it may call a traced function, which waits for the session's
 * lock. What one of these functions returns has whole pages of its own.
 */
#ifndef PB_TRACE_MEMORY_H
#define PB_TRACE_MEMORY_H

#include <stddef.h>

/* Returns @nr elements of @size bytes, all zero, or NULL. Async-signal-safe. */
void *pb_memory_new(size_t nr, size_t size);

/* Like realloc(3): new bytes are zero. Async-signal-safe. */
void *pb_memory_grow(void *memory, size_t size);

/* Async-signal-safe. */
void pb_memory_free(void *memory);

#endif /* PB_TRACE_MEMORY_H */
