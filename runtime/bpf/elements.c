/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Access to maps from outside of programs, with signals blocked. Otherwise a signal handler
 * could run a program, which would wait for a lock that its own thread holds.
 */
#include "object.h"

#include "system/attr.h"

#include <errno.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdlib.h>

/* If SIGTRAP were blocked, a breakpoint or single step would kill the process. */
static void block(sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	sigdelset(&all, SIGTRAP);
	pthread_sigmask(SIG_SETMASK, &all, before);
}

static void unblock(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

static int has_keys(const struct patchbay_bpf_map *map)
{
	return map->kind != PB_BPF_RINGBUF;
}

int patchbay_bpf_map_get_info(const struct patchbay_bpf_map *map,
			      struct patchbay_bpf_map_info *info)
{
	static const unsigned int types[] = {
		[PB_BPF_ARRAY] = BPF_MAP_TYPE_ARRAY,
		[PB_BPF_HASH] = BPF_MAP_TYPE_HASH,
		[PB_BPF_RINGBUF] = BPF_MAP_TYPE_RINGBUF,
	};
	const struct patchbay_bpf_map_info now = {
		.name = map->name,
		.type = types[map->kind],
		.key_size = map->key_size,
		.value_size = map->value_size,
		.max_entries = map->max_entries,
	};

	return pb_write_info(info, &now, sizeof(now),
			     PATCHBAY_BPF_MAP_INFO_SIZE_VER0);
}

int patchbay_bpf_map_lookup(struct patchbay_bpf_map *map, const void *key,
			    void *value)
{
	sigset_t before;
	const void *from;

	if (!has_keys(map))
		return -EINVAL;
	block(&before);
	from = pb_bpf_map_lookup(map, key);
	if (from)
		pb_bpf_copy(value, from, map->value_size);
	unblock(&before);
	return from ? 0 : -ENOENT;
}

int patchbay_bpf_map_update(struct patchbay_bpf_map *map, const void *key,
			    const void *value, uint64_t flags)
{
	sigset_t before;
	int error;

	if (!has_keys(map) || map->read_only)
		return -EINVAL;
	block(&before);
	error = pb_bpf_map_update(map, key, value, flags);
	unblock(&before);
	return error;
}

int patchbay_bpf_map_delete(struct patchbay_bpf_map *map, const void *key)
{
	sigset_t before;
	int error;

	if (!has_keys(map))
		return -EINVAL;
	block(&before);
	error = pb_bpf_map_delete(map, key);
	unblock(&before);
	return error;
}

static uint32_t next_element(struct patchbay_bpf_map *map, uint32_t index,
			     void *key, void *value)
{
	sigset_t before;

	block(&before);
	index = pb_bpf_map_next(map, index, key, value);
	unblock(&before);
	return index;
}

int patchbay_bpf_map_for_each(struct patchbay_bpf_map *map,
			      int (*function)(void *arg, const void *key,
					      const void *value),
			      void *arg)
{
	size_t key_size = pb_bpf_round_up(map->key_size);
	unsigned char *element;
	uint32_t index = 0;
	int result = 0;

	if (!has_keys(map))
		return -EINVAL;
	element = malloc(key_size + map->value_size);
	if (!element)
		return -ENOMEM;
	for (; !result; index++) {
		index = next_element(map, index, element, element + key_size);
		if (index >= map->max_entries)
			break;
		result = function(arg, element, element + key_size);
	}
	free(element);
	return result;
}

int patchbay_bpf_ringbuf_consume(struct patchbay_bpf_map *map,
				 int (*function)(void *arg, const void *data,
						 size_t size),
				 void *arg)
{
	const void *data;
	uint32_t size;
	int result = 0, nr = 0;

	if (has_keys(map))
		return -EINVAL;
	while (!result && nr < INT32_MAX &&
	       (data = pb_bpf_ringbuf_peek(map, &size))) {
		result = function(arg, data, size);
		pb_bpf_ringbuf_release(map);
		nr++;
	}
	return result ? result : nr;
}
