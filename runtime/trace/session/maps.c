/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "maps.h"

#include "file/arena.h"
#include "parent.h"
#include "session.h"
#include "untraceable_modules.h"

struct pb_map *pb_maps;
struct pb_left_out_map *pb_left_out_maps;

/* Returns NULL and sets *@error if there is no space. */
static const void *copy(const struct pbd_chunk *from, int *error)
{
	const uint64_t size = pb_arena_size(from, sizeof(*from));
	struct pbd_chunk *to = pb_data_reserve(&pb_session->file, from->kind, size, error);

	if (!to)
		return NULL;
	pb_copy(to, from, size);
	to->size = size;
	pb_data_commit(&pb_session->file, to);
	return to;
}

static int copy_functions(void)
{
	struct pb_map *map = __atomic_load_n(&pb_maps, __ATOMIC_ACQUIRE);
	int error = 0;

	for (; map && !error; map = map->next) {
		const struct pbd_module *module =
			copy(&map->module->chunk, &error);
		const struct pbd_functions *functions = NULL;

		if (module && map->functions)
			functions = copy(&map->functions->chunk, &error);
		map->copied_names = NULL;
		if (!error && map->names)
			map->copied_names = copy(&map->names->chunk, &error);
		map->copied_module = module;
		map->copied_functions = functions;
	}
	return error;
}

static int copy_left_out(void)
{
	struct pb_left_out_map *map =
		__atomic_load_n(&pb_left_out_maps, __ATOMIC_ACQUIRE);
	int error = 0;

	for (; map && !error; map = map->next) {
		map->copied = copy(&map->chunk->chunk, &error);
		if (map->copied)
			pb_session->file.header->left_out += map->copied->nr;
	}
	return error;
}

/*
 * On success the lists refer to the copies. A child that is forked during
 * this call may find some of each; both are mapped.
 */
int pb_maps_copy(void)
{
	int error = copy_functions();

	if (!error)
		error = copy_left_out();
	if (!error)
		error = pb_others_copy();
	if (error)
		return error;
	for (struct pb_map *map = pb_maps; map; map = map->next) {
		map->module = map->copied_module;
		map->functions = map->copied_functions;
		map->names = map->copied_names;
	}
	for (struct pb_left_out_map *map = pb_left_out_maps; map;
	     map = map->next)
		map->chunk = map->copied;
	if (pb_maps || pb_left_out_maps)
		pb_parent_is_self();
	pb_session->rotation.has_maps = 1;
	return 0;
}
