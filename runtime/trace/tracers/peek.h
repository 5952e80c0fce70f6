/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads memory of this process by a system call (process_vm_readv(2)), which returns an
 * error if the memory is not mapped. So invalid pointers are harmless, even if another
 * thread unmaps the memory at the same time.
 */
#ifndef PB_TRACE_PEEK_H
#define PB_TRACE_PEEK_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns the number of bytes read from @address on, at most @size, or -errno. -EPERM: the
 * process has a system call filter, or began with a filter.
 */
long pb_peek(uint64_t address, void *to, size_t size);

#endif /* PB_TRACE_PEEK_H */
