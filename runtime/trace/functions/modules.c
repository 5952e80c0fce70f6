/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "modules.h"

#include "index.h"
#include "left_out.h"
#include "names.h"
#include "session/maps.h"
#include "session/parent.h"
#include "session/recording.h"
#include "session/session.h"
#include "typed_program.h"

#include <core/system/memory.h>

#include <stddef.h>
#include <string.h>

static struct pbd_module *
write_module(const struct patchbay_module_info *module, int *error)
{
	size_t path = strlen(module->path) + 1;
	struct pbd_module *chunk;

	chunk = pb_data_reserve(&pb_session->file, PBD_MODULE,
				sizeof(*chunk) + path, error);
	if (!chunk)
		return NULL;
	chunk->id = pb_session->nr_modules++;
	chunk->base = module->base;
	if (module->build_id_size <= PBD_BUILD_ID_MAX) {
		chunk->build_id_size = (uint32_t)module->build_id_size;
		memcpy(chunk->build_id, module->build_id,
		       module->build_id_size);
	}
	memcpy(chunk->path, module->path, path);
	pb_data_commit(&pb_session->file, &chunk->chunk);
	return chunk;
}

int pb_session_module(const struct patchbay_module_info *module)
{
	int error;
	struct pbd_module *chunk = write_module(module, &error);

	return chunk ? (int)chunk->id : error;
}

static int is_known(const struct patchbay_module_info *module)
{
	const struct pb_map *map;

	for (map = pb_maps; map; map = map->next)
		if (map->module->base == module->base &&
		    !strcmp(map->module->path, module->path))
			return 1;
	return 0;
}

int pb_session_know(const struct patchbay_module_info *module)
{
	struct pb_map *map;
	int error;

	if (is_known(module))
		return 0;
	error = pb_session_events();
	if (error)
		return error;
	map = pb_calloc(1, sizeof(*map));
	if (!map)
		return -ENOMEM;
	map->module = write_module(module, &error);
	if (!map->module) {
		pb_free(map);
		return error;
	}
	pb_parent_is_self();
	map->next = pb_maps;
	__atomic_store_n(&pb_maps, map, __ATOMIC_RELEASE);
	return 0;
}

/* write_functions() writes a struct pbd_text as a struct pbd_functions. */
_Static_assert(offsetof(struct pbd_functions, first) ==
			       offsetof(struct pbd_text, first) &&
		       offsetof(struct pbd_functions, entry) ==
			       offsetof(struct pbd_text, entry),
	       "struct pbd_text is not as struct pbd_functions");

/*
 * Write a module, and a chunk of @kind, PBD_FUNCTIONS or PBD_TEXT, with numbers from @first
 * on.
 */
static int write_functions(const struct patchbay_module_info *module,
			   const struct patchbay_target *targets, size_t nr,
			   enum pbd_kind kind, uint64_t first,
			   struct pb_map *map)
{
	struct pbd_functions *chunk;
	int error;

	map->module = write_module(module, &error);
	if (!map->module)
		return error;
	chunk = pb_data_reserve(&pb_session->file, kind,
				sizeof(*chunk) + nr * sizeof(chunk->entry[0]),
				&error);
	if (!chunk)
		return error;
	chunk->module = map->module->id;
	chunk->nr = (uint32_t)nr;
	chunk->first = first;
	for (size_t i = 0; i < nr; i++)
		chunk->entry[i] = targets[i].entry - module->base;
	pb_data_commit(&pb_session->file, &chunk->chunk);
	map->functions = chunk;
	pb_parent_is_self();
	return 0;
}

/* Is @module the same file as the module of @map, by build id and path? */
static int is_same_file(const struct pb_map *map,
			const struct patchbay_module_info *module)
{
	return map->module->build_id_size &&
	       map->module->build_id_size == module->build_id_size &&
	       !memcmp(map->module->build_id, module->build_id,
		       module->build_id_size) &&
	       !strcmp(map->module->path, module->path);
}

/*
 * Sets *@number to the number of the module's ELF address 0. A module that is loaded again
 * gets the same number, so that a program that keeps reloading modules does not run out of
 * numbers.
 */
static int number_text(const struct patchbay_module_info *module,
		       uint64_t *number)
{
	const uint64_t size = module->high - module->low;
	const struct pb_map *map;

	for (map = pb_maps; map; map = map->next) {
		if (!map->functions || !is_same_file(map, module))
			continue;
		*number = map->functions->first;
		return 0;
	}
	if (size > PBD_VALUE - pb_nr_functions)
		return -EOVERFLOW;
	*number = pb_nr_functions - (module->low - module->base);
	pb_nr_functions += size;
	return 0;
}

/* Add a module whose functions are numbered by address: see pb_function_number(). */
static int add_text(const struct patchbay_module_info *module,
		    struct patchbay_target *targets, size_t nr,
		    struct pb_map *map)
{
	int error = pb_session_events();
	uint64_t number;

	if (!error)
		error = number_text(module, &number);
	if (!error)
		error = write_functions(module, targets, nr, PBD_TEXT, number,
					map);
	if (error)
		return error;
	for (size_t i = 0; i < nr; i++)
		targets[i].data = (void *)(uintptr_t)(number - module->base);
	return 0;
}

/*
 * Write a struct pbd_arguments, with the strings from pb_typed_find() and the counters of
 * left-out calls. Set the functions' data to struct pb_typed.
 */
static int write_arguments(const struct patchbay_module_info *module,
			   struct patchbay_target *targets, size_t nr,
			   uint64_t number, struct pb_map *map)
{
	struct pb_typed *typed = pb_calloc(nr, sizeof(*typed));
	struct pbd_arguments *chunk;
	const char **texts = pb_calloc(nr, sizeof(*texts));
	size_t size = sizeof(*chunk) + nr * sizeof(chunk->function[0]);
	char *text;
	int error = -ENOMEM;

	for (size_t i = 0; typed && texts && i < nr; i++) {
		texts[i] = pb_typed_find(module, targets[i].entry - module->base,
					 &typed[i].program);
		size += (texts[i] ? strlen(texts[i]) : 0) + 1;
	}
	chunk = typed && texts ? pb_data_reserve(&pb_session->file,
						 PBD_ARGUMENTS, size, &error) :
				 NULL;
	if (!chunk) {
		pb_free(typed);
		pb_free(texts);
		return error;
	}
	chunk->module = map->module->id;
	chunk->nr = (uint32_t)nr;
	text = (char *)&chunk->function[nr];
	for (size_t i = 0; i < nr; i++) {
		chunk->function[i].entry = targets[i].entry - module->base;
		if (texts[i])
			strcpy(text, texts[i]);
		text += strlen(text) + 1;
		typed[i].number = (uintptr_t)(number - module->base);
		typed[i].left_out = &chunk->function[i].left_out;
		targets[i].data = &typed[i];
	}
	pb_data_commit(&pb_session->file, &chunk->chunk);
	pb_free(texts);
	map->arguments = chunk;
	map->typed = typed;
	return 0;
}

static int add_typed(const struct patchbay_module_info *module,
		     struct patchbay_target *targets, size_t nr,
		     struct pb_map *map)
{
	int error = add_text(module, targets, nr, map);

	if (!error)
		error = write_arguments(module, targets, nr,
					map->functions->first, map);
	if (!error)
		pb_parent_is_self();
	return error;
}

/* Add a module whose functions have consecutive numbers, with a struct pb_index. */
static int add_functions(const struct patchbay_module_info *module,
			 struct patchbay_target *targets, size_t nr,
			 struct pb_map *map)
{
	int error = pb_session_events();

	if (!error && nr > UINT32_MAX - pb_nr_functions)
		error = -EOVERFLOW;
	if (!error && !pb_index_new(targets, nr, (uint32_t)pb_nr_functions, NULL))
		error = -ENOMEM;
	if (!error)
		error = write_functions(module, targets, nr, PBD_FUNCTIONS,
					pb_nr_functions, map);
	if (!error)
		pb_nr_functions += nr;
	return error;
}

/*
 * Like add_text(), but sets the functions' data to an index, for the counters of samples.
 */
static int add_sampled(const struct patchbay_module_info *module,
		       struct patchbay_target *targets, size_t nr,
		       struct pb_map *map)
{
	int error = 0;
	void *number;

	if (nr > UINT32_MAX - pb_nr_places)
		return -EOVERFLOW;
	error = add_text(module, targets, nr, map);
	if (error)
		return error;
	number = targets[0].data;
	if (!pb_index_new(targets, nr, (uint32_t)pb_nr_places, number))
		return -ENOMEM;
	pb_nr_places += nr;
	return 0;
}

int pb_refused(void)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	if (patchbay_get_stats(&stats))
		return 0;
	for (int i = 0; i < PATCHBAY_SITE_NR_STATES; i++)
		if (stats.refused[i])
			return -EILSEQ;
	return stats.others ? -EPROTONOSUPPORT : 0;
}

static int attach(const struct patchbay_module_info *module,
		  struct patchbay_target *targets, size_t nr,
		  int (*add)(const struct patchbay_module_info *module,
			     struct patchbay_target *targets, size_t nr,
			     struct pb_map *map))
{
	struct pb_map *map = pb_calloc(1, sizeof(*map));
	struct pb_names names;
	int error;

	if (!map)
		return -ENOMEM;
	pb_names_find(module, targets, nr, &names);
	pb_guard(&pb_session->lock);
	error = add(module, targets, nr, map);
	if (!error)
		map->names = pb_names_write(&names, map->module->id);
	pb_left_out_write_locked();
	if (pb_session->file.header)
		pb_data_note(&pb_session->file, error ? error : pb_refused());
	pb_names_free(&names);
	if (error) {
		pb_free(map);
		return error;
	}
	map->next = pb_maps;
	__atomic_store_n(&pb_maps, map, __ATOMIC_RELEASE);
	return 0;
}

PB_ATTACH(pb_session_attach)
{
	return attach(module, targets, nr, add_text);
}

PB_ATTACH(pb_sample_attach)
{
	return attach(module, targets, nr, add_sampled);
}

PB_ATTACH(pb_typed_attach)
{
	return attach(module, targets, nr, add_typed);
}

PB_ATTACH(pb_histogram_attach)
{
	return attach(module, targets, nr, add_functions);
}

void pb_session_forget_modules(void)
{
	struct pb_map *map;

	while ((map = pb_maps)) {
		pb_maps = map->next;
		pb_free(map->typed);
		pb_free(map);
	}
	pb_nr_functions = 0;
	pb_nr_places = 0;
	pb_index_forget();
}
