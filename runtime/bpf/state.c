/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "state.h"

#include <string.h>

void pb_bpf_state_init(struct pb_bpf_state *state)
{
	memset(state, 0, sizeof(*state));
	state->reg[1].type = PB_BPF_CONTEXT;
	state->reg[10].type = PB_BPF_FRAME;
}

static int is_same(const struct pb_bpf_val *a, const struct pb_bpf_val *b)
{
	return a->type == b->type && a->of == b->of && a->call == b->call &&
	       a->num == b->num;
}

static void merge_val(struct pb_bpf_val *to, const struct pb_bpf_val *from)
{
	if (is_same(to, from))
		return;
	if (pb_bpf_is_number(to) && pb_bpf_is_number(from))
		*to = pb_bpf_scalar();
	else
		*to = (struct pb_bpf_val){ .type = PB_BPF_NOTHING };
}

int pb_bpf_state_merge(struct pb_bpf_state *to, const struct pb_bpf_state *from)
{
	for (size_t i = 0; i < 11; i++)
		merge_val(&to->reg[i], &from->reg[i]);
	for (size_t i = 0; i < PB_BPF_SLOTS; i++) {
		merge_val(&to->slot[i].val, &from->slot[i].val);
		to->slot[i].written &= from->slot[i].written;
	}
	return to->record == from->record;
}

static void decide(struct pb_bpf_val *val, uint32_t call, int is_null)
{
	if (val->call != call || (val->type != PB_BPF_VALUE_OR_NULL &&
				  val->type != PB_BPF_RECORD_OR_NULL))
		return;
	if (is_null)
		*val = (struct pb_bpf_val){ .type = PB_BPF_CONSTANT };
	else if (val->type == PB_BPF_RECORD_OR_NULL)
		val->type = PB_BPF_RECORD;
	else /* drop @call: another path may have a different one */
		*val = (struct pb_bpf_val){ .type = PB_BPF_VALUE,
					    .of = val->of };
}

void pb_bpf_state_null(struct pb_bpf_state *state, uint32_t call, int is_null)
{
	for (size_t i = 0; i < 11; i++)
		decide(&state->reg[i], call, is_null);
	for (size_t i = 0; i < PB_BPF_SLOTS; i++)
		decide(&state->slot[i].val, call, is_null);
	if (is_null && state->record == call + 1)
		state->record = 0;
}

static void forget_record(struct pb_bpf_val *val)
{
	if (val->type == PB_BPF_RECORD || val->type == PB_BPF_RECORD_OR_NULL)
		val->type = PB_BPF_NOTHING;
}

void pb_bpf_state_release(struct pb_bpf_state *state)
{
	for (size_t i = 0; i < 11; i++)
		forget_record(&state->reg[i]);
	for (size_t i = 0; i < PB_BPF_SLOTS; i++)
		forget_record(&state->slot[i].val);
	state->record = 0;
}

void pb_bpf_stack_write(struct pb_bpf_state *state, int64_t offset,
			uint32_t size, const struct pb_bpf_val *val)
{
	size_t from = (size_t)(offset + PB_BPF_STACK);

	for (size_t at = from; at < from + size; at++) {
		struct pb_bpf_slot *slot = &state->slot[at / 8];

		slot->val = (struct pb_bpf_val){ .type = PB_BPF_NOTHING };
		slot->written |= (uint8_t)(1 << at % 8);
	}
	if (size == 8 && from % 8 == 0)
		state->slot[from / 8].val = *val;
}

int pb_bpf_stack_is_written(const struct pb_bpf_state *state, int64_t offset,
			    uint32_t size)
{
	size_t from = (size_t)(offset + PB_BPF_STACK);

	for (size_t at = from; at < from + size; at++)
		if (!(state->slot[at / 8].written & 1 << at % 8))
			return 0;
	return 1;
}

struct pb_bpf_val pb_bpf_stack_read(const struct pb_bpf_state *state,
				    int64_t offset, uint32_t size)
{
	size_t from = (size_t)(offset + PB_BPF_STACK);
	const struct pb_bpf_slot *slot = &state->slot[from / 8];

	if (size == 8 && from % 8 == 0 && slot->val.type != PB_BPF_NOTHING)
		return slot->val;
	return pb_bpf_scalar();
}
