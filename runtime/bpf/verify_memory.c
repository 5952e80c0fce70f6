/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads and writes of the verified program. */
#include "context.h"
#include "isa.h"
#include "verifier.h"

static uint32_t size_of(const struct bpf_insn *insn)
{
	switch (BPF_SIZE(insn->code)) {
	case BPF_B:
		return 1;
	case BPF_H:
		return 2;
	case BPF_W:
		return 4;
	default:
		return 8;
	}
}

static const char *check_within(int64_t from, uint32_t size, int64_t end,
				const char *wrong)
{
	return from < 0 || from + size > end ? wrong : NULL;
}

static const char *check_context(struct pb_bpf_verifier *v, int64_t from,
				 uint32_t size)
{
	unsigned int words = (unsigned int)(from / 8) + 1;

	if (from < 0 || from + size > 8 * PB_BPF_WORDS)
		return "the context is read outside of its words";
	if (from / 8 != (from + size - 1) / 8)
		return "the context is read across two words";
	if (v->uses->nr_words < words)
		v->uses->nr_words = words;
	return NULL;
}

/* Add to an address. For a number the sum has no meaning, and may wrap. */
static int64_t moved(const struct pb_bpf_val *val, int64_t offset)
{
	return (int64_t)((uint64_t)val->num + (uint64_t)offset);
}

/* Check that the program may access @size bytes at @val plus @offset, written or not. */
static const char *check_memory(struct pb_bpf_verifier *v,
				const struct pb_bpf_val *val, int64_t offset,
				uint32_t size)
{
	int64_t from = moved(val, offset);

	switch (val->type) {
	case PB_BPF_FRAME:
		return check_within(from + PB_BPF_STACK, size, PB_BPF_STACK,
				    "an access outside of the stack, which has "
				    "512 bytes");
	case PB_BPF_VALUE:
		return check_within(from, size,
				    pb_bpf_map_of(v, val)->value_size,
				    "an access outside of a map's value");
	case PB_BPF_RECORD:
		return check_within(from, size, val->of,
				    "an access outside of a record");
	case PB_BPF_VALUE_OR_NULL:
	case PB_BPF_RECORD_OR_NULL:
		return "access through a pointer that may be NULL: compare it "
		       "with NULL first";
	case PB_BPF_NOTHING:
		return pb_bpf_check_defined(val);
	default:
		return "access outside of the program's memory: "
		       "bpf_probe_read_user() reads other memory";
	}
}

const char *pb_bpf_check_read(struct pb_bpf_verifier *v,
			      const struct pb_bpf_val *val,
			      int64_t offset, uint32_t size)
{
	const char *wrong;

	if (val->type == PB_BPF_CONTEXT)
		return check_context(v, val->num + offset, size);
	wrong = check_memory(v, val, offset, size);
	if (!wrong && val->type == PB_BPF_FRAME &&
	    !pb_bpf_stack_is_written(&v->now, val->num + offset, size))
		return "a read of the stack before it was written";
	return wrong;
}

const char *pb_bpf_check_write(struct pb_bpf_verifier *v,
			       const struct pb_bpf_val *val, int64_t offset,
			       uint32_t size, const struct pb_bpf_val *what)
{
	const char *wrong;

	if (val->type == PB_BPF_CONTEXT)
		return "a write to the context";
	wrong = check_memory(v, val, offset, size);
	if (wrong)
		return wrong;
	if (val->type == PB_BPF_VALUE && pb_bpf_map_of(v, val)->read_only)
		return "a write to a constant";
	if (val->type == PB_BPF_FRAME)
		pb_bpf_stack_write(&v->now, val->num + offset, size, what);
	return NULL;
}

const char *pb_bpf_verify_load(struct pb_bpf_verifier *v,
			       const struct bpf_insn *insn)
{
	const struct pb_bpf_val from = v->now.reg[insn->src_reg];
	uint32_t size = size_of(insn);
	const char *wrong = pb_bpf_check_read(v, &from, insn->off, size);

	if (wrong)
		return wrong;
	if (BPF_MODE(insn->code) == BPF_MEMSX && size == 8)
		return "an unknown instruction";
	v->now.reg[insn->dst_reg] =
		from.type == PB_BPF_FRAME ?
			pb_bpf_stack_read(&v->now, from.num + insn->off, size) :
			pb_bpf_scalar();
	return NULL;
}

const char *pb_bpf_verify_store(struct pb_bpf_verifier *v,
				const struct bpf_insn *insn)
{
	const struct pb_bpf_val *to = &v->now.reg[insn->dst_reg];
	struct pb_bpf_val what = { .type = PB_BPF_CONSTANT, .num = insn->imm };

	if (BPF_CLASS(insn->code) == BPF_STX) {
		const char *wrong =
			pb_bpf_check_defined(&v->now.reg[insn->src_reg]);

		if (wrong)
			return wrong;
		what = v->now.reg[insn->src_reg];
	}
	return pb_bpf_check_write(v, to, insn->off, size_of(insn), &what);
}

static int is_known_atomic(int32_t op)
{
	switch (op) {
	case BPF_ADD:
	case BPF_OR:
	case BPF_AND:
	case BPF_XOR:
	case BPF_ADD | BPF_FETCH:
	case BPF_OR | BPF_FETCH:
	case BPF_AND | BPF_FETCH:
	case BPF_XOR | BPF_FETCH:
	case BPF_XCHG:
	case BPF_CMPXCHG:
		return 1;
	default:
		return 0;
	}
}

/* An atomic operation may load the old value into a register, as an unknown number. */
static void fetch(struct pb_bpf_verifier *v, const struct bpf_insn *insn)
{
	if (insn->imm == BPF_CMPXCHG)
		v->now.reg[0] = pb_bpf_scalar();
	else if (insn->imm & BPF_FETCH)
		v->now.reg[insn->src_reg] = pb_bpf_scalar();
}

/* The stack, values and records are aligned to 8 bytes: only the offset needs a check. */
const char *pb_bpf_verify_atomic(struct pb_bpf_verifier *v,
				 const struct bpf_insn *insn)
{
	const struct pb_bpf_val to = v->now.reg[insn->dst_reg];
	const struct pb_bpf_val scalar = pb_bpf_scalar();
	uint32_t size = size_of(insn);
	const char *wrong;

	if (!is_known_atomic(insn->imm) || size < 4)
		return "an unknown atomic operation";
	if (moved(&to, insn->off) % size)
		return "an atomic operation that is not aligned";
	if (!pb_bpf_is_number(&v->now.reg[insn->src_reg]) ||
	    (insn->imm == BPF_CMPXCHG && !pb_bpf_is_number(&v->now.reg[0])))
		return "an atomic operation on a value that is not a number";
	wrong = pb_bpf_check_read(v, &to, insn->off, size);
	if (!wrong)
		wrong = pb_bpf_check_write(v, &to, insn->off, size, &scalar);
	if (!wrong)
		fetch(v, insn);
	return wrong;
}
