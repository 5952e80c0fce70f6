/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads names of functions from a file that a client has sent. */
#ifndef PB_TRACE_NAME_LIST_H
#define PB_TRACE_NAME_LIST_H

#include <patchbay/patchbay.h>

struct pb_name_list {
	const char **names;
	size_t nr;
	char *text; /* the memory of the names */
};

/*
 * Make @filter select exactly the names in @file, each ended by NUL. @list owns the memory
 * of the names; the caller frees @list after using the filter. Returns 0, -EINVAL (no
 * regular file, no name, or no NUL at the end), -EFBIG (more than 64 MiB), -ENOMEM, or an
 * error of reading the file. On error @list and @filter are unchanged.
 */
int pb_name_list_read(struct pb_name_list *list, int file,
		      struct patchbay_filter *filter);
void pb_name_list_free(struct pb_name_list *list);

#endif /* PB_TRACE_NAME_LIST_H */
