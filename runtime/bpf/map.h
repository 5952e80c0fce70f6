/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Maps. Programs call these functions by way of helpers.h, so in any context:
 * they use general registers only, allocate nothing, and wait for nobody for
 * long. Their memory stays where it is until the object is closed: a program may
 * keep the address of a value as long as it runs.
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
 * @stride:    bytes from one element to the next; of elements of a hash, the key
 *             lies at PB_BPF_HASH_KEY and the value behind it
 * @value_at:  where in an element its value is
 * @read_only: programs may not write to it: constants
 * @data:      elements, or the bytes of the ring; a multiple of 8, as every
 *             value is, for atomic operations
 * @buckets, @bucket_mask: of hashes
 * @free, @nr_used, @free_lock: of hashes: elements that are free again; those
 *             behind the first @nr_used were never in use
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

/* -EINVAL: sizes that make no map. -ENOMEM. */
int pb_bpf_map_init(struct patchbay_bpf_map *map);
void pb_bpf_map_destroy(struct patchbay_bpf_map *map);

/*
 * As bpf_map_lookup_elem(), bpf_map_update_elem() and bpf_map_delete_elem() of
 * arrays and hashes, with the same errors. -EBUSY: whoever holds the lock does
 * not run; in a forked child that may be for ever.
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
 * Go on from element @index: returns the next one that is in use, or
 * max_entries; its key and value are copied.
 */
uint32_t pb_bpf_map_next(struct patchbay_bpf_map *map, uint32_t index, void *key,
			 void *value);
uint32_t pb_bpf_hash_next(struct patchbay_bpf_map *map, uint32_t index, void *key,
			  void *value);

/* ringbuf.c: as bpf_ringbuf_reserve(), and so on. */
void *pb_bpf_ringbuf_reserve(struct patchbay_bpf_map *map, uint64_t size);
void pb_bpf_ringbuf_commit(void *record, int discard);
int pb_bpf_ringbuf_output(struct patchbay_bpf_map *map, const void *data,
			  uint64_t size);

/*
 * The oldest record, if it is complete, and its size; NULL if there is none.
 * pb_bpf_ringbuf_release() gives its room back. For one thread at a time.
 */
const void *pb_bpf_ringbuf_peek(struct patchbay_bpf_map *map, uint32_t *size);
void pb_bpf_ringbuf_release(struct patchbay_bpf_map *map);

static inline size_t pb_bpf_round_up(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

/* memcpy(3) may use vector registers, which are the traced function's. */
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
