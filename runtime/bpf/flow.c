/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "flow.h"

#include <string.h>

#define WIDE (BPF_LD | BPF_IMM | BPF_DW)

unsigned int pb_bpf_next(const struct bpf_insn *insns, uint32_t index,
			 int64_t next[2])
{
	const struct bpf_insn *insn = &insns[index];
	unsigned int nr = 0;

	if (insn->code == (BPF_JMP | BPF_EXIT))
		return 0;
	if (insn->code == WIDE) {
		next[0] = (int64_t)index + 2;
		return 1;
	}
	if (insn->code == (BPF_JMP32 | BPF_JA)) {
		next[0] = (int64_t)index + 1 + insn->imm;
		return 1;
	}
	if ((BPF_CLASS(insn->code) == BPF_JMP ||
	     BPF_CLASS(insn->code) == BPF_JMP32) &&
	    BPF_OP(insn->code) != BPF_CALL)
		next[nr++] = (int64_t)index + 1 + insn->off;
	if (insn->code != (BPF_JMP | BPF_JA))
		next[nr++] = (int64_t)index + 1;
	return nr;
}

/* The states of an instruction in the walk. */
enum { NEW, OPEN, DONE, SECOND_HALF };

struct walk {
	const struct bpf_insn *insns;
	uint32_t nr_insns;
	uint8_t state[PB_BPF_INSNS_MAX];
	uint8_t followed[PB_BPF_INSNS_MAX];
	uint16_t path[PB_BPF_INSNS_MAX];
};

static const char *check_target(const struct walk *walk, uint32_t from,
				int64_t to)
{
	if (to < 0 || to >= walk->nr_insns)
		return to == (int64_t)from + 1 ?
			       "the program ends without an exit" :
			       "a jump out of the program";
	if (walk->state[to] == SECOND_HALF)
		return "a jump into the middle of an instruction";
	if (walk->state[to] == OPEN)
		return "a loop, which is not supported: let the compiler "
		       "unroll it";
	return NULL;
}

/* Walk depth first. @order has the instructions in reverse order of finishing. */
static const char *walk_from_start(struct walk *walk, uint16_t *order,
				   uint32_t *first, uint32_t *index)
{
	uint32_t depth = 1;

	walk->path[0] = 0;
	walk->state[0] = OPEN;
	while (depth) {
		uint32_t at = walk->path[depth - 1];
		int64_t next[2];
		const char *wrong;

		if (walk->followed[at] == pb_bpf_next(walk->insns, at, next)) {
			walk->state[at] = DONE;
			order[--*first] = (uint16_t)at;
			depth--;
			continue;
		}
		next[0] = next[walk->followed[at]++];
		wrong = check_target(walk, at, next[0]);
		if (wrong) {
			*index = at;
			return wrong;
		}
		if (walk->state[next[0]] == NEW) {
			walk->state[next[0]] = OPEN;
			walk->path[depth++] = (uint16_t)next[0];
		}
	}
	return NULL;
}

const char *pb_bpf_order(const struct bpf_insn *insns, uint32_t nr_insns,
			 uint16_t *order, uint32_t *nr, uint32_t *index)
{
	struct walk walk = { .insns = insns, .nr_insns = nr_insns };
	uint32_t first = nr_insns;
	const char *wrong;

	for (uint32_t i = 0; i < nr_insns; i++)
		if (insns[i].code == WIDE && i + 1 < nr_insns)
			walk.state[++i] = SECOND_HALF;
	wrong = walk_from_start(&walk, order, &first, index);
	if (wrong)
		return wrong;
	*nr = nr_insns - first;
	memmove(order, order + first, *nr * sizeof(*order));
	for (*index = 0; *index < nr_insns; ++*index)
		if (walk.state[*index] == NEW)
			return "an unreachable instruction";
	return NULL;
}
