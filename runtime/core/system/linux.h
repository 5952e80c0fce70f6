/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The core's interface to the operating system. A port to another system provides these
 * functions, pb_sync_core() and pb_private_keep_text().
 */
#pragma once

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

/*
 * 1: system calls are restricted (pb_private_restrict()). The library then avoids system calls
 * where it can. Callers of the functions below check this variable.
 */
extern int pb_os_restricted;

/*
 * Returns a handle to read and write the program's own text, even if it is read-only.
 * Returns -errno on failure; -ENODEV if the system has no way to do so (Linux: no /proc).
 */
int pb_os_text_open(void);
int pb_os_text_write(int handle, uintptr_t addr, const void *bytes, size_t len);
/* Returns -EIO if fewer than @len bytes are mapped at @addr. */
int pb_os_text_read(int handle, uintptr_t addr, void *bytes, size_t len);
void pb_os_text_close(int handle);

/* In a forked child: close the handle of pb_private_keep_text(). */
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
 * Map @size bytes between @low and @high that are readable and executable, but
 * never writable, and contain @code. Returns NULL and sets *@error to a
 * negative errno if there is no free address range or no permission.
 */
void *pb_os_map_code(uintptr_t low, uintptr_t high, const void *code,
		     size_t size, int *error);

/*
 * Returns the inode number, as stat(2) does, of the file that is mapped at @addr. Stores the
 * file's present path to @path, as the kernel reports it: with " (deleted)" appended if that
 * path no longer names the file. Stores "" and returns 0 if no file is mapped, or on error.
 */
uint64_t pb_os_file_at(uintptr_t addr, char path[PATH_MAX]);

/*
 * pb_os_sleep() sleeps while *@word is @value: another thread changes *@word and calls
 * pb_os_wake(), which wakes one sleeping thread. pb_os_sleep() may return early, for example
 * after a signal, so the caller reads *@word again. Returns 1 after the full time.
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
 * Keep the object that contains this library loaded forever: threads keep a pointer to its
 * code, the destructor of a pthread key. libpatchbay.so is linked to stay loaded, but
 * libpatchbay.a may be in any shared object.
 */
void pb_os_stay_loaded(void);

/*
 * Did the loader load this library at the start of the process, for a preloaded object? Then
 * the library is global and stays loaded, and needs no dlopen(3), which would allocate.
 */
extern int pb_os_preloaded;

/* The rest is for linux.c: writing text if the kernel lets only debuggers write. */
/* Do writes through @fd, which is open on the process's own memory, ignore protections? */
int pb_mem_is_forced(int fd);

/*
 * Returns a descriptor of the process's own memory. Until pb_traced_mem_end() the calling
 * thread can write to it as a debugger can. Returns -errno on failure: -EBUSY if a thread has
 * such a descriptor, -EPERM if the process has a seccomp filter or may not be traced.
 */
int pb_traced_mem_begin(void);

/* End the pb_traced_mem_begin() of the calling thread. Does nothing without one. */
void pb_traced_mem_end(void);

/* In a forked child, which has no helper process: forget the descriptor. */
void pb_traced_mem_forget(void);
