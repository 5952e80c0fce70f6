/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What becomes of numbers and addresses in registers. */
#include "verifier.h"

/* Far less than what would overflow an offset; far more than any memory has. */
#define OFFSET_MAX ((int64_t)1 << 31)

const char *pb_bpf_check_defined(const struct pb_bpf_val *val)
{
	return val->type == PB_BPF_NOTHING ?
		       "a register without a value, or with one that depends "
		       "on the way here" :
		       NULL;
}

static const char *move(struct pb_bpf_val *to, const struct pb_bpf_val *from,
			int is_32)
{
	const char *wrong = pb_bpf_check_defined(from);

	if (wrong)
		return wrong;
	if (is_32 && !pb_bpf_is_number(from))
		return "half of an address";
	*to = *from;
	if (is_32)
		to->num = (uint32_t)to->num;
	return NULL;
}

static const char *move_address(struct pb_bpf_val *to,
				const struct pb_bpf_val *by, int subtract,
				int is_32)
{
	if (to->type == PB_BPF_VALUE_OR_NULL ||
	    to->type == PB_BPF_RECORD_OR_NULL)
		return "arithmetic on what may be NULL: compare it with NULL "
		       "before";
	if (is_32 || (to->type != PB_BPF_FRAME && to->type != PB_BPF_VALUE &&
		      to->type != PB_BPF_RECORD && to->type != PB_BPF_CONTEXT))
		return "arithmetic on an address that cannot be moved";
	if (by->type != PB_BPF_CONSTANT)
		return "an address and an offset that is not known: use a map "
		       "with the offset as the key, or compare it with each "
		       "constant";
	if (by->num > OFFSET_MAX || by->num < -OFFSET_MAX)
		return "an address and an offset that is too large";
	to->num += subtract ? -by->num : by->num;
	if (to->num > OFFSET_MAX || to->num < -OFFSET_MAX)
		return "an address and an offset that is too large";
	return NULL;
}

/*
 * What the engine's compiler (of release 22.11, for x86-64) makes wrong code of:
 * a division of 32 bits by a register cuts the address in r0 in half; one by the
 * same register divides by what is in another, maybe 0; a shift by the same
 * register gives another number.
 */
static const char *check_by_register(const struct bpf_insn *insn, int is_32)
{
	int divides = BPF_OP(insn->code) == BPF_DIV ||
		      BPF_OP(insn->code) == BPF_MOD;

	if (divides && is_32)
		return "a division of 32 bits by a register, which the virtual "
		       "machine cannot do: compile with -mcpu=v2";
	return insn->dst_reg == insn->src_reg ?
		       "a division or shift of a register by itself, which the "
		       "virtual machine cannot do" :
		       NULL;
}

static const char *check_operation(const struct bpf_insn *insn, int is_32)
{
	int by_constant = BPF_SRC(insn->code) == BPF_K;

	if (insn->off)
		return "a signed division or move: compile with -mcpu=v2";
	switch (BPF_OP(insn->code)) {
	case BPF_DIV:
	case BPF_MOD:
		if (!by_constant)
			return check_by_register(insn, is_32);
		return insn->imm ? NULL : "a division by 0";
	case BPF_LSH:
	case BPF_RSH:
	case BPF_ARSH:
		if (!by_constant)
			return check_by_register(insn, is_32);
		return (uint32_t)insn->imm >= (is_32 ? 32 : 64) ?
			       "a shift by more bits than there are" :
			       NULL;
	case BPF_ADD:
	case BPF_SUB:
	case BPF_MUL:
	case BPF_OR:
	case BPF_AND:
	case BPF_NEG:
	case BPF_XOR:
	case BPF_MOV:
		return NULL;
	case BPF_END:
		if (is_32 && (insn->imm == 16 || insn->imm == 32 ||
			      insn->imm == 64))
			return NULL;
		return "an exchange of bytes that is not supported: compile "
		       "with -mcpu=v2";
	default:
		return "an unknown instruction";
	}
}

/* The engine ends a program that divides by 0: who would submit its record? */
static const char *check_divisor(const struct pb_bpf_verifier *v,
				 const struct pb_bpf_val *by)
{
	if (!v->now.record || (by->type == PB_BPF_CONSTANT && by->num))
		return NULL;
	return "a division by what may be 0 while a record is reserved: divide "
	       "before, or by a constant";
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
		return move(to, &by, is_32);
	wrong = pb_bpf_check_defined(to);
	if (!wrong)
		wrong = pb_bpf_check_defined(&by);
	if (!wrong && (op == BPF_DIV || op == BPF_MOD))
		wrong = check_divisor(v, &by);
	if (wrong)
		return wrong;
	if (!pb_bpf_is_number(&by))
		return "arithmetic with an address that is not the first "
		       "operand";
	if (!pb_bpf_is_number(to))
		return op == BPF_ADD || op == BPF_SUB ?
			       move_address(to, &by, op == BPF_SUB, is_32) :
			       "arithmetic on an address that is no addition";
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
		return "an address of a kind that is not supported";
	}
}
