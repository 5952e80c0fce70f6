/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The layer names/: from a filter to records of a module. The layer reads files and allocates,
 * and so runs under the modules lock and never under the engine lock. The index of a module's names
 * lives as long as the module.
 */
#pragma once

#include "names/filter.h"
#include "types/choice.h"
#include "types/module.h"

/*
 * Fill in @choice with the functions of @module that @filter selects. @module has at least one
 * function. @choice has items if the filter has cookies. @found is NULL, or has a byte for
 * each item of a list: the byte becomes 1 if a function has that name or address, even if
 * @notrace of the filter excludes the function.
 *
 * The module's file is read once, when it is first needed. If the file is no longer the one
 * that was loaded (by its build id), the functions have no names, and the next call reads the
 * file again.
 *
 * Returns 0; the caller frees @choice. Or returns -ENOMEM, -EMFILE or -ENFILE if resources are
 * lacking. A file that cannot be read or understood has no names. The filter's @match is
 * called without the modules lock, so the module may be unloaded on return.
 */
int pb_names_choose(struct pb_module *module, const struct pb_filter *filter,
		    struct pb_choice *choice, unsigned char *found);

/*
 * pb_names_read() reads the names of @module and stores their number. Returns 0 or an error
 * as pb_names_choose() does. pb_names_get() returns name @i, or NULL if that is a shortened
 * name, and stores the entry of the function. The name stays as long as the module's memory.
 * Do not call these functions for an unloaded module.
 */
int pb_names_read(struct pb_module *module, size_t *nr);
const char *pb_names_get(const struct pb_module *module, size_t i, uintptr_t *entry);

/*
 * Find out whether @module's file was rewritten since it was linked, unless that is known.
 * @all: also read the names. Returns 0, or -ENOMEM, -EMFILE or -ENFILE if resources are lacking.
 */
int pb_names_look(struct pb_module *module, int all);

/*
 * Has a tool moved any function of @module, or the function of @record? If so, the record
 * points to unused code. Call pb_names_look() first.
 */
int pb_names_has_moved(const struct pb_module *module);
int pb_names_is_moved(const struct pb_module *module,
		      const struct patchbay_record *record);

void pb_names_free(struct pb_module *module);
