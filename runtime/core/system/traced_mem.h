/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writing to text where the kernel lets only debuggers do so. For linux.c. */
#ifndef PB_CORE_OS_TRACED_MEM_H
#define PB_CORE_OS_TRACED_MEM_H

/* Does the kernel let a write through @fd, the process's own memory, override protection? */
int pb_mem_is_forced(int fd);

/*
 * Returns a descriptor of the process's own memory that the calling thread can write to
 * as a debugger can, until pb_traced_mem_end(). Returns -errno on failure: -EBUSY if
 * another thread has one, -EPERM if the process has a seccomp filter or may not be traced.
 */
int pb_traced_mem_begin(void);

/* End the last pb_traced_mem_begin() of the calling thread. Does nothing without one. */
void pb_traced_mem_end(void);

/* Call in a forked child, which has no helper process. */
void pb_traced_mem_forget(void);

#endif /* PB_CORE_OS_TRACED_MEM_H */
