/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arithmetic on numbers and addresses in registers. */
#include "verifier.h"

/* Small enough that offsets do not overflow; larger than any memory area. */
#define OFFSET_MAX ((int64_t)1 << 31)

const char *pb_bpf_check_defined(const struct pb_bpf_val *val)
{
	return val->type == PB_BPF_NOTHING ?
		       "a register without a value, or whose type depends on the path" :
		       NULL;
}

static const char *move(struct pb_bpf_val *to, const struct pb_bpf_val *from,
			int extends, int is_32)
{
	const char *wrong = pb_bpf_check_defined(from);

	if (wrong)
		return wrong;
	if ((is_32 || extends) && !pb_bpf_is_number(from))
		return "half of an address";
	*to = *from;
	if (extends)
		*to = pb_bpf_scalar();
	else if (is_32)
		to->num = (uint32_t)to->num;
	return NULL;
}

static const char *move_address(struct pb_bpf_val *to,
				const struct pb_bpf_val *by, int subtract,
				int is_32)
{
	if (to->type == PB_BPF_VALUE_OR_NULL ||
	    to->type == PB_BPF_RECORD_OR_NULL)
		return "arithmetic on a pointer that may be NULL: compare it "
		       "with NULL first";
	if (is_32 || (to->type != PB_BPF_FRAME && to->type != PB_BPF_VALUE &&
		      to->type != PB_BPF_RECORD && to->type != PB_BPF_CONTEXT))
		return "arithmetic on an address that cannot be moved";
	if (by->type != PB_BPF_CONSTANT)
		return "the offset from an address is not a constant: use a "
		       "map with the offset as the key, or compare it with "
		       "each constant";
	if (by->num > OFFSET_MAX || by->num < -OFFSET_MAX)
		return "the offset from an address is too large";
	to->num += subtract ? -by->num : by->num;
	if (to->num > OFFSET_MAX || to->num < -OFFSET_MAX)
		return "the offset from an address is too large";
	return NULL;
}

static const char *check_swap(const struct bpf_insn *insn, int is_32)
{
	/* The 64-bit instruction swaps bytes on all machines, and has one encoding only. */
	if (!is_32 && BPF_SRC(insn->code) != BPF_K)
		return "an unknown instruction";
	return insn->imm == 16 || insn->imm == 32 || insn->imm == 64 ?
		       NULL :
		       "a byte swap of other than 2, 4 or 8 bytes";
}

/* The instruction's offset has the width of the number to sign-extend. */
static const char *check_extension(const struct bpf_insn *insn, int is_32)
{
	if (BPF_SRC(insn->code) == BPF_X &&
	    (insn->off == 8 || insn->off == 16 || (!is_32 && insn->off == 32)))
		return NULL;
	return "a move with an unknown extension";
}

static const char *check_operation(const struct bpf_insn *insn, int is_32)
{
	int by_constant = BPF_SRC(insn->code) == BPF_K;

	switch (BPF_OP(insn->code)) {
	case BPF_DIV:
	case BPF_MOD:
		if (insn->off != 0 && insn->off != 1)
			return "a division that is neither signed nor unsigned";
		return by_constant && !insn->imm ? "a division by 0" : NULL;
	case BPF_MOV:
		return insn->off ? check_extension(insn, is_32) : NULL;
	case BPF_ARSH:
	case BPF_LSH:
	case BPF_RSH:
		return by_constant &&
				       (uint32_t)insn->imm >= (is_32 ? 32 : 64) ?
			       "a shift by at least the operand's width" :
			       NULL;
	case BPF_ADD:
	case BPF_SUB:
	case BPF_MUL:
	case BPF_OR:
	case BPF_AND:
	case BPF_XOR:
		return NULL;
	case BPF_NEG:
		return by_constant ? NULL : "an unknown instruction";
	case BPF_END:
		return check_swap(insn, is_32);
	default:
		return "an unknown instruction";
	}
}

const char *pb_bpf_verify_arithmetic(struct pb_bpf_verifier *v,
				     const struct bpf_insn *insn)
{
	int is_32 = BPF_CLASS(insn->code) == BPF_ALU;
	int op = BPF_OP(insn->code);
	struct pb_bpf_val *to = &v->now.reg[insn->dst_reg];
	struct pb_bpf_val by = { .type = PB_BPF_CONSTANT, .num = insn->imm };
	const char *wrong = check_operation(insn, is_32);

	if (wrong)
		return wrong;
	if (insn->dst_reg == 10)
		return "a write to the frame pointer";
	if (op == BPF_NEG || op == BPF_END)
		by = *to;
	else if (BPF_SRC(insn->code) == BPF_X)
		by = v->now.reg[insn->src_reg];
	if (op == BPF_MOV)
		return move(to, &by, insn->off, is_32);
	wrong = pb_bpf_check_defined(to);
	if (!wrong)
		wrong = pb_bpf_check_defined(&by);
	if (wrong)
		return wrong;
	if (!pb_bpf_is_number(&by))
		return "arithmetic with an address that is not the first "
		       "operand";
	if (!pb_bpf_is_number(to))
		return op == BPF_ADD || op == BPF_SUB ?
			       move_address(to, &by, op == BPF_SUB, is_32) :
			       "arithmetic on an address other than an addition";
	*to = pb_bpf_scalar();
	return NULL;
}

const char *pb_bpf_verify_wide(struct pb_bpf_verifier *v,
			       const struct bpf_insn *insn)
{
	struct pb_bpf_val *to = &v->now.reg[insn->dst_reg];
	uint32_t of = (uint32_t)insn[0].imm;

	if (v->index + 1 == v->code->nr_insns || insn[1].code ||
	    insn[1].dst_reg || insn[1].src_reg || insn[1].off || insn->off)
		return "half of an instruction";
	if (insn->src_reg && of >= v->code->nr_maps)
		return "an unknown map";
	switch (insn->src_reg) {
	case 0:
		*to = (struct pb_bpf_val){
			.type = PB_BPF_CONSTANT,
			.num = (int64_t)((uint64_t)(uint32_t)insn[1].imm << 32 |
					 of)
		};
		return NULL;
	case BPF_PSEUDO_MAP_IDX:
		*to = (struct pb_bpf_val){ .type = PB_BPF_MAP, .of = of };
		return NULL;
	case BPF_PSEUDO_MAP_IDX_VALUE:
		*to = (struct pb_bpf_val){ .type = PB_BPF_VALUE, .of = of,
					   .num = (uint32_t)insn[1].imm };
		return v->code->maps[of]->kind == PB_BPF_ARRAY ?
			       NULL :
			       "an address in a map that is no array";
	default:
		return "unsupported kind of address";
	}
}
