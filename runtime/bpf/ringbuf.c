/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A ring of records. Each record follows a header of 8 bytes with its size. Many threads
 * produce records, and one thread consumes them. A record does not wrap around: if it does not
 * fit at the end of the ring, the rest of the ring becomes a discarded record.
 *
 * Producers reserve space under the lock, and fill it without the lock. The consumer stops at
 * the first incomplete record. A producer marks the header busy before it advances the
 * producers' position.
 */
#include "map.h"
#include "spin.h"

struct header {
	uint32_t size;
	uint32_t state;
};

#define BUSY 1
#define DISCARDED 2

static struct header *header_at(const struct patchbay_bpf_map *map, uint64_t position)
{
	return (struct header *)(map->data + (position & (map->data_size - 1)));
}

static int has_room(const struct patchbay_bpf_map *map, uint64_t end)
{
	uint64_t consumer = __atomic_load_n(&map->consumer, __ATOMIC_ACQUIRE);

	return end - consumer <= map->data_size;
}

static struct header *reserve_record(struct patchbay_bpf_map *map, uint32_t size)
{
	uint64_t start = map->producer;
	uint64_t need = sizeof(struct header) + pb_bpf_round_up(size);
	uint64_t left = map->data_size - (start & (map->data_size - 1));
	struct header *header;

	/* Positions are multiples of 8, so there is always room for a header. */
	if (left < need) {
		if (!has_room(map, start + left + need))
			return NULL;
		header = header_at(map, start);
		header->size = (uint32_t)(left - sizeof(*header));
		header->state = DISCARDED;
		start += left;
	} else if (!has_room(map, start + need)) {
		return NULL;
	}
	header = header_at(map, start);
	header->size = size;
	header->state = BUSY;
	__atomic_store_n(&map->producer, start + need, __ATOMIC_RELEASE);
	return header;
}

void *pb_bpf_ringbuf_reserve(struct patchbay_bpf_map *map, uint64_t size)
{
	struct header *header;

	if (size > map->data_size || pb_bpf_lock(&map->reserve_lock))
		return NULL;
	header = reserve_record(map, (uint32_t)size);
	pb_bpf_unlock(&map->reserve_lock);
	return header ? header + 1 : NULL;
}

void pb_bpf_ringbuf_commit(void *record, int discard)
{
	struct header *header = (struct header *)record - 1;

	__atomic_store_n(&header->state, discard ? DISCARDED : 0,
			 __ATOMIC_RELEASE);
}

int pb_bpf_ringbuf_output(struct patchbay_bpf_map *map, const void *data,
			  uint64_t size)
{
	void *record = pb_bpf_ringbuf_reserve(map, size);

	if (!record)
		return -EAGAIN;
	pb_bpf_copy(record, data, size);
	pb_bpf_ringbuf_commit(record, 0);
	return 0;
}

const void *pb_bpf_ringbuf_peek(struct patchbay_bpf_map *map, uint32_t *size)
{
	uint64_t end = __atomic_load_n(&map->producer, __ATOMIC_ACQUIRE);

	while (map->consumer < end) {
		struct header *header = header_at(map, map->consumer);
		uint32_t state = __atomic_load_n(&header->state,
						 __ATOMIC_ACQUIRE);

		if (state == BUSY)
			return NULL;
		*size = header->size;
		if (!state)
			return header + 1;
		pb_bpf_ringbuf_release(map);
	}
	return NULL;
}

void pb_bpf_ringbuf_release(struct patchbay_bpf_map *map)
{
	struct header *header = header_at(map, map->consumer);

	__atomic_store_n(&map->consumer,
			 map->consumer + sizeof(*header) +
				 pb_bpf_round_up(header->size),
			 __ATOMIC_RELEASE);
}
