/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Memory of this process that may not be there. The kernel reads it (process_vm_readv(2))
 * and says so if there is nothing. So a wrong pointer harms nobody, whatever other
 * threads unmap meanwhile.
 */
#ifndef PB_TRACE_PEEK_H
#define PB_TRACE_PEEK_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns how many bytes of @size could be read from @address on, or -errno if none
 * could. -EPERM: a filter of system calls is there, or was when the program began.
 */
long pb_peek(uint64_t address, void *to, size_t size);

#endif /* PB_TRACE_PEEK_H */
