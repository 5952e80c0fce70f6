/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The memory that the fuzzer's programs see: maps, and the context of a call. Each
 * block ends at a guard page, so machine code that accesses bytes after a block kills
 * the fuzzer. All blocks can be saved, restored and compared, so that two engines start
 * from the same bytes.
 */
#ifndef BPF_FUZZ_WORLD_H
#define BPF_FUZZ_WORLD_H

#include "context.h"
#include "map.h"

#include <stddef.h>
#include <stdint.h>

/* A program stores its stack's address in PROBE, which has no other use. */
enum { ARRAY, HASH, RING, CONSTANT, PROBE, NR_MAPS };

#define ARRAY_VALUE 64
#define HASH_VALUE 24
#define CONSTANT_VALUE 32

/* The arguments of the traced function. */
#define NR_ARGS 3

struct world {
	struct patchbay_bpf_map *maps[NR_MAPS];
	struct pb_bpf_context *context;
	struct patchbay_cell *cell;
};

/* Advances splitmix64. The first state determines the whole program. */
static inline uint64_t random_word(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static inline uint32_t below(uint64_t *state, uint32_t end)
{
	return (uint32_t)(random_word(state) % end);
}

/* Returns a boundary value, where arithmetic errors are frequent. */
static inline uint64_t edge_word(uint64_t *state)
{
	uint64_t word = random_word(state);

	switch (below(state, 6)) {
	case 0:
		return word % 4;
	case 1:
		return 0 - word % 4;
	case 2:
		return 1ull << word % 64;
	case 3:
		return (1ull << word % 64) - 1;
	case 4:
		return word & 0xff;
	default:
		return word;
	}
}

/* Ends the fuzzer if memory is exhausted. */
void world_make(struct world *world);

/* Sets the words of the context, from which programs make their numbers. */
void world_set_words(struct world *world, uint64_t *random);

/* There are two snapshots; @which is 0 or 1. */
void world_save(unsigned int which);
void world_restore(unsigned int which);

/* Returns NULL, or the first block that differs from the snapshot. */
const char *world_differs(unsigned int which);

/* Removes all records from the ring. Returns 0 if a record was never submitted. */
int world_drain(struct world *world);

/* Returns the end of the last program's stack. */
uint64_t world_stack(const struct world *world);

#endif /* BPF_FUZZ_WORLD_H */
