/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The room names/: from a filter to records of a module. It reads files and allocates, so it
 * runs under the modules lock and never under the engine lock. The index of a module's names
 * lives as long as the module.
 *
 * From what a filter says to records.
 */
#ifndef PB_CORE_NAMES_H
#define PB_CORE_NAMES_H

#include "names/filter.h"
#include "types/choice.h"
#include "types/module.h"

/*
 * Which functions of @module, which has some, does @filter select? @choice has
 * items if the filter has cookies. @found is NULL, or has a place for each item
 * and is set to 1 where a function has that name or address, selected or not.
 *
 * The module's file is read when it is first needed, and then no more, unless it
 * is not the file any more which was loaded (its build id tells): then there are
 * no names, and the next call looks again.
 *
 * Returns 0, or -ENOMEM, -EMFILE, -ENFILE: no resources to look. A file that
 * cannot be read or understood has no names. After 0, @choice is to be freed. The
 * filter's @match is called without the modules lock: the module may have gone then.
 */
int pb_names_choose(struct pb_module *module, const struct pb_filter *filter,
		    struct pb_choice *choice, unsigned char *found);

/*
 * How many names have functions of @module, once they were read? Returns 0 or an error
 * as above. Name @i of these, which stays as long as the memory of the module, and the
 * function that has it; NULL: it is no name of its own. Not of a module that has gone.
 */
int pb_names_read(struct pb_module *module, size_t *nr);
const char *pb_names_get(const struct pb_module *module, size_t i, uintptr_t *entry);

/*
 * Find out whether @module's file was rewritten since it was linked, if that is
 * not known yet. Returns 0 or an error as above.
 */
int pb_names_look(struct pb_module *module);

/*
 * A bit for each record: it leads to where its function is. NULL: all do. As of
 * pb_names_look().
 */
const uint64_t *pb_names_here(const struct pb_module *module);

/*
 * Does this record lead to code that is not executed any more, because the
 * function was moved? Only what pb_names_look() found out counts.
 */
int pb_names_is_moved(const struct pb_module *module,
		      const struct patchbay_record *record);

/* Free what was read. */
void pb_names_free(struct pb_module *module);

#endif /* PB_CORE_NAMES_H */
