/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Maps. Programs call these functions through helpers.h, in any context. So they use
 * only general registers, allocate nothing, and wait only for a bounded time. Their
 * memory keeps its address until the object is closed: a program may use the address of a
 * value while it runs.
 */
#ifndef PB_BPF_MAP_H
#define PB_BPF_MAP_H

#include <stddef.h>
#include <stdint.h>

enum pb_bpf_map_kind {
	PB_BPF_ARRAY,
	PB_BPF_HASH,
	PB_BPF_RINGBUF,
};

struct pb_bpf_bucket;

/*
 * @stride:    bytes from one element to the next; in an element of a hash, the key
 *             is at PB_BPF_HASH_KEY and the value follows it
 * @value_at:  offset of the value in an element
 * @read_only: constants: programs may not write to it
 * @data:      elements, or the bytes of the ring; a multiple of 8, as every
 *             value is, for atomic operations
 * @buckets, @bucket_mask: of hashes
 * @free, @nr_used, @free_lock: of hashes: the list of freed elements; elements
 *             after the first @nr_used were never in use
 * @producer, @consumer, @reserve_lock: of rings: bytes since it was made
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

/* Returns 0, -EINVAL for sizes that make no map, or -ENOMEM. */
int pb_bpf_map_init(struct patchbay_bpf_map *map);
void pb_bpf_map_destroy(struct patchbay_bpf_map *map);

/*
 * Like bpf_map_lookup_elem(), bpf_map_update_elem() and bpf_map_delete_elem() on
 * arrays and hashes, with the same errors. Also -EBUSY: the lock's holder does not
 * run. In a forked child it may never run.
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
 * Searches from element @index. Returns the next one in use and copies its key and
 * value, or returns max_entries.
 */
uint32_t pb_bpf_map_next(struct patchbay_bpf_map *map, uint32_t index, void *key,
			 void *value);
uint32_t pb_bpf_hash_next(struct patchbay_bpf_map *map, uint32_t index, void *key,
			  void *value);

/* ringbuf.c: like bpf_ringbuf_reserve() and its relatives. */
void *pb_bpf_ringbuf_reserve(struct patchbay_bpf_map *map, uint64_t size);
void pb_bpf_ringbuf_commit(void *record, int discard);
int pb_bpf_ringbuf_output(struct patchbay_bpf_map *map, const void *data,
			  uint64_t size);

/*
 * Returns the oldest record if it is complete, and its size; NULL if there is none.
 * pb_bpf_ringbuf_release() frees its space. Only one thread at a time may call these.
 */
const void *pb_bpf_ringbuf_peek(struct patchbay_bpf_map *map, uint32_t *size);
void pb_bpf_ringbuf_release(struct patchbay_bpf_map *map);

static inline size_t pb_bpf_round_up(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

/* Replaces memcpy(3), which may use the traced function's vector registers. */
static inline void pb_bpf_copy(void *to, const void *from, size_t size)
{
	unsigned char *t = to;
	const unsigned char *f = from;

	for (; size >= 8; size -= 8, t += 8, f += 8)
		__builtin_memcpy(t, f, 8);
	for (; size; size--)
		*t++ = *f++;
}

#endif /* PB_BPF_MAP_H */
