/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads memory of this process that may be unmapped. The kernel reads it
 * (process_vm_readv(2)), and returns an error if it is unmapped. So a wrong
 * pointer does no harm, whatever other threads unmap meanwhile.
 */
#ifndef PB_TRACE_PEEK_H
#define PB_TRACE_PEEK_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns how many of @size bytes it could read from @address on, or -errno if
 * none. -EPERM: the process has a filter of system calls, or had one when it
 * began.
 */
long pb_peek(uint64_t address, void *to, size_t size);

#endif /* PB_TRACE_PEEK_H */
