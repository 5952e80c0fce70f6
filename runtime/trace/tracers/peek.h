/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads memory of this process that may be unmapped, by a system call (process_vm_readv(2)).
 * The kernel returns an error for unmapped memory. So a wrong pointer does no harm, whatever
 * other threads unmap meanwhile.
 */
#ifndef PB_TRACE_PEEK_H
#define PB_TRACE_PEEK_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns the number of bytes that were read from @address on, at most @size, or -errno if none
 * was. -EPERM: the process has a filter of system calls, or had one when it began.
 */
long pb_peek(uint64_t address, void *to, size_t size);

#endif /* PB_TRACE_PEEK_H */
