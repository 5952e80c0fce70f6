/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The proof that a program does no harm: it reads and writes the context, its
 * stack, values of maps and records only, within their bounds; calls helpers
 * with what these expect; and ends.
 *
 * It is simple instead of clever: addresses have offsets that are known, so ranges
 * of numbers are of no concern; and there are no loops, so one pass over the
 * instructions, in an order in which each comes behind those that lead to it, sees
 * everything.
 */
#ifndef PB_BPF_VERIFY_H
#define PB_BPF_VERIFY_H

#include "map.h"

#include <linux/bpf.h>

/*
 * @insns: addresses of maps are BPF_PSEUDO_MAP_IDX with the map's index, those
 *         in the value of one's first element BPF_PSEUDO_MAP_IDX_VALUE with that
 *         and the offset
 */
struct pb_bpf_code {
	struct bpf_insn *insns;
	uint32_t nr_insns;
	struct patchbay_bpf_map *const *maps;
	uint32_t nr_maps;
};

/*
 * What a program that was verified does.
 * @nr_words: words of the context that it reads
 * @flags:    PB_BPF_VECTORS: of a helper that it calls
 */
struct pb_bpf_uses {
	unsigned int nr_words;
	unsigned int flags;
};

/*
 * 0, or -EACCES: *@reason says what is wrong with instruction *@index; or
 * -E2BIG: too many instructions, or none; or -ENOMEM.
 */
int pb_bpf_verify(const struct pb_bpf_code *code, struct pb_bpf_uses *uses,
		  uint32_t *index, const char **reason);

#endif /* PB_BPF_VERIFY_H */
