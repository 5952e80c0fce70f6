/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "names/names.h"

#include "names/elf_file.h"
#include "names/filter.h"
#include "names/name_index.h"
#include "system/linux.h"
#include "system/lock.h"
#include "system/memory.h"

#include <errno.h>
#include <string.h>

/*
 * Is @file, by its inode, the file that is mapped? This matters for a file without a build id:
 * a later version may have the same headers. Returns 1 for a file with a build id.
 */
static int is_mapped(const struct pb_module *module, const struct pb_elf_file *file)
{
	const size_t length = strlen(module->file);
	char *path; /* too large for a small stack */
	uint64_t inode;
	int is_same;

	if (module->info.build_id_size)
		return 1;
	path = pb_malloc(PATH_MAX);
	if (!path)
		return 0;
	inode = pb_os_file_at((uintptr_t)module->phdrs, path);
	/* The kernel appends this to the path of a deleted file. */
	is_same = (strncmp(path, module->file, length) || strcmp(path + length, " (deleted)")) &&
		  (!inode || !file->inode || inode == file->inode);
	pb_free(path);
	return is_same;
}

/* Open the file that @module was loaded from. Returns -ENOEXEC if it was replaced. */
static int open_file(const struct pb_module *module, struct pb_elf_file *file)
{
	int error = pb_elf_open(file, module->file);

	if (error == -ENOENT && !strcmp(module->file, PB_EXE))
		error = pb_elf_open(file, PB_EXE_OF_THREAD);
	if (error || (pb_elf_is(file, module->phdrs, module->phdrs_size,
				module->info.build_id,
				module->info.build_id_size) &&
		      is_mapped(module, file)))
		return error;
	error = pb_elf_close(file);
	return error ? error : -ENOEXEC;
}

/* Find out whether functions were moved. @all: read the names, too. */
static int read_file(struct pb_module *module, int all)
{
	struct pb_elf_file file;
	struct pb_name_index *index = NULL;
	int rewritten, other;
	int error = open_file(module, &file);

	if (error)
		return error;
	rewritten = pb_elf_is_rewritten(&file);
	if (!rewritten && !all)
		module->looked = 1;
	else if (rewritten >= 0 && !(error = pb_record_order(module)))
		index = pb_name_index_read(module, &file, rewritten, &error);
	other = pb_elf_close(&file);
	if (index) {
		/* Under the engine lock, so that a forked child has the whole index or none. */
		pb_engine_lock();
		module->names = index;
		pb_engine_unlock();
	}
	return error ? error : other;
}

int pb_names_look(struct pb_module *module, int all)
{
	int error;

	if (module->names || (module->looked && !all))
		return 0;
	error = read_file(module, all);
	if (error == -EMFILE || error == -ENFILE || error == -ENOMEM)
		return error;
	if (all)
		__atomic_store_n(&module->unnamed, error != 0, __ATOMIC_RELAXED);
	return 0;
}

int pb_names_has_moved(const struct pb_module *module)
{
	return module->names && module->names->here;
}

int pb_names_is_moved(const struct pb_module *module,
		      const struct patchbay_record *record)
{
	size_t i = (size_t)(record - module->records);

	return pb_names_has_moved(module) && !(module->names->here[i / 64] >> i % 64 & 1);
}

void pb_names_free(struct pb_module *module)
{
	pb_name_index_free(module->names);
	module->names = NULL;
}

struct search {
	const struct pb_filter *filter;
	struct pb_choice *choice;
	unsigned char *found;
};

static void choose(struct search *search, size_t record, size_t item)
{
	if (search->found)
		search->found[item] = 1;
	pb_choice_add(search->choice, record, (uint32_t)item);
}

static size_t record_of(const struct pb_name *name)
{
	return name->record & ~PB_NAME_SHORTENED;
}

/* Choose all functions with this name. The time does not depend on the number of names. */
static void choose_one(struct search *search, const struct pb_name_index *index,
		       const char *name, uint32_t hash, size_t item)
{
	const struct pb_name *names = index->names;

	for (uint32_t at = index->heads[hash & index->mask]; at != PB_NAME_NONE;
	     at = names[at].next)
		if (!strcmp(index->text + names[at].text, name))
			choose(search, record_of(&names[at]), item);
}

static int choose_by_pattern(struct search *search,
			     const struct pb_name_index *index)
{
	const char *plain = pb_filter_plain_name(search->filter);

	if (plain) {
		choose_one(search, index, plain, pb_name_hash(plain), 0);
		return 0;
	}
	for (size_t i = 0; i < index->nr; i++) {
		const struct pb_name *name = &index->names[i];
		int match = pb_filter_name(search->filter,
					   index->text + name->text);

		if (match < 0)
			return match;
		if (match)
			choose(search, record_of(name), 0);
	}
	return 0;
}

/*
 * The name of a function without a symbol (<patchbay/filter.h>) is "@", the module's build id
 * (its path if it has none), "+", and the ELF address of the entry. Numbers are hexadecimal.
 */
static int is_entry_name(const char *name)
{
	return name[0] == '@';
}

static const char digits[] = "0123456789abcdef";

enum { ADDRESS_SIZE = 2 * sizeof(uintptr_t) + 1 };

/* Returns the rest of @name after the module, or NULL if @name is for another module. */
static const char *skip_module(const struct pb_module *module, const char *name)
{
	const struct patchbay_module_info *info = &module->info;

	if (!info->build_id_size) {
		const size_t length = strlen(info->path);

		return strncmp(name, info->path, length) ? NULL : name + length;
	}
	for (size_t i = 0; i < info->build_id_size; i++, name += 2)
		if (name[0] != digits[info->build_id[i] >> 4] ||
		    name[1] != digits[info->build_id[i] & 15])
			return NULL;
	return name;
}

/* The entry of the function with the name @name. Returns 0 if @name is not for @module. */
static uintptr_t entry_of_name(const struct pb_module *module, const char *name)
{
	const char *digit;
	uintptr_t entry = 0;

	name = is_entry_name(name) ? skip_module(module, name + 1) : NULL;
	if (!name || *name++ != '+' || !*name)
		return 0;
	for (; *name; name++) {
		digit = strchr(digits, *name);
		if (!digit || entry > UINTPTR_MAX >> 4)
			return 0;
		entry = entry << 4 | (uintptr_t)(digit - digits);
	}
	return module->info.base + entry;
}

/* Allocate a name up to the "+", with space for an address. Returns NULL if out of memory. */
static char *new_entry_name(const struct pb_module *module)
{
	const struct patchbay_module_info *info = &module->info;
	const size_t size = info->build_id_size ? 2 * info->build_id_size :
						  strlen(info->path);
	char *text = pb_malloc(1 + size + 1 + ADDRESS_SIZE), *at = text;

	if (!text)
		return NULL;
	*at++ = '@';
	if (!info->build_id_size)
		at = stpcpy(at, info->path);
	for (size_t i = 0; i < info->build_id_size; i++) {
		*at++ = digits[info->build_id[i] >> 4];
		*at++ = digits[info->build_id[i] & 15];
	}
	*at++ = '+';
	*at = '\0';
	return text;
}

/* Complete @text, a result of new_entry_name(), to the name of the function at @entry. */
static void set_entry_name(char *text, const struct pb_module *module, uintptr_t entry)
{
	const uintptr_t address = entry - module->info.base;
	int shift = 8 * sizeof(address) - 4;

	text = strrchr(text, '+') + 1;
	while (shift && !(address >> shift))
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		*text++ = digits[address >> shift & 15];
	*text = '\0';
}

static void choose_entry(struct pb_module *module, struct search *search,
			 const char *name, size_t item)
{
	const uintptr_t entry = entry_of_name(module, name);
	size_t next = 0;
	ptrdiff_t record = entry ? pb_record_find(module, entry, &next) : -1;

	if (record >= 0)
		choose(search, (size_t)record, item);
}

/* Choose functions that have no symbol, and so are not in the index. */
static int choose_unnamed(struct pb_module *module, struct search *search,
			  const struct pb_name_index *index)
{
	const struct pb_filter *filter = search->filter;
	/* Copy the entries: the module may be unloaded while @match runs. 0: has a symbol. */
	uintptr_t *entries = pb_calloc(module->nr, sizeof(*entries));
	char *name = new_entry_name(module);
	int match = name && entries ? 0 : -ENOMEM;

	for (size_t i = 0; i < module->nr && !match; i++)
		entries[i] = pb_record_entry(&module->records[i]);
	for (size_t i = 0; index && i < index->nr && !match; i++)
		entries[record_of(&index->names[i])] = 0;
	pb_callback_begin();
	for (size_t i = 0; i < module->nr && match >= 0; i++) {
		if (!entries[i])
			continue;
		set_entry_name(name, module, entries[i]);
		match = filter->match(filter->pattern, name, filter->arg);
		if (match > 0)
			choose(search, i, 0);
	}
	pb_callback_end();
	pb_free(entries);
	pb_free(name);
	return match < 0 ? match : 0;
}

static int choose_by_entry(struct pb_module *module, struct search *search,
			   const struct pb_name_index *index)
{
	const struct pb_filter *filter = search->filter;
	int error = pb_record_order(module);

	if (error)
		return error;
	for (size_t i = 0; filter->by == PB_BY_SYMS && i < filter->nr; i++)
		if (is_entry_name(filter->items[i].name))
			choose_entry(module, search, filter->items[i].name, i);
	if (filter->by != PB_BY_GLOB)
		return 0;
	if (is_entry_name(filter->pattern))
		choose_entry(module, search, filter->pattern, 0);
	else if (filter->match)
		error = choose_unnamed(module, search, index);
	return error;
}

static int choose_by_name(struct pb_module *module, struct search *search)
{
	const struct pb_filter *filter = search->filter;
	const struct pb_name_index *index;
	int error = pb_names_look(module, 1);

	if (error)
		return error;
	index = module->names;
	if (filter->match && (!index || !index->nr)) {
		pb_callback_begin();
		filter->match(filter->pattern, NULL, filter->arg);
		pb_callback_end();
	}
	error = module->gone ? 0 : choose_by_entry(module, search, index);
	if (error)
		return error;
	if (!index)
		return 0;
	if (filter->match) {
		/* The index stays valid even if the module is unloaded while @match runs. */
		pb_callback_begin();
		error = choose_by_pattern(search, index);
		pb_callback_end();
		return error;
	}
	if (filter->by != PB_BY_SYMS)
		return choose_by_pattern(search, index);
	for (size_t i = 0; i < filter->nr; i++)
		choose_one(search, index, filter->items[i].name, filter->items[i].hash, i);
	return 0;
}

static int choose_by_addr(struct pb_module *module, struct search *search)
{
	const struct pb_filter *filter = search->filter;
	int error = pb_names_look(module, 0);
	size_t next = 0;

	if (!error)
		error = pb_record_order(module);
	for (size_t i = 0; i < filter->nr && !error; i++) {
		const uintptr_t addr = filter->items[i].addr;
		ptrdiff_t record = -1;

		if (addr >= module->low && addr < module->high)
			record = pb_record_find(module, addr, &next);
		if (record >= 0)
			choose(search, (size_t)record, i);
	}
	return error;
}

static int choose_all(struct pb_module *module, const struct pb_filter *filter,
		      struct pb_choice *choice, unsigned char *found)
{
	struct search search = { filter, choice, found };

	/* "*" selects moved functions, too: arming refuses these. */
	if (pb_filter_is_all(filter)) {
		int error = pb_names_look(module, 0);

		if (!error)
			error = pb_record_order(module);
		if (!error)
			pb_choice_add_all(choice);
		return error;
	}
	if (filter->by != PB_BY_ADDRS)
		return choose_by_name(module, &search);
	return choose_by_addr(module, &search);
}

static int new_choice(struct pb_module *module, const struct pb_filter *filter,
		      struct pb_choice *choice, unsigned char *found)
{
	int error = pb_choice_init(choice, module->nr, filter->cookies);

	if (error)
		return error;
	error = module->gone ? 0 : choose_all(module, filter, choice, found);
	if (error)
		pb_choice_free(choice);
	for (size_t i = 0; module->twins && !error && i < (module->nr + 63) / 64; i++)
		choice->bits[i] &= ~module->twins[i];
	return error;
}

int pb_names_choose(struct pb_module *module, const struct pb_filter *filter,
		    struct pb_choice *choice, unsigned char *found)
{
	struct pb_choice hidden;
	int error = new_choice(module, filter, choice, found);

	if (error || !filter->notrace)
		return error;
	error = new_choice(module, filter->notrace, &hidden, NULL);
	if (error) {
		pb_choice_free(choice);
		return error;
	}
	pb_choice_remove(choice, &hidden);
	pb_choice_free(&hidden);
	return 0;
}

int pb_names_read(struct pb_module *module, size_t *nr)
{
	int error = pb_names_look(module, 1);

	*nr = !error && module->names ? module->names->nr : 0;
	return error;
}

const char *pb_names_get(const struct pb_module *module, size_t i, uintptr_t *entry)
{
	const struct pb_name_index *index = module->names;
	const struct pb_name *name = &index->names[i];

	if (name->record & PB_NAME_SHORTENED)
		return NULL;
	*entry = pb_record_entry(&module->records[name->record]);
	return index->text + name->text;
}
