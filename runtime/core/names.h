/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From names of functions to their records. */
#ifndef PB_CORE_NAMES_H
#define PB_CORE_NAMES_H

#include "module.h"

/*
 * The records of @module whose function has a name that matches @glob, sorted
 * by entry, each once, in an array that the caller frees; *@nr may become 0.
 * "*" matches all. Names are read from the module's file, unless that is not
 * the file any more which was loaded (its build id tells).
 *
 * Returns 0, or -ENOMEM, -EMFILE, -ENFILE: no resources to look. A file that
 * cannot be read or understood has no names.
 */
int pb_names_match(const struct pb_module *module, const char *glob,
		   const struct patchbay_record ***records, size_t *nr);

#endif /* PB_CORE_NAMES_H */
