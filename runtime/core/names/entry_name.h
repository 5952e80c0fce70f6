/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Names for functions without a symbol, <patchbay/filter.h>: "@", the module's build id in
 * hexadecimal digits, or its path if it has none, "+", and the ELF address of the entry.
 */
#ifndef PB_CORE_ENTRY_NAME_H
#define PB_CORE_ENTRY_NAME_H

#include "types/module.h"

static inline int pb_is_entry_name(const char *name)
{
	return name[0] == '@';
}

/* The entry of the function with this name. Returns 0 if it is not in @module. */
uintptr_t pb_entry_of_name(const struct pb_module *module, const char *name);

/*
 * Allocate a name of @module, with the part that all its names share. NULL: out of memory.
 */
char *pb_entry_name_new(const struct pb_module *module);
/* Complete @text, a result of pb_entry_name_new(), to the name of the function at @entry. */
void pb_entry_name_set(char *text, const struct pb_module *module,
		       uintptr_t entry);

#endif /* PB_CORE_ENTRY_NAME_H */
