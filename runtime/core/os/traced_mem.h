/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writing to text where the kernel lets only debuggers do so. For linux.c. */
#ifndef PB_CORE_OS_TRACED_MEM_H
#define PB_CORE_OS_TRACED_MEM_H

/* May who has opened his own memory as @fd write to what is read-only there? */
int pb_mem_is_forced(int fd);

/*
 * A descriptor of our own memory that may be written to as by a debugger, for the
 * calling thread, until pb_traced_mem_end(). Or -errno: -EBUSY if another thread has
 * one, -EPERM if the process has a filter of system calls, or may not be traced.
 */
int pb_traced_mem_begin(void);

/* One less; nothing, if the calling thread has none. */
void pb_traced_mem_end(void);

/* In a forked child, which has none. */
void pb_traced_mem_forget(void);

#endif /* PB_CORE_OS_TRACED_MEM_H */
