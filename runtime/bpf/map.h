/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Maps. Programs call these functions through helpers.h, in any context. So they use only
 * general registers, allocate nothing, and wait only for a bounded time. The memory of a map
 * keeps its address until the object is closed, because a running program may use the address
 * of a value.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum pb_bpf_map_kind {
	PB_BPF_ARRAY,
	PB_BPF_HASH,
	PB_BPF_RINGBUF,
};

struct pb_bpf_bucket;

/*
 * @stride:    the number of bytes from one element to the next; an element of a hash has
 *             the key at PB_BPF_HASH_KEY, and the value after the key
 * @value_at:  the offset of the value in an element
 * @read_only: a map of constants, to which programs may not write
 * @data:      elements, or the bytes of the ring. The addresses of data and of values are
 *             multiples of 8, for atomic operations
 * @buckets, @bucket_mask: for hashes
 * @free, @nr_used, @free_lock: for hashes: the list of freed elements; elements after the
 *             first @nr_used were never in use
 * @producer, @consumer, @reserve_lock: for rings: positions, in bytes since the ring was made
 */
struct patchbay_bpf_map {
	char name[64];
	enum pb_bpf_map_kind kind;
	uint32_t key_size, value_size, max_entries;
	uint32_t stride, value_at;
	int read_only;
	unsigned char *data;
	size_t data_size;
	struct pb_bpf_bucket *buckets;
	uint32_t bucket_mask;
	uint32_t free, nr_used, free_lock;
	uint64_t producer, consumer;
	uint32_t reserve_lock;
};

/* Returns 0; -EINVAL if a map cannot have these sizes; or -ENOMEM. */
int pb_bpf_map_init(struct patchbay_bpf_map *map);
void pb_bpf_map_destroy(struct patchbay_bpf_map *map);

/*
 * Like bpf_map_lookup_elem(), bpf_map_update_elem() and bpf_map_delete_elem() on arrays and
 * hashes, with the same errors. Also -EBUSY: the thread that holds the lock is not running. In
 * a forked child that thread may not exist.
 */
void *pb_bpf_map_lookup(struct patchbay_bpf_map *map, const void *key);
int pb_bpf_map_update(struct patchbay_bpf_map *map, const void *key,
		      const void *value, uint64_t flags);
int pb_bpf_map_delete(struct patchbay_bpf_map *map, const void *key);

/* hash.c */
#define PB_BPF_HASH_KEY 8
int pb_bpf_hash_init(struct patchbay_bpf_map *map);
void *pb_bpf_hash_lookup(struct patchbay_bpf_map *map, const void *key);
int pb_bpf_hash_update(struct patchbay_bpf_map *map, const void *key,
		       const void *value, uint64_t flags);
int pb_bpf_hash_delete(struct patchbay_bpf_map *map, const void *key);

/*
 * Find the next element in use, from @index on. Copies the element's key and value. Returns
 * the element's index, or max_entries if there is no such element.
 */
uint32_t pb_bpf_map_next(struct patchbay_bpf_map *map, uint32_t index, void *key,
			 void *value);
uint32_t pb_bpf_hash_next(struct patchbay_bpf_map *map, uint32_t index, void *key,
			  void *value);

/* ringbuf.c: like bpf_ringbuf_reserve(), bpf_ringbuf_submit() and so on. */
void *pb_bpf_ringbuf_reserve(struct patchbay_bpf_map *map, uint64_t size);
void pb_bpf_ringbuf_commit(void *record, int discard);
int pb_bpf_ringbuf_output(struct patchbay_bpf_map *map, const void *data,
			  uint64_t size);

/*
 * pb_bpf_ringbuf_peek() returns the oldest record, and its size, if the record is complete;
 * otherwise NULL. pb_bpf_ringbuf_release() frees the record. Only one thread at a time may call
 * these functions.
 */
const void *pb_bpf_ringbuf_peek(struct patchbay_bpf_map *map, uint32_t *size);
void pb_bpf_ringbuf_release(struct patchbay_bpf_map *map);

static inline size_t pb_bpf_round_up(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

/* Like memcpy(3), which may clobber the traced function's vector registers. */
static inline void pb_bpf_copy(void *to, const void *from, size_t size)
{
	unsigned char *t = to;
	const unsigned char *f = from;

	for (; size >= 8; size -= 8, t += 8, f += 8)
		__builtin_memcpy(t, f, 8);
	for (; size; size--)
		*t++ = *f++;
}
