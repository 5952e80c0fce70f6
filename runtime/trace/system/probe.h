/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Checks the program's pointers before wrappers of the C library's functions
 * read through them. For an invalid pointer the program must get EFAULT from
 * the kernel, as without this library. Makes system calls.
 */
#ifndef PB_TRACE_PROBE_H
#define PB_TRACE_PROBE_H

#include <stddef.h>
#include <stdint.h>

struct pb_probe {
	/* The last page found to be readable, plus 1, which is not checked again; 0: none. */
	uintptr_t page;
	int is_all_readable; /* check nothing */
};

int pb_is_readable(struct pb_probe *probe, const void *at, size_t size);

/* Can @string be read up to its NUL? */
int pb_is_string(struct pb_probe *probe, const char *string);

#endif /* PB_TRACE_PROBE_H */
