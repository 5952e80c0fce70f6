/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_BLOCKS 16

static struct block {
	const char *name;
	unsigned char *base;
	size_t size;
	unsigned char *copy[2];
} blocks[MAX_BLOCKS];
static unsigned int nr_blocks;

static void *must(void *memory)
{
	if (!memory || memory == MAP_FAILED) {
		perror("bpf-fuzz");
		exit(2);
	}
	return memory;
}

/* Returns @size zero bytes at the end of a block, followed by a guard page. */
static void *add_block(const char *name, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t whole = (size + page - 1) / page * page;
	unsigned char *guarded = must(mmap(NULL, whole + 2 * page, PROT_NONE,
					   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	struct block *block = &blocks[nr_blocks++];

	if (mprotect(guarded + page, whole, PROT_READ | PROT_WRITE))
		must(NULL);
	*block = (struct block){ .name = name,
				 .base = guarded + page,
				 .size = whole,
				 .copy = { must(malloc(whole)),
					   must(malloc(whole)) } };
	return block->base + whole - size;
}

/* Moves @size bytes at @from to a block. */
static void *move(const char *name, void *from, size_t size)
{
	void *to = add_block(name, size);

	memcpy(to, from, size);
	free(from);
	return to;
}

static struct patchbay_bpf_map *make_map(const char *name,
					 struct patchbay_bpf_map sizes)
{
	struct patchbay_bpf_map *map = add_block(name, sizeof(*map));

	*map = sizes;
	if (pb_bpf_map_init(map))
		must(NULL);
	map->data = move(name, map->data, map->data_size);
	if (map->buckets)
		/* A bucket has two words, which hash.c defines. */
		map->buckets = move(name, map->buckets,
				    8 * ((size_t)map->bucket_mask + 1));
	return map;
}

void world_make(struct world *world)
{
	static struct patchbay_record record = { .gp_args = NR_ARGS };

	world->maps[ARRAY] = make_map(
		"the array", (struct patchbay_bpf_map){ .kind = PB_BPF_ARRAY,
							.key_size = 4,
							.value_size = ARRAY_VALUE,
							.max_entries = 4 });
	world->maps[HASH] = make_map(
		"the hash", (struct patchbay_bpf_map){ .kind = PB_BPF_HASH,
						       .key_size = 8,
						       .value_size = HASH_VALUE,
						       .max_entries = 8 });
	world->maps[RING] = make_map(
		"the ring", (struct patchbay_bpf_map){ .kind = PB_BPF_RINGBUF,
						       .max_entries = 4096 });
	world->maps[CONSTANT] =
		make_map("the constants",
			 (struct patchbay_bpf_map){ .kind = PB_BPF_ARRAY,
						    .key_size = 4,
						    .value_size = CONSTANT_VALUE,
						    .max_entries = 1,
						    .read_only = 1 });
	world->maps[PROBE] = make_map(
		"the probe", (struct patchbay_bpf_map){ .kind = PB_BPF_ARRAY,
							.key_size = 4,
							.value_size = 8,
							.max_entries = 1 });
	memset(world->maps[CONSTANT]->data, 0xc5, CONSTANT_VALUE);
	world->cell = add_block("the cell", sizeof(*world->cell));
	world->cell->record = &record;
	world->context = add_block("the context", sizeof(*world->context));
	*world->context = (struct pb_bpf_context){
		.cell = world->cell,
		.regs = add_block("the registers", sizeof(struct patchbay_regs)),
		.ip = 0x1234,
		.cookie = 0x5678,
	};
}

void world_set_words(struct world *world, uint64_t *random)
{
	for (unsigned int i = 0; i < PB_BPF_WORDS; i++)
		world->context->words[i] = edge_word(random);
	for (unsigned int i = 0; i < NR_ARGS; i++)
		*patchbay_regs_gp(world->context->regs, i) =
			world->context->words[i];
}

void world_save(unsigned int which)
{
	for (unsigned int i = 0; i < nr_blocks; i++)
		memcpy(blocks[i].copy[which], blocks[i].base, blocks[i].size);
}

void world_restore(unsigned int which)
{
	for (unsigned int i = 0; i < nr_blocks; i++)
		memcpy(blocks[i].base, blocks[i].copy[which], blocks[i].size);
}

const char *world_differs(unsigned int which)
{
	for (unsigned int i = 0; i < nr_blocks; i++)
		if (memcmp(blocks[i].base, blocks[i].copy[which],
			   blocks[i].size))
			return blocks[i].name;
	return NULL;
}

int world_drain(struct world *world)
{
	struct patchbay_bpf_map *ring = world->maps[RING];
	uint32_t size;

	while (pb_bpf_ringbuf_peek(ring, &size))
		pb_bpf_ringbuf_release(ring);
	return ring->consumer == ring->producer;
}

uint64_t world_stack(const struct world *world)
{
	uint64_t end;

	memcpy(&end, world->maps[PROBE]->data, sizeof(end));
	return end;
}
