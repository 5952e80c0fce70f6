/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "map.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>

/* The limit for one map. A larger size is probably a mistake. */
#define BYTES_MAX ((size_t)1 << 30)

static int init_array(struct patchbay_bpf_map *map)
{
	if (map->key_size != 4 || !map->value_size || !map->max_entries)
		return -EINVAL;
	map->stride = (uint32_t)pb_bpf_round_up(map->value_size);
	map->data_size = (size_t)map->stride * map->max_entries;
	return 0;
}

static int init_ringbuf(struct patchbay_bpf_map *map)
{
	if (map->key_size || map->value_size || map->max_entries < 4096 ||
	    map->max_entries & (map->max_entries - 1))
		return -EINVAL;
	map->data_size = map->max_entries;
	return 0;
}

int pb_bpf_map_init(struct patchbay_bpf_map *map)
{
	int error;

	if (map->key_size > 4096 || map->value_size > BYTES_MAX)
		return -EINVAL;
	switch (map->kind) {
	case PB_BPF_ARRAY:
		error = init_array(map);
		break;
	case PB_BPF_HASH:
		error = pb_bpf_hash_init(map);
		break;
	default:
		error = init_ringbuf(map);
	}
	if (error)
		return error;
	if (map->data_size > BYTES_MAX)
		return -EINVAL;
	map->data = calloc(1, map->data_size);
	return map->data ? 0 : -ENOMEM;
}

void pb_bpf_map_destroy(struct patchbay_bpf_map *map)
{
	free(map->data);
	free(map->buckets);
}

static void *array_lookup(struct patchbay_bpf_map *map, const void *key)
{
	uint32_t index;

	pb_bpf_copy(&index, key, sizeof(index));
	if (index >= map->max_entries)
		return NULL;
	return map->data + (size_t)map->stride * index;
}

void *pb_bpf_map_lookup(struct patchbay_bpf_map *map, const void *key)
{
	return map->kind == PB_BPF_ARRAY ? array_lookup(map, key) :
					   pb_bpf_hash_lookup(map, key);
}

int pb_bpf_map_update(struct patchbay_bpf_map *map, const void *key,
		      const void *value, uint64_t flags)
{
	void *to;

	if (flags > BPF_EXIST)
		return -EINVAL;
	if (map->kind == PB_BPF_HASH)
		return pb_bpf_hash_update(map, key, value, flags);
	to = array_lookup(map, key);
	if (!to)
		return -E2BIG;
	if (flags == BPF_NOEXIST)
		return -EEXIST;
	pb_bpf_copy(to, value, map->value_size);
	return 0;
}

int pb_bpf_map_delete(struct patchbay_bpf_map *map, const void *key)
{
	return map->kind == PB_BPF_HASH ? pb_bpf_hash_delete(map, key) :
					  -EINVAL;
}

uint32_t pb_bpf_map_next(struct patchbay_bpf_map *map, uint32_t index, void *key,
			 void *value)
{
	if (map->kind == PB_BPF_HASH)
		return pb_bpf_hash_next(map, index, key, value);
	if (index < map->max_entries) {
		pb_bpf_copy(key, &index, sizeof(index));
		pb_bpf_copy(value, map->data + (size_t)map->stride * index,
			    map->value_size);
	}
	return index;
}
