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

/* Where the function of this name begins; 0: it is in no place of @module. */
uintptr_t pb_entry_of_name(const struct pb_module *module, const char *name);

/*
 * Memory for the names of @module, with what is the same in all of them; to be given to
 * free(3). NULL: there is none.
 */
char *pb_entry_name_new(const struct pb_module *module);
/* Complete @text, of that memory, to the name of the function at @entry. */
void pb_entry_name_set(char *text, const struct pb_module *module,
		       uintptr_t entry);

#endif /* PB_CORE_ENTRY_NAME_H */
