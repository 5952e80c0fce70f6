/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Checks the program's pointers before wrappers of C library functions read through them.
 * Given an invalid pointer, a wrapper must return the kernel's EFAULT, as without this
 * library, instead of crashing. Makes system calls.
 */
#ifndef PB_TRACE_PROBE_H
#define PB_TRACE_PROBE_H

#include <stddef.h>
#include <stdint.h>

struct pb_probe {
	/* The last page found readable, plus 1; 0: none. Not checked again. */
	uintptr_t page;
	int is_all_readable; /* skip all checks */
};

int pb_is_readable(struct pb_probe *probe, const void *at, size_t size);

/* Can @string be read up to its NUL? */
int pb_is_string(struct pb_probe *probe, const char *string);

#endif /* PB_TRACE_PROBE_H */
