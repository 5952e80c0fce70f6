/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The names of a module's functions with sites. The module's file is read once, when a name
 * is first needed. The names are kept as long as the module, even if the file is removed.
 * A name costs some 20 bytes beside the string itself.
 *
 * A function that the compiler has renamed has several entries: the name of its symbol and
 * the names of the source (<patchbay/names.h>).
 */
#pragma once

#include "names/elf_file.h"
#include "types/module.h"

/* A flag of pb_name.record: the name is a shortened symbol. */
#define PB_NAME_SHORTENED UINT32_C(0x80000000)
#define PB_NAME_NONE UINT32_MAX

/*
 * @record: the index of the function's record, maybe with PB_NAME_SHORTENED
 * @text:   the offset of the name in the index's text
 * @next:   the next name in the same list of the hash table, or PB_NAME_NONE
 */
struct pb_name {
	uint32_t record, text, next;
};

/*
 * @names: in the order of the symbol table
 * @heads: the hash table by pb_name_hash(): the first name of each list, or PB_NAME_NONE
 * @mask:  the number of lists, minus 1
 * @here:  if the file was rewritten, a bit for each record that points to its function;
 *         otherwise NULL
 */
struct pb_name_index {
	size_t nr;
	struct pb_name *names;
	char *text;
	uint32_t *heads;
	uint32_t mask;
	uint64_t *here;
};

/*
 * Read the names of @module from @file, after pb_record_order(). @rewritten is the result of
 * pb_elf_is_rewritten(). Returns NULL with *@error -ENOMEM, or with *@error 0 if the file is
 * damaged or is being changed.
 */
struct pb_name_index *pb_name_index_read(const struct pb_module *module,
					 struct pb_elf_file *file, int rewritten,
					 int *error);
void pb_name_index_free(struct pb_name_index *index);

/*
 * Find the record of a function by its entry. Some linkers (mold, gold) fold identical
 * functions without dropping their records. Then several records have one entry. The library
 * uses the first of them. The others are its *twins* and are never armed.
 */
/* Sort the records and find twins, before pb_record_find(). Returns 0 or -ENOMEM. */
int pb_record_order(struct pb_module *module);

/*
 * Returns the index of the first record of the function at @entry, or -1. *@next is a hint
 * where to look first, initially 0. Each call updates the hint for the next call.
 */
ptrdiff_t pb_record_find(const struct pb_module *module, uintptr_t entry,
			 size_t *next);
