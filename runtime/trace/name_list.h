/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of functions that a client has sent, in a file. */
#ifndef PB_TRACE_NAME_LIST_H
#define PB_TRACE_NAME_LIST_H

#include <patchbay/patchbay.h>

struct pb_name_list {
	const char **names;
	size_t nr;
	char *text; /* that they are in */
};

/*
 * Have @filter select the names in @file, each ended by NUL, and nothing else.
 * They are in @list, to be freed when the filter was used. Returns 0, -EINVAL
 * (no regular file, or one without a name, or without a NUL at its end), -EFBIG
 * (more than 64 MiB), -ENOMEM or what reading it returned; then both are as they
 * were.
 */
int pb_name_list_read(struct pb_name_list *list, int file,
		      struct patchbay_filter *filter);
void pb_name_list_free(struct pb_name_list *list);

#endif /* PB_TRACE_NAME_LIST_H */
