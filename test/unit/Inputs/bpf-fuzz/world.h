/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What programs of the fuzzer see: maps, and the context of a call. All of it
 * lies in blocks with guard pages around them, each at the end of its block, so
 * that machine code which reaches too far ends the fuzzer; and all blocks can be
 * saved, restored and compared, so that two engines start from the same bytes.
 */
#ifndef BPF_FUZZ_WORLD_H
#define BPF_FUZZ_WORLD_H

#include "context.h"
#include "map.h"

#include <stddef.h>
#include <stdint.h>

/* PROBE is where a program tells where its stack is: nothing else uses it. */
enum { ARRAY, HASH, RING, CONSTANT, PROBE, NR_MAPS };

#define ARRAY_VALUE 64
#define HASH_VALUE 24
#define CONSTANT_VALUE 32

/* Arguments of the function whose call it is. */
#define NR_ARGS 3

struct world {
	struct patchbay_bpf_map *maps[NR_MAPS];
	struct pb_bpf_context *context;
	struct patchbay_cell *cell;
};

/* Of splitmix64; the whole of a program follows from the first state. */
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

/* Numbers at whose edges arithmetic goes wrong more often than at others. */
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

/* Ends the fuzzer where memory cannot be had. */
void world_make(struct world *world);

/* The words of the context, of which programs make their numbers. */
void world_set_words(struct world *world, uint64_t *random);

/* There are two places for copies, @which is 0 or 1. */
void world_save(unsigned int which);
void world_restore(unsigned int which);

/* NULL, or the block in which it and the copy differ. */
const char *world_differs(unsigned int which);

/* Take all records out of the ring. 0: one of them was never submitted. */
int world_drain(struct world *world);

/* Where the last program that ran had its stack's end. */
uint64_t world_stack(const struct world *world);

#endif /* BPF_FUZZ_WORLD_H */
