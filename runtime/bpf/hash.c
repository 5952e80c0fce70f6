/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Hashes with preallocated elements, like the kernel's. The memory of a deleted element is not
 * freed, but goes to the next new key. A program may still have the address of a value that
 * another thread deletes. At worst the program reads or writes a wrong value.
 *
 * Each bucket has a list of its elements, and @free is the list of free elements. A link is an
 * element's index plus 1; 0 ends a list. @free_lock nests inside a bucket's lock.
 */
#include "map.h"
#include "spin.h"

#include <linux/bpf.h>
#include <stdlib.h>

struct pb_bpf_bucket {
	uint32_t lock;
	uint32_t first;
};

/* @used is written with the bucket's lock held. */
struct element {
	uint32_t next;
	uint32_t used;
};

_Static_assert(sizeof(struct element) == PB_BPF_HASH_KEY,
	       "the key follows the links");

static struct element *element(const struct patchbay_bpf_map *map, uint32_t link)
{
	return (struct element *)(map->data + (size_t)map->stride * (link - 1));
}

static unsigned char *key_of(struct element *e)
{
	return (unsigned char *)e + PB_BPF_HASH_KEY;
}

int pb_bpf_hash_init(struct patchbay_bpf_map *map)
{
	uint32_t nr = 1;

	if (!map->key_size || !map->value_size || !map->max_entries ||
	    map->max_entries > 1u << 26)
		return -EINVAL;
	while (nr < map->max_entries)
		nr *= 2;
	map->value_at = PB_BPF_HASH_KEY +
			(uint32_t)pb_bpf_round_up(map->key_size);
	map->stride =
		map->value_at + (uint32_t)pb_bpf_round_up(map->value_size);
	map->data_size = (size_t)map->stride * map->max_entries;
	map->bucket_mask = nr - 1;
	map->buckets = calloc(nr, sizeof(*map->buckets));
	return map->buckets ? 0 : -ENOMEM;
}

/* FNV-1a by words instead of bytes, and a final mix of the bits. */
static struct pb_bpf_bucket *bucket_of(struct patchbay_bpf_map *map, const void *key)
{
	const unsigned char *bytes = key;
	uint64_t hash = 0xcbf29ce484222325;
	uint32_t size = map->key_size;

	for (; size >= 4; size -= 4, bytes += 4) {
		uint32_t word;

		__builtin_memcpy(&word, bytes, 4);
		hash = (hash ^ word) * 0x100000001b3;
	}
	for (; size; size--)
		hash = (hash ^ *bytes++) * 0x100000001b3;
	hash ^= hash >> 32;
	hash *= 0x9e3779b97f4a7c15;
	return &map->buckets[(hash >> 32) & map->bucket_mask];
}

static int is_key(const unsigned char *a, const unsigned char *b, uint32_t size)
{
	while (size && *a == *b)
		a++, b++, size--;
	return !size;
}

/* Returns the link to the element with @key, or the bucket's last link, whose value is 0. */
static uint32_t *find_element(struct patchbay_bpf_map *map, struct pb_bpf_bucket *bucket,
			      const void *key)
{
	uint32_t *link = &bucket->first;

	while (*link && !is_key(key_of(element(map, *link)), key, map->key_size))
		link = &element(map, *link)->next;
	return link;
}

void *pb_bpf_hash_lookup(struct patchbay_bpf_map *map, const void *key)
{
	struct pb_bpf_bucket *bucket = bucket_of(map, key);
	unsigned char *value = NULL;
	uint32_t link;

	if (pb_bpf_lock(&bucket->lock))
		return NULL;
	link = *find_element(map, bucket, key);
	if (link)
		value = (unsigned char *)element(map, link) + map->value_at;
	pb_bpf_unlock(&bucket->lock);
	return value;
}

static uint32_t take_free(struct patchbay_bpf_map *map)
{
	uint32_t link;

	if (pb_bpf_lock(&map->free_lock))
		return 0;
	link = map->free;
	if (link) {
		map->free = element(map, link)->next;
	} else if (map->nr_used < map->max_entries) {
		link = ++map->nr_used;
	}
	pb_bpf_unlock(&map->free_lock);
	return link;
}

static int insert(struct patchbay_bpf_map *map, struct pb_bpf_bucket *bucket,
		  const void *key, const void *value)
{
	uint32_t link = take_free(map);
	struct element *e;

	if (!link)
		return -E2BIG;
	e = element(map, link);
	pb_bpf_copy(key_of(e), key, map->key_size);
	pb_bpf_copy((unsigned char *)e + map->value_at, value, map->value_size);
	e->next = bucket->first;
	e->used = 1;
	bucket->first = link;
	return 0;
}

static int update(struct patchbay_bpf_map *map, struct pb_bpf_bucket *bucket,
		  const void *key, const void *value, uint64_t flags)
{
	uint32_t link = *find_element(map, bucket, key);

	if (link && flags == BPF_NOEXIST)
		return -EEXIST;
	if (!link && flags == BPF_EXIST)
		return -ENOENT;
	if (!link)
		return insert(map, bucket, key, value);
	pb_bpf_copy((unsigned char *)element(map, link) + map->value_at, value,
		    map->value_size);
	return 0;
}

int pb_bpf_hash_update(struct patchbay_bpf_map *map, const void *key,
		       const void *value, uint64_t flags)
{
	struct pb_bpf_bucket *bucket = bucket_of(map, key);
	int error = pb_bpf_lock(&bucket->lock);

	if (error)
		return error;
	error = update(map, bucket, key, value, flags);
	pb_bpf_unlock(&bucket->lock);
	return error;
}

static int remove_from(struct patchbay_bpf_map *map, uint32_t *to)
{
	uint32_t link = *to;
	struct element *e;
	int error;

	if (!link)
		return -ENOENT;
	error = pb_bpf_lock(&map->free_lock);
	if (error)
		return error;
	e = element(map, link);
	*to = e->next;
	e->used = 0;
	e->next = map->free;
	map->free = link;
	pb_bpf_unlock(&map->free_lock);
	return 0;
}

int pb_bpf_hash_delete(struct patchbay_bpf_map *map, const void *key)
{
	struct pb_bpf_bucket *bucket = bucket_of(map, key);
	int error = pb_bpf_lock(&bucket->lock);

	if (error)
		return error;
	error = remove_from(map, find_element(map, bucket, key));
	pb_bpf_unlock(&bucket->lock);
	return error;
}

/* Take the lock of the key's bucket, then check that the bucket still has the element. */
uint32_t pb_bpf_hash_next(struct patchbay_bpf_map *map, uint32_t index, void *key,
			  void *value)
{
	for (; index < map->max_entries; index++) {
		struct element *e = element(map, index + 1);
		struct pb_bpf_bucket *bucket;
		int found;

		if (!__atomic_load_n(&e->used, __ATOMIC_ACQUIRE))
			continue;
		pb_bpf_copy(key, key_of(e), map->key_size);
		bucket = bucket_of(map, key);
		if (pb_bpf_lock(&bucket->lock))
			continue;
		found = *find_element(map, bucket, key) == index + 1;
		if (found)
			pb_bpf_copy(value, (unsigned char *)e + map->value_at,
				    map->value_size);
		pb_bpf_unlock(&bucket->lock);
		if (found)
			break;
	}
	return index;
}
