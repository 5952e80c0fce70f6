/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Proves that a program does no harm: the program reads and writes only the context, its stack,
 * values of maps, and records, within their bounds; it calls helpers with valid arguments; it
 * ends.
 *
 * The proof is simple. Addresses have known offsets, so ranges of numbers are not needed. There
 * are no loops, so one pass over the instructions, each after its predecessors, sees every
 * path.
 */
#pragma once

#include "map.h"

#include <linux/bpf.h>

/*
 * @insns: a wide load with the address of a map is BPF_PSEUDO_MAP_IDX, with the map's index. An
 *         address within the value of a map's first element is BPF_PSEUDO_MAP_IDX_VALUE, with
 *         the index and the offset
 */
struct pb_bpf_code {
	struct bpf_insn *insns;
	uint32_t nr_insns;
	struct patchbay_bpf_map *const *maps;
	uint32_t nr_maps;
};

/*
 * The uses of a verified program.
 * @nr_words: the number of words of the context that the program reads
 * @flags:    PB_BPF_VECTORS if a helper that the program calls has that flag
 */
struct pb_bpf_uses {
	unsigned int nr_words;
	unsigned int flags;
};

/*
 * Verify a program. Returns 0; -EACCES with the fault of instruction *@index in *@reason; -E2BIG
 * if there are no or too many instructions; or -ENOMEM.
 */
int pb_bpf_verify(const struct pb_bpf_code *code, struct pb_bpf_uses *uses,
		  uint32_t *index, const char **reason);
