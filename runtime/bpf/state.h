/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The verifier's knowledge of registers and stack before an instruction, valid for all paths
 * to the instruction. If two paths differ, the value is PB_BPF_NOTHING, which no instruction
 * may use.
 */
#pragma once

#include "map.h"

#define PB_BPF_STACK 512
#define PB_BPF_SLOTS (PB_BPF_STACK / 8)

/*
 * The types of values.
 * @PB_BPF_NOTHING:  never written, or different on two paths
 * @PB_BPF_SCALAR:   a number
 * @PB_BPF_CONSTANT: the number @num
 * @PB_BPF_CONTEXT:  the context
 * @PB_BPF_FRAME:    the address of the end of the stack, plus @num
 * @PB_BPF_MAP:      map @of
 * @PB_BPF_VALUE:    the address of a value of map @of, plus @num
 * @PB_BPF_RECORD:   the address of a record of @of bytes, plus @num
 * @PB_BPF_VALUE_OR_NULL, @PB_BPF_RECORD_OR_NULL: such an address or NULL: a helper's result
 *                   that has not been compared with NULL
 */
enum pb_bpf_type {
	PB_BPF_NOTHING,
	PB_BPF_SCALAR,
	PB_BPF_CONSTANT,
	PB_BPF_CONTEXT,
	PB_BPF_FRAME,
	PB_BPF_MAP,
	PB_BPF_VALUE,
	PB_BPF_RECORD,
	PB_BPF_VALUE_OR_NULL,
	PB_BPF_RECORD_OR_NULL,
};

/*
 * @call: for records, and for values that may be NULL: the call that returned the address.
 *        There are no loops, so each call runs at most once
 */
struct pb_bpf_val {
	enum pb_bpf_type type;
	uint32_t of;
	uint32_t call;
	int64_t num;
};

/*
 * Eight bytes of the stack.
 * @val:     the value, if one store has written all bytes; otherwise PB_BPF_NOTHING
 * @written: a bit for each byte that was written
 */
struct pb_bpf_slot {
	struct pb_bpf_val val;
	uint8_t written;
};

/* @record: the call that reserved a record, plus 1, until the record is submitted; or 0 */
struct pb_bpf_state {
	struct pb_bpf_val reg[11];
	struct pb_bpf_slot slot[PB_BPF_SLOTS];
	uint32_t record;
};

/* The state at the start of a program. */
void pb_bpf_state_init(struct pb_bpf_state *state);

/*
 * Reduce @to to the knowledge that also holds in @from. Returns 0 if only one of the two states
 * has a reserved record: that is a fault.
 */
int pb_bpf_state_merge(struct pb_bpf_state *to,
		       const struct pb_bpf_state *from);

/* Apply the knowledge that the result of call @call is NULL (@is_null), or is not. */
void pb_bpf_state_null(struct pb_bpf_state *state, uint32_t call, int is_null);

/* The record is submitted: remove its address everywhere. */
void pb_bpf_state_release(struct pb_bpf_state *state);

/* Write bytes of the stack. @offset is relative to the end of the stack, and negative. */
void pb_bpf_stack_write(struct pb_bpf_state *state, int64_t offset,
			uint32_t size, const struct pb_bpf_val *val);
int pb_bpf_stack_is_written(const struct pb_bpf_state *state, int64_t offset,
			    uint32_t size);

/* Returns the result of a load of @size bytes at @offset, which have been written. */
struct pb_bpf_val pb_bpf_stack_read(const struct pb_bpf_state *state,
				    int64_t offset, uint32_t size);

static inline int pb_bpf_is_number(const struct pb_bpf_val *val)
{
	return val->type == PB_BPF_SCALAR || val->type == PB_BPF_CONSTANT;
}

static inline struct pb_bpf_val pb_bpf_scalar(void)
{
	return (struct pb_bpf_val){ .type = PB_BPF_SCALAR };
}
