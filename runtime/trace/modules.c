/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is written down of modules, when their functions are armed. */
#include "left_out.h"
#include "parent.h"
#include "refused.h"
#include "session.h"

#include <stdlib.h>
#include <string.h>

uint64_t pb_nr_functions;

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
	map = calloc(1, sizeof(*map));
	if (!map)
		return -ENOMEM;
	map->module = write_module(module, &error);
	if (!map->module) {
		free(map);
		return error;
	}
	pb_parent_is_self();
	map->next = pb_maps;
	__atomic_store_n(&pb_maps, map, __ATOMIC_RELEASE);
	return 0;
}

static int add_functions(const struct patchbay_module_info *module,
			 struct patchbay_target *targets, size_t nr,
			 struct pb_map *map)
{
	struct pbd_functions *chunk;
	int error = pb_session_events();

	if (error)
		return error;
	map->module = write_module(module, &error);
	if (!map->module)
		return error;
	chunk = pb_data_reserve(&pb_session->file, PBD_FUNCTIONS,
				sizeof(*chunk) + nr * sizeof(chunk->entry[0]),
				&error);
	if (!chunk)
		return error;
	chunk->module = map->module->id;
	chunk->nr = (uint32_t)nr;
	chunk->first = pb_nr_functions;
	for (size_t i = 0; i < nr; i++) {
		chunk->entry[i] = targets[i].entry - module->base;
		targets[i].data = (void *)(uintptr_t)pb_nr_functions++;
	}
	pb_data_commit(&pb_session->file, &chunk->chunk);
	map->functions = chunk;
	pb_parent_is_self();
	return 0;
}

int pb_session_attach(void *data, const struct patchbay_module_info *module,
		      struct patchbay_target *targets, size_t nr)
{
	struct pb_map *map = calloc(1, sizeof(*map));
	pb_sigset signals;
	int error;

	(void)data;
	if (!map)
		return -ENOMEM;
	pb_signal_lock(&pb_session->lock, &signals);
	error = add_functions(module, targets, nr, map);
	pb_left_out_write_locked();
	if (pb_session->file.header)
		pb_data_note(&pb_session->file, error ? error : pb_refused());
	pb_signal_unlock(&pb_session->lock, signals);
	if (error) {
		free(map);
		return error;
	}
	map->next = pb_maps;
	__atomic_store_n(&pb_maps, map, __ATOMIC_RELEASE);
	return 0;
}
