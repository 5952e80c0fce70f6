/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "isa.h"
#include "verifier.h"

#include <errno.h>
#include <stdlib.h>

static const char *check_exit(const struct pb_bpf_verifier *v)
{
	if (!pb_bpf_is_number(&v->now.reg[0]))
		return "the program's result is not a number";
	if (v->now.record)
		return "the program ends before it submits its record";
	return NULL;
}

/* Check an operand of a comparison. Addresses may only be compared with all 64 bits. */
static const char *check_compared(const struct pb_bpf_val *val, int is_32)
{
	const char *wrong = pb_bpf_check_defined(val);

	if (wrong)
		return wrong;
	return is_32 && !pb_bpf_is_number(val) ? "half of an address" : NULL;
}

static const char *compare(const struct pb_bpf_verifier *v,
			   const struct bpf_insn *insn)
{
	int is_32 = BPF_CLASS(insn->code) == BPF_JMP32;
	const char *wrong;

	switch (BPF_OP(insn->code)) {
	case BPF_JEQ:
	case BPF_JNE:
	case BPF_JGT:
	case BPF_JGE:
	case BPF_JLT:
	case BPF_JLE:
	case BPF_JSGT:
	case BPF_JSGE:
	case BPF_JSLT:
	case BPF_JSLE:
	case BPF_JSET:
		wrong = check_compared(&v->now.reg[insn->dst_reg], is_32);
		if (!wrong && BPF_SRC(insn->code) == BPF_X)
			wrong = check_compared(&v->now.reg[insn->src_reg],
					       is_32);
		return wrong;
	default:
		return "an unknown instruction";
	}
}

static const char *jump(struct pb_bpf_verifier *v, const struct bpf_insn *insn)
{
	switch (insn->code) {
	case BPF_JMP | BPF_JA:
	case BPF_JMP32 | BPF_JA:
		return NULL;
	case BPF_JMP | BPF_EXIT:
		return check_exit(v);
	case BPF_JMP | BPF_CALL:
		return pb_bpf_verify_call(v, insn);
	default:
		return compare(v, insn);
	}
}

static int is_zero(const struct bpf_insn *insn, int dst, int src, int off,
		   int imm)
{
	return !(dst && insn->dst_reg) && !(src && insn->src_reg) &&
	       !(off && insn->off) && !(imm && insn->imm);
}

/* Unused fields must be 0, because future instructions may use them. */
static int has_reserved_fields_zero(const struct bpf_insn *insn)
{
	int by_register = BPF_SRC(insn->code) == BPF_X;
	int op = BPF_OP(insn->code);

	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		if (op == BPF_NEG || op == BPF_END)
			return is_zero(insn, 0, 1, 1, op == BPF_NEG);
		return is_zero(insn, 0, !by_register,
			       op != BPF_DIV && op != BPF_MOD && op != BPF_MOV,
			       by_register);
	case BPF_LDX:
		return is_zero(insn, 0, 0, 0, 1);
	case BPF_ST:
		return is_zero(insn, 0, 1, 0, 0);
	case BPF_STX: /* an atomic instruction has its operation in imm */
		return is_zero(insn, 0, 0, 0, BPF_MODE(insn->code) == BPF_MEM);
	case BPF_JMP:
	case BPF_JMP32:
		if (insn->code == (BPF_JMP | BPF_JA))
			return is_zero(insn, 1, 1, 0, 1);
		if (insn->code == (BPF_JMP32 | BPF_JA))
			return is_zero(insn, 1, 1, 1, 0);
		if (op == BPF_EXIT)
			return is_zero(insn, 1, 1, 1, 1);
		if (op == BPF_CALL) /* a call by register is an unknown instruction */
			return by_register || is_zero(insn, 1, 0, 1, 0);
		return is_zero(insn, 0, !by_register, 0, by_register);
	default:
		return 1;
	}
}

static const char *carry_out(struct pb_bpf_verifier *v,
			     const struct bpf_insn *insn)
{
	if (insn->dst_reg > 10 || insn->src_reg > 10)
		return "an unknown register";
	if (!has_reserved_fields_zero(insn))
		return "unused fields of the instruction are not 0";
	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		return pb_bpf_verify_arithmetic(v, insn);
	case BPF_LD:
		if (insn->code == (BPF_LD | BPF_IMM | BPF_DW))
			return insn->dst_reg == 10 ?
				       "a write to the frame pointer" :
				       pb_bpf_verify_wide(v, insn);
		return "access to packets, which do not exist here";
	case BPF_LDX:
		if (BPF_MODE(insn->code) != BPF_MEM &&
		    BPF_MODE(insn->code) != BPF_MEMSX)
			break;
		return insn->dst_reg == 10 ? "a write to the frame pointer" :
					     pb_bpf_verify_load(v, insn);
	case BPF_STX:
		if (BPF_MODE(insn->code) == BPF_ATOMIC)
			return pb_bpf_verify_atomic(v, insn);
		/* fallthrough */
	case BPF_ST:
		if (BPF_MODE(insn->code) != BPF_MEM)
			break;
		return pb_bpf_verify_store(v, insn);
	case BPF_JMP:
	case BPF_JMP32:
		return jump(v, insn);
	}
	return "unsupported instruction";
}

/* Returns the call whose result is compared with NULL, or -1. */
static int64_t compared_with_null(const struct pb_bpf_verifier *v,
				  const struct bpf_insn *insn)
{
	const struct pb_bpf_val *val = &v->now.reg[insn->dst_reg];

	if ((insn->code != (BPF_JMP | BPF_JEQ | BPF_K) &&
	     insn->code != (BPF_JMP | BPF_JNE | BPF_K)) ||
	    insn->imm ||
	    (val->type != PB_BPF_VALUE_OR_NULL &&
	     val->type != PB_BPF_RECORD_OR_NULL))
		return -1;
	return val->call;
}

static const char *lead_to(struct pb_bpf_verifier *v, int64_t next,
			   const struct pb_bpf_state *state)
{
	if (!v->is_led_to[next]) {
		v->is_led_to[next] = 1;
		v->before[next] = *state;
		return NULL;
	}
	return pb_bpf_state_merge(&v->before[next], state) ?
		       NULL :
		       "a record is submitted on one path to here, but not on another";
}

static const char *go_on(struct pb_bpf_verifier *v, const struct bpf_insn *insn)
{
	int64_t next[2];
	unsigned int nr = pb_bpf_next(v->code->insns, v->index, next);
	int64_t call = nr == 2 ? compared_with_null(v, insn) : -1;
	const char *wrong = NULL;

	for (unsigned int i = 0; i < nr && !wrong; i++) {
		struct pb_bpf_state state = v->now;

		if (call >= 0)
			pb_bpf_state_null(&state, (uint32_t)call,
					  (BPF_OP(insn->code) == BPF_JEQ) ==
						  (i == 0));
		wrong = lead_to(v, next[i], &state);
	}
	return wrong;
}

static const char *pass(struct pb_bpf_verifier *v, const uint16_t *order,
			uint32_t nr)
{
	pb_bpf_state_init(&v->before[0]);
	for (uint32_t i = 0; i < nr; i++) {
		const struct bpf_insn *insn;
		const char *wrong;

		v->index = order[i];
		v->now = v->before[v->index];
		insn = &v->code->insns[v->index];
		wrong = carry_out(v, insn);
		if (!wrong)
			wrong = go_on(v, insn);
		if (wrong)
			return wrong;
	}
	return NULL;
}

static const char *verify(struct pb_bpf_verifier *v)
{
	uint16_t order[PB_BPF_INSNS_MAX];
	uint32_t nr;
	const char *wrong = pb_bpf_order(v->code->insns, v->code->nr_insns,
					 order, &nr, &v->index);

	return wrong ? wrong : pass(v, order, nr);
}

int pb_bpf_verify(const struct pb_bpf_code *code, struct pb_bpf_uses *uses,
		  uint32_t *index, const char **reason)
{
	struct pb_bpf_verifier v = { .code = code, .uses = uses };

	*uses = (struct pb_bpf_uses){ 0 };
	if (!code->nr_insns || code->nr_insns > PB_BPF_INSNS_MAX)
		return -E2BIG;
	v.before = malloc(code->nr_insns * sizeof(*v.before));
	if (!v.before)
		return -ENOMEM;
	*reason = verify(&v);
	*index = v.index;
	free(v.before);
	return *reason ? -EACCES : 0;
}
