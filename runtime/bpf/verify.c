/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "verify.h"
#include "context.h"
#include "flow.h"
#include "helpers.h"
#include "state.h"

#include <errno.h>
#include <stdlib.h>

/* Far less than what would overflow an offset; far more than any memory has. */
#define OFFSET_MAX ((int64_t)1 << 31)

/*
 * The engine's verifier follows each way through the program on its own, so the
 * ways must not be too many; the kernel has the same limit.
 */
#define VISITS_MAX 1000000

struct verifier {
	const struct pb_bpf_code *code;
	struct pb_bpf_uses *uses;
	struct pb_bpf_state *before; /* of each instruction */
	uint32_t ways[PB_BPF_INSNS_MAX]; /* to each instruction */
	uint32_t nr_visits;
	struct pb_bpf_state now;
	uint32_t index;
};

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

static const struct patchbay_bpf_map *map_of(const struct verifier *v,
				       const struct pb_bpf_val *val)
{
	return v->code->maps[val->of];
}

static const char *check_defined(const struct pb_bpf_val *val)
{
	return val->type == PB_BPF_NOTHING ?
		       "a register without a value, or with one that depends "
		       "on the way here" :
		       NULL;
}

/* Memory */

static const char *check_within(int64_t from, uint32_t size, int64_t end,
				const char *wrong)
{
	return from < 0 || from + size > end ? wrong : NULL;
}

static const char *check_context(struct verifier *v, int64_t from,
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

/* @size bytes at @val and @offset are there, whatever is in them. */
static const char *check_memory(struct verifier *v,
				const struct pb_bpf_val *val, int64_t offset,
				uint32_t size)
{
	int64_t from = val->num + offset;

	switch (val->type) {
	case PB_BPF_FRAME:
		return check_within(from + PB_BPF_STACK, size, PB_BPF_STACK,
				    "an access outside of the stack, which has "
				    "512 bytes");
	case PB_BPF_VALUE:
		return check_within(from, size, map_of(v, val)->value_size,
				    "an access outside of a map's value");
	case PB_BPF_RECORD:
		return check_within(from, size, val->of,
				    "an access outside of a record");
	case PB_BPF_VALUE_OR_NULL:
	case PB_BPF_RECORD_OR_NULL:
		return "an access to what may be NULL: compare it with NULL "
		       "before";
	case PB_BPF_NOTHING:
		return check_defined(val);
	default:
		return "an access to what is no address of the program's "
		       "memory: bpf_probe_read_user() reads other memory";
	}
}

static const char *check_read(struct verifier *v, const struct pb_bpf_val *val,
			      int64_t offset, uint32_t size)
{
	const char *wrong;

	if (val->type == PB_BPF_CONTEXT)
		return check_context(v, val->num + offset, size);
	wrong = check_memory(v, val, offset, size);
	if (!wrong && val->type == PB_BPF_FRAME &&
	    !pb_bpf_stack_is_written(&v->now, val->num + offset, size))
		return "a read of what was not written to the stack before";
	return wrong;
}

static const char *check_write(struct verifier *v,
			       const struct pb_bpf_val *val, int64_t offset,
			       uint32_t size, const struct pb_bpf_val *what)
{
	const char *wrong;

	if (val->type == PB_BPF_CONTEXT)
		return "a write to the context";
	wrong = check_memory(v, val, offset, size);
	if (wrong)
		return wrong;
	if (val->type == PB_BPF_VALUE && map_of(v, val)->read_only)
		return "a write to a constant";
	if (val->type == PB_BPF_FRAME)
		pb_bpf_stack_write(&v->now, val->num + offset, size, what);
	return NULL;
}

static const char *load(struct verifier *v, const struct bpf_insn *insn)
{
	const struct pb_bpf_val from = v->now.reg[insn->src_reg];
	uint32_t size = size_of(insn);
	const char *wrong = check_read(v, &from, insn->off, size);

	if (wrong)
		return wrong;
	v->now.reg[insn->dst_reg] =
		from.type == PB_BPF_FRAME ?
			pb_bpf_stack_read(&v->now, from.num + insn->off, size) :
			pb_bpf_scalar();
	return NULL;
}

static const char *store(struct verifier *v, const struct bpf_insn *insn)
{
	const struct pb_bpf_val *to = &v->now.reg[insn->dst_reg];
	struct pb_bpf_val what = { .type = PB_BPF_CONSTANT, .num = insn->imm };

	if (BPF_CLASS(insn->code) == BPF_STX) {
		const char *wrong = check_defined(&v->now.reg[insn->src_reg]);

		if (wrong)
			return wrong;
		what = v->now.reg[insn->src_reg];
	}
	return check_write(v, to, insn->off, size_of(insn), &what);
}

/* The stack lies at a multiple of 8, and so do values and records. */
static const char *atomic(struct verifier *v, const struct bpf_insn *insn)
{
	const struct pb_bpf_val to = v->now.reg[insn->dst_reg];
	const struct pb_bpf_val scalar = pb_bpf_scalar();
	uint32_t size = size_of(insn);
	const char *wrong;

	if (insn->imm != BPF_ADD || size < 4)
		return "an atomic operation that is no addition without result: "
		       "compile with -mcpu=v2, which has no other";
	if ((to.num + insn->off) % size)
		return "an atomic operation that is not aligned";
	if (!pb_bpf_is_number(&v->now.reg[insn->src_reg]))
		return "an atomic addition of what is no number";
	wrong = check_read(v, &to, insn->off, size);
	return wrong ? wrong : check_write(v, &to, insn->off, size, &scalar);
}

/* Arithmetic */

static const char *move(struct pb_bpf_val *to, const struct pb_bpf_val *from,
			int is_32)
{
	const char *wrong = check_defined(from);

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
static const char *check_divisor(const struct verifier *v,
				 const struct pb_bpf_val *by)
{
	if (!v->now.record || (by->type == PB_BPF_CONSTANT && by->num))
		return NULL;
	return "a division by what may be 0 while a record is reserved: divide "
	       "before, or by a constant";
}

static const char *arithmetic(struct verifier *v, const struct bpf_insn *insn)
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
	wrong = check_defined(to);
	if (!wrong)
		wrong = check_defined(&by);
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

static const char *wide(struct verifier *v, const struct bpf_insn *insn)
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

/* Calls */

/*
 * @map:  NULL, or the argument that is one
 * @size: what PB_BPF_ARG_SIZE was, the last time
 */
struct call {
	const struct pb_bpf_helper *helper;
	const struct pb_bpf_val *map;
	uint32_t size;
};

static const char *check_map(const struct verifier *v,
			     const struct pb_bpf_val *arg,
			     enum pb_bpf_arg expected)
{
	int is_ring = expected == PB_BPF_ARG_RING;

	if (arg->type != PB_BPF_MAP)
		return "an argument that is no map";
	if (is_ring != (map_of(v, arg)->kind == PB_BPF_RINGBUF))
		return is_ring ? "a map that is no ring buffer" :
				 "a ring buffer, which has no keys";
	return expected == PB_BPF_ARG_WRITABLE && map_of(v, arg)->read_only ?
		       "a write to a constant" :
		       NULL;
}

static const char *find_size(const struct verifier *v, struct call *call,
			     unsigned int n)
{
	const struct pb_bpf_val *arg = &v->now.reg[1 + n];

	if (arg->type != PB_BPF_CONSTANT || arg->num <= 0 ||
	    arg->num > INT32_MAX)
		return "a size that is not a constant above 0";
	call->size = (uint32_t)arg->num;
	return NULL;
}

static const char *check_out(struct verifier *v, const struct pb_bpf_val *arg,
			     uint32_t size)
{
	const struct pb_bpf_val scalar = pb_bpf_scalar();

	return check_write(v, arg, 0, size, &scalar);
}

static const char *check_record(const struct verifier *v,
				const struct pb_bpf_val *arg)
{
	if (arg->type != PB_BPF_RECORD || arg->num ||
	    arg->call + 1 != v->now.record)
		return "an argument that is no record, or may be NULL";
	return NULL;
}

static const char *check_arg(struct verifier *v, struct call *call,
			     unsigned int n)
{
	const struct pb_bpf_val *arg = &v->now.reg[1 + n];
	enum pb_bpf_arg expected = call->helper->args[n];
	const char *wrong = check_defined(arg);

	if (wrong)
		return wrong;
	switch (expected) {
	case PB_BPF_ARG_CONTEXT:
		return arg->type == PB_BPF_CONTEXT && !arg->num ?
			       NULL :
			       "an argument that is not the context";
	case PB_BPF_ARG_TABLE:
	case PB_BPF_ARG_WRITABLE:
	case PB_BPF_ARG_RING:
		call->map = arg;
		return check_map(v, arg, expected);
	case PB_BPF_ARG_KEY:
		return check_read(v, arg, 0, map_of(v, call->map)->key_size);
	case PB_BPF_ARG_VALUE:
		return check_read(v, arg, 0, map_of(v, call->map)->value_size);
	case PB_BPF_ARG_IN:
	case PB_BPF_ARG_OUT:
		wrong = find_size(v, call, n + 1);
		if (wrong)
			return wrong;
		return expected == PB_BPF_ARG_IN ?
			       check_read(v, arg, 0, call->size) :
			       check_out(v, arg, call->size);
	case PB_BPF_ARG_OUT_WORD:
		return check_out(v, arg, 8);
	case PB_BPF_ARG_SIZE:
		return find_size(v, call, n);
	case PB_BPF_ARG_RECORD:
		return check_record(v, arg);
	default:
		return pb_bpf_is_number(arg) ? NULL :
					       "an argument that is no number";
	}
}

static const char *check_args(struct verifier *v, struct call *call)
{
	for (unsigned int n = 0; n < PB_BPF_HELPER_ARGS &&
				 call->helper->args[n] != PB_BPF_ARG_NONE;
	     n++) {
		const char *wrong = check_arg(v, call, n);

		if (wrong)
			return wrong;
	}
	return NULL;
}

static struct pb_bpf_val result_of(struct verifier *v, const struct call *call)
{
	switch (call->helper->result) {
	case PB_BPF_GIVES_VALUE:
		return (struct pb_bpf_val){ .type = PB_BPF_VALUE_OR_NULL,
					    .of = call->map->of,
					    .call = v->index };
	case PB_BPF_GIVES_RECORD:
		v->now.record = v->index + 1;
		return (struct pb_bpf_val){ .type = PB_BPF_RECORD_OR_NULL,
					    .of = call->size,
					    .call = v->index };
	default:
		return pb_bpf_scalar();
	}
}

static const char *call(struct verifier *v, const struct bpf_insn *insn)
{
	struct call call = { .helper = NULL };
	struct pb_bpf_val result;
	const char *wrong;

	if (insn->src_reg)
		return "a call of a function of the program's: declare it "
		       "static __always_inline";
	call.helper = pb_bpf_find_helper((uint32_t)insn->imm);
	if (!call.helper)
		return "a call of a helper that there is not: "
		       "<patchbay/bpf.h> names those that there are";
	if (call.helper->result == PB_BPF_GIVES_RECORD && v->now.record)
		return "a second record is reserved before the first is "
		       "submitted";
	wrong = check_args(v, &call);
	if (wrong)
		return wrong;
	v->uses->flags |= call.helper->flags;
	result = result_of(v, &call);
	if (call.helper->args[0] == PB_BPF_ARG_RECORD)
		pb_bpf_state_release(&v->now);
	for (unsigned int n = 1; n <= PB_BPF_HELPER_ARGS; n++)
		v->now.reg[n] = (struct pb_bpf_val){ .type = PB_BPF_NOTHING };
	v->now.reg[0] = result;
	return NULL;
}

static const char *check_exit(const struct verifier *v)
{
	if (!pb_bpf_is_number(&v->now.reg[0]))
		return "the program returns what is no number";
	if (v->now.record)
		return "the program ends and has not submitted a record";
	return NULL;
}

static const char *jump(struct verifier *v, const struct bpf_insn *insn)
{
	const char *wrong;

	switch (insn->code) {
	case BPF_JMP | BPF_JA:
		return NULL;
	case BPF_JMP | BPF_EXIT:
		return check_exit(v);
	case BPF_JMP | BPF_CALL:
		return call(v, insn);
	}
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
		wrong = check_defined(&v->now.reg[insn->dst_reg]);
		if (!wrong && BPF_SRC(insn->code) == BPF_X)
			wrong = check_defined(&v->now.reg[insn->src_reg]);
		if (!wrong && insn->code == (BPF_JMP | BPF_JSET | BPF_K))
			/* Of a small one the engine's compiler drops 3 bytes. */
			return "a jump by the bits of a constant, which the "
			       "virtual machine cannot do: compile with "
			       "-mcpu=v2";
		return wrong;
	default:
		return "an unknown instruction";
	}
}

static const char *carry_out(struct verifier *v, const struct bpf_insn *insn)
{
	if (insn->dst_reg > 10 || insn->src_reg > 10)
		return "an unknown register";
	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		return arithmetic(v, insn);
	case BPF_LD:
		if (insn->code == (BPF_LD | BPF_IMM | BPF_DW))
			return insn->dst_reg == 10 ?
				       "a write to the frame pointer" :
				       wide(v, insn);
		return "an access to packets, of which there are none";
	case BPF_LDX:
		if (BPF_MODE(insn->code) != BPF_MEM)
			break;
		return insn->dst_reg == 10 ? "a write to the frame pointer" :
					     load(v, insn);
	case BPF_STX:
		if (BPF_MODE(insn->code) == BPF_ATOMIC)
			return atomic(v, insn);
		/* fallthrough */
	case BPF_ST:
		if (BPF_MODE(insn->code) != BPF_MEM)
			break;
		return store(v, insn);
	case BPF_JMP:
		return jump(v, insn);
	case BPF_JMP32:
		return "a jump that compares 32 bits: compile with -mcpu=v2";
	}
	return "an instruction that is not supported: compile with -mcpu=v2";
}

/* Flow */

/* Of a comparison with NULL: the call whose result it was, or -1. */
static int64_t compared_with_null(const struct verifier *v,
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

static const char *lead_to(struct verifier *v, int64_t next,
			   const struct pb_bpf_state *state)
{
	uint32_t before = v->ways[next];

	/* Neither has exceeded VISITS_MAX, so the sum fits. */
	v->ways[next] += v->ways[v->index];
	if (!before) {
		v->before[next] = *state;
		return NULL;
	}
	return pb_bpf_state_merge(&v->before[next], state) ?
		       NULL :
		       "a record is submitted on one way here and not on "
		       "another";
}

static const char *go_on(struct verifier *v, const struct bpf_insn *insn)
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

static const char *pass(struct verifier *v, const uint16_t *order, uint32_t nr)
{
	v->ways[0] = 1;
	pb_bpf_state_init(&v->before[0]);
	for (uint32_t i = 0; i < nr; i++) {
		const struct bpf_insn *insn;
		const char *wrong;

		v->index = order[i];
		v->nr_visits += v->ways[v->index];
		if (v->nr_visits > VISITS_MAX)
			return "too many ways lead here: of all together more "
			       "than 1000000 instructions would have to be "
			       "looked at";
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

static const char *verify(struct verifier *v)
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
	struct verifier v = { .code = code, .uses = uses };

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
