/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What is known of registers and stack before an instruction, whichever way led
 * there. It is a lattice of little height: what two ways disagree about is
 * PB_BPF_NOTHING, which no instruction may use.
 */
#ifndef PB_BPF_STATE_H
#define PB_BPF_STATE_H

#include "map.h"

#define PB_BPF_STACK 512
#define PB_BPF_SLOTS (PB_BPF_STACK / 8)

/*
 * @PB_BPF_NOTHING:  never written, or something on one way and another on another
 * @PB_BPF_SCALAR:   a number
 * @PB_BPF_CONSTANT: the number @num
 * @PB_BPF_CONTEXT:  the context
 * @PB_BPF_FRAME:    an address in the stack; @num is 0 at its end
 * @PB_BPF_MAP:      map @of
 * @PB_BPF_VALUE:    the address of a value of map @of, and @num bytes
 * @PB_BPF_RECORD:   the address of a record of @of bytes, and @num bytes
 * @PB_BPF_VALUE_OR_NULL, @PB_BPF_RECORD_OR_NULL: as a helper returned it
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
 * @call: of records, and of values that may be NULL: the instruction that
 *        returned it. There are no loops, so each is carried out once
 */
struct pb_bpf_val {
	enum pb_bpf_type type;
	uint32_t of;
	uint32_t call;
	int64_t num;
};

/*
 * Eight bytes of the stack.
 * @val:     what was stored there as a whole; PB_BPF_NOTHING: bytes
 * @written: a bit for each byte
 */
struct pb_bpf_slot {
	struct pb_bpf_val val;
	uint8_t written;
};

/* @record: the call that reserved a record which is not submitted yet, plus 1 */
struct pb_bpf_state {
	struct pb_bpf_val reg[11];
	struct pb_bpf_slot slot[PB_BPF_SLOTS];
	uint32_t record;
};

/* As a program begins. */
void pb_bpf_state_init(struct pb_bpf_state *state);

/*
 * Forget in @to what is not so in @from. 0: a record is reserved in one of them
 * and not in the other.
 */
int pb_bpf_state_merge(struct pb_bpf_state *to,
		       const struct pb_bpf_state *from);

/* What the call @call returned is NULL, or is not. */
void pb_bpf_state_null(struct pb_bpf_state *state, uint32_t call, int is_null);

/* The record is submitted: nobody may know its address any more. */
void pb_bpf_state_release(struct pb_bpf_state *state);

/* Bytes of the stack, @offset (below 0) from its end. */
void pb_bpf_stack_write(struct pb_bpf_state *state, int64_t offset,
			uint32_t size, const struct pb_bpf_val *val);
int pb_bpf_stack_is_written(const struct pb_bpf_state *state, int64_t offset,
			    uint32_t size);

/* What a load of these bytes, which are written, gives. */
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

#endif /* PB_BPF_STATE_H */
