/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the core asks of the operating system. A port to another one provides
 * these functions.
 */
#ifndef PB_CORE_OS_H
#define PB_CORE_OS_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

/*
 * 1: no system call is made that the program can do without, as pb_private_restrict() says.
 * For who makes one: nothing here looks at it.
 */
extern int pb_os_restricted;

/*
 * A handle for reading and writing our own text, whatever its protection; or
 * -errno, -ENODEV if the system has no way to do so (Linux: no /proc).
 */
int pb_os_text_open(void);
int pb_os_text_write(int handle, uintptr_t addr, const void *bytes, size_t len);
/* Where there may be nothing; -EIO if there is less than @len. */
int pb_os_text_read(int handle, uintptr_t addr, void *bytes, size_t len);
void pb_os_text_close(int handle);

/*
 * Keep a handle for the calling thread, for the time when no other can be had; and,
 * in a forked child, close it. Returns 0 or -errno.
 */
int pb_os_text_keep(void);
void pb_os_text_forget(void);

/* See pb_sync_core(). */
int pb_os_sync_core(void);

/*
 * 1: the word at @at is another than @value, or cannot be read. 0: it is @value,
 * or there is no telling. Async-signal-safe, errno stays, and no fault happens
 * whatever @at is.
 */
int pb_os_differs(const uint32_t *at, uint32_t value);

/* Copy memory that may be gone by now. Returns 1, or 0. The same holds of it. */
int pb_os_peek(const void *at, void *to, size_t size);

/*
 * The kernel's numbers of the calling thread and of its process; and whether no thread
 * of @process, the calling one, has @number any more. Async-signal-safe, errno stays.
 */
void pb_os_thread(int *process, int *number);
int pb_os_has_ended(int process, int number);

/*
 * Map @size bytes of readable and executable, never writable, memory filled
 * from @code, wholly between @low and @high. Returns NULL and sets *@error to
 * a negative errno if there is no room or no permission.
 */
void *pb_os_map_code(uintptr_t low, uintptr_t high, const void *code,
		     size_t size, int *error);
void pb_os_unmap_code(void *code, size_t size);

/*
 * The number of the file, as in stat(2), that is mapped at @addr, and in @path what it is
 * called now, as the system says it: with " (deleted)" behind it if that name is not its
 * any more. 0 and "" if there is none, or no telling.
 */
uint64_t pb_os_file_at(uintptr_t addr, char path[PATH_MAX]);

/*
 * Sleep while *@word is @value, until somebody has changed it and calls
 * pb_os_wake(), which wakes one of those who sleep; or not so long, as when a signal
 * comes: who calls looks again. Returns 1 if all of the time has passed.
 */
int pb_os_sleep(const uint32_t *word, uint32_t value, unsigned int milliseconds);
void pb_os_wake(const uint32_t *word);

/*
 * @size bytes of zeroes, which are memory once they are touched, at a multiple of
 * @multiple, a power of 2 that is not less than a page. @size is such a multiple, too.
 * NULL: out of memory. Async-signal-safe, errno stays: it does not call the C library, whose
 * mmap() may be the program's, and traced.
 */
void *pb_os_map_zeroes(size_t size, size_t multiple);
void pb_os_unmap(void *memory, size_t size);

/*
 * Make sure that the object that this library is in is never unloaded: threads
 * keep a pointer to its code, the destructor of a pthread key. libpatchbay.so
 * says so of itself; libpatchbay.a may be in any shared object.
 */
void pb_os_stay_loaded(void);

/*
 * Is this library there from the start of the process, as what is preloaded needs it? Then
 * it is global, and stays loaded; and dlopen(3), which allocates, need not say so.
 */
extern int pb_os_preloaded;

#endif /* PB_CORE_OS_H */
