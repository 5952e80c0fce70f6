/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "maps.h"

#include "file/arena.h"
#include "parent.h"
#include "session.h"
#include "untraceable_modules.h"

struct pb_map *pb_maps;
struct pb_left_out_map *pb_left_out_maps;

/* Replace @nr chunks by copies: all or none. Chunks other than the first may be NULL. */
static int copy_chunks(const struct pbd_chunk **chunks, int nr)
{
	uint64_t sizes[PB_MAP_CHUNKS] = { 0 }, size = 0;
	struct pbd_chunk *to;
	int error;

	for (int i = 0; i < nr; i++)
		if (chunks[i])
			size += sizes[i] = pb_arena_size(chunks[i], sizeof(*chunks[i]));
	to = pb_data_reserve(&pb_session->file, chunks[0]->kind, size, &error);
	if (!to)
		return error;
	for (int i = 0; i < nr; i++) {
		if (!chunks[i])
			continue;
		pb_copy(to, chunks[i], sizes[i]);
		to->size = sizes[i];
		pb_data_commit(&pb_session->file, to);
		chunks[i] = to;
		to = (struct pbd_chunk *)((char *)to + sizes[i]);
	}
	return 0;
}

int pb_map_copy(const struct pb_map *map, const struct pbd_chunk *copies[PB_MAP_CHUNKS])
{
	copies[0] = &map->module->chunk;
	copies[1] = map->functions ? &map->functions->chunk : NULL;
	copies[2] = map->arguments ? &map->arguments->chunk : NULL;
	copies[3] = map->names ? &map->names->chunk : NULL;
	return copy_chunks(copies, PB_MAP_CHUNKS);
}

int pb_left_out_copy(const struct pb_left_out_map *map, const struct pbd_chunk **copy)
{
	int error;

	*copy = &map->chunk->chunk;
	error = copy_chunks(copy, 1);
	if (!error)
		pb_session->file.header->left_out += map->chunk->nr;
	return error;
}

/* A child that is forked during this call may find some copies, which are mapped, too. */
int pb_maps_copy(void)
{
	struct pb_map *maps = __atomic_load_n(&pb_maps, __ATOMIC_ACQUIRE);
	struct pb_left_out_map *left_out = __atomic_load_n(&pb_left_out_maps, __ATOMIC_ACQUIRE);
	int error = 0;

	for (struct pb_map *map = maps; map && !error; map = map->next)
		error = pb_map_copy(map, map->copied);
	for (struct pb_left_out_map *map = left_out; map && !error; map = map->next)
		error = pb_left_out_copy(map, &map->copied);
	if (!error)
		error = pb_others_copy();
	if (error)
		return error;
	for (struct pb_map *map = maps; map; map = map->next) {
		map->module = (const void *)map->copied[0];
		map->functions = (const void *)map->copied[1];
		map->arguments = (const void *)map->copied[2];
		map->names = (const void *)map->copied[3];
	}
	for (struct pb_left_out_map *map = left_out; map; map = map->next)
		map->chunk = (const void *)map->copied;
	if (maps || left_out)
		pb_parent_is_self();
	pb_session->rotation.has_maps = 1;
	return 0;
}
