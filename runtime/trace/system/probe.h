/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Wrappers of the C library's functions check addresses of the program before
 * they read them. For a wrong address the program gets EFAULT from the kernel,
 * as without this library. The caller may make system calls.
 */
#ifndef PB_TRACE_PROBE_H
#define PB_TRACE_PROBE_H

#include <stddef.h>
#include <stdint.h>

struct pb_probe {
	/*
	 * The last page found to be readable, plus 1; 0: none. It is not checked again.
	 */
	uintptr_t page;
	int is_all_readable; /* no checks are needed */
};

int pb_is_readable(struct pb_probe *probe, const void *at, size_t size);

/* Can it be read up to its NUL? */
int pb_is_string(struct pb_probe *probe, const char *string);

#endif /* PB_TRACE_PROBE_H */
