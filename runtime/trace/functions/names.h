/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Stores the names of traced functions in the data file, because the program's files may be
 * removed or replaced before a reader needs them. With names=0, readers need those files.
 */
#ifndef PB_TRACE_NAMES_H
#define PB_TRACE_NAMES_H

#include "format/format.h"

#include <patchbay/patchbay.h>

struct pb_names {
	uint64_t *entry; /* ELF addresses, one for each name */
	size_t nr;
	char *text; /* the names, each ended by NUL */
	size_t size;
};

/*
 * Find the names of @targets; missing names are no error. A tracer's attach function calls
 * this with its own arguments, without the session's lock.
 */
void pb_names_find(const struct patchbay_module_info *module,
		   const struct patchbay_target *targets, size_t nr,
		   struct pb_names *names);
void pb_names_free(struct pb_names *names);

/*
 * Write the names to the file. Returns NULL without names or space. The caller holds the
 * session's lock.
 */
const struct pbd_names *pb_names_write(const struct pb_names *names, uint32_t module);

#endif /* PB_TRACE_NAMES_H */
