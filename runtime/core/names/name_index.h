/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The names of a module's functions with sites, as its file has them: read once,
 * when the first is asked for, and kept as long as the module, whatever becomes
 * of the file. They take some 20 bytes for each name beside the name itself.
 *
 * A function that the compiler renamed is here more than once, with the name of
 * its symbol and with those of the source (<patchbay/names.h>).
 */
#ifndef PB_CORE_NAME_INDEX_H
#define PB_CORE_NAME_INDEX_H

#include "names/elf_file.h"
#include "types/module.h"

/* Of a name: it is none of a symbol, but what is left of one. */
#define PB_NAME_SHORTENED UINT32_C(0x80000000)
#define PB_NAME_NONE UINT32_MAX

/*
 * @record: the index of the function's, with PB_NAME_SHORTENED or without
 * @text:   where in the index's text it is
 * @next:   the next one with as much of a hash in common, or PB_NAME_NONE
 */
struct pb_name {
	uint32_t record, text, next;
};

/*
 * @names: in the order of the symbol table
 * @heads: of the lists that @next leads on, by hash
 * @mask:  how many of these there are, less 1
 * @here:  NULL, or a bit for each record whose function is where that says: of
 *         a file that was rewritten
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
 * Read the names of @module, of which pb_record_order() has been called, from
 * @file, which is the module's; @rewritten: pb_elf_is_rewritten(). NULL and 0 in
 * *@error: the file is damaged or changes meanwhile. Or *@error is -ENOMEM.
 */
struct pb_name_index *pb_name_index_read(const struct pb_module *module,
					 struct pb_elf_file *file, int rewritten,
					 int *error);
void pb_name_index_free(struct pb_name_index *index);

/*
 * The first function of this name, at @at or behind that: start with
 * pb_name_index_first(), go on with ->next. PB_NAME_NONE: no more.
 */
uint32_t pb_name_index_first(const struct pb_name_index *index, uint32_t hash);
uint32_t pb_name_index_match(const struct pb_name_index *index, uint32_t at,
			     const char *name);

#endif /* PB_CORE_NAME_INDEX_H */
