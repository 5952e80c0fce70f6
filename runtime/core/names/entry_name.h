/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Names of functions that have no symbol (<patchbay/filter.h>): "@", the module's build id in
 * hexadecimal digits, or its path if it has no build id, "+", and the ELF address of the entry.
 */
#ifndef PB_CORE_ENTRY_NAME_H
#define PB_CORE_ENTRY_NAME_H

#include "types/module.h"

static inline int pb_is_entry_name(const char *name)
{
	return name[0] == '@';
}

/* The entry of the function with such a @name. Returns 0 if it is not in @module. */
uintptr_t pb_entry_of_name(const struct pb_module *module, const char *name);

/* Allocate a string with the common part of @module's names, and room. NULL: out of memory. */
char *pb_entry_name_new(const struct pb_module *module);
/* Complete @text, a result of pb_entry_name_new(), to the name of the function at @entry. */
void pb_entry_name_set(char *text, const struct pb_module *module,
		       uintptr_t entry);

#endif /* PB_CORE_ENTRY_NAME_H */
