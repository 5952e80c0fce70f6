/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The core's interface to the operating system. A port to another system provides these
 * functions, pb_sync_core() and pb_private_keep_text().
 */
#ifndef PB_CORE_OS_H
#define PB_CORE_OS_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

/*
 * 1: the library makes no system call that the program can do without; see
 * pb_private_restrict(). Callers check it; the functions here do not.
 */
extern int pb_os_restricted;

/*
 * Returns a handle to read and write the program's own text, whatever its protection.
 * Returns -errno on failure; -ENODEV if the system has no way to do so (Linux: no /proc).
 */
int pb_os_text_open(void);
int pb_os_text_write(int handle, uintptr_t addr, const void *bytes, size_t len);
/* The memory may be unmapped: returns -EIO if fewer than @len bytes are mapped. */
int pb_os_text_read(int handle, uintptr_t addr, void *bytes, size_t len);
void pb_os_text_close(int handle);

/* Call in a forked child: closes the handle of pb_private_keep_text(). */
void pb_os_text_forget(void);

/*
 * Returns 1 if the word at @at differs from @value or cannot be read. Returns 0 if it
 * equals @value, or if the system cannot tell. Async-signal-safe, preserves errno, and
 * never faults, for any @at.
 */
int pb_os_differs(const uint32_t *at, uint32_t value);

/*
 * Copy memory that may be unmapped. Returns 1 on success, otherwise 0. Async-signal-safe,
 * preserves errno, and never faults.
 */
int pb_os_peek(const void *at, void *to, size_t size);

/*
 * pb_os_thread() stores the ids of the calling thread and of its process.
 * pb_os_has_ended() returns 1 if the calling process, @process, has no thread with the id
 * @number. Both are async-signal-safe and preserve errno.
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
 * Returns the inode number, as in stat(2), of the file that is mapped at @addr. Stores its
 * present path to @path, as the kernel reports it: with " (deleted)" appended if the path
 * no longer names that file. Stores "" and returns 0 if no file is mapped or on error.
 */
uint64_t pb_os_file_at(uintptr_t addr, char path[PATH_MAX]);

/*
 * Sleep while *@word is @value, until another thread changes it and calls pb_os_wake().
 * pb_os_wake() wakes one sleeping thread. pb_os_sleep() may return early, as after a
 * signal: the caller reads *@word again. Returns 1 after the full time.
 */
int pb_os_sleep(const uint32_t *word, uint32_t value, unsigned int milliseconds);
void pb_os_wake(const uint32_t *word);

/*
 * Map @size zero bytes, which use memory once they are touched. The address and @size are
 * multiples of @multiple, a power of 2 of at least a page. Returns NULL if out of memory.
 * Async-signal-safe; preserves errno. Does not call the C library's mmap(): the program
 * may have interposed it, and its version may be traced.
 */
void *pb_os_map_zeroes(size_t size, size_t multiple);
void pb_os_unmap(void *memory, size_t size);

/*
 * Keep the object that contains this library loaded forever. Threads keep a pointer to its
 * code: the destructor of a pthread key. libpatchbay.so is linked that way;
 * libpatchbay.a may be in any shared object.
 */
void pb_os_stay_loaded(void);

/*
 * Did the loader load this library at the start of the process, for a preloaded object?
 * Then the library is global and stays loaded. It needs no dlopen(3), which would allocate.
 */
extern int pb_os_preloaded;

/* Writing to text where the kernel lets only debuggers do so. For linux.c. */
/* Does the kernel let a write through @fd, the process's own memory, override protection? */
int pb_mem_is_forced(int fd);

/*
 * Returns a descriptor of the process's own memory that the calling thread can write to
 * as a debugger can, until pb_traced_mem_end(). Returns -errno on failure: -EBUSY if
 * a thread has one, -EPERM if the process has a seccomp filter or may not be traced.
 */
int pb_traced_mem_begin(void);

/* End the pb_traced_mem_begin() of the calling thread. Does nothing without one. */
void pb_traced_mem_end(void);

/* Call in a forked child, which has no helper process. */
void pb_traced_mem_forget(void);

#endif /* PB_CORE_OS_H */
