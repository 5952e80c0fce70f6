/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls of helpers: their arguments and results. */
#include "helpers.h"
#include "verifier.h"

/*
 * @map:  the argument that is a map, or NULL
 * @size: the last argument that is PB_BPF_ARG_SIZE
 */
struct call {
	const struct pb_bpf_helper *helper;
	const struct pb_bpf_val *map;
	uint32_t size;
};

static const char *check_map(const struct pb_bpf_verifier *v,
			     const struct pb_bpf_val *arg,
			     enum pb_bpf_arg expected)
{
	int is_ring = expected == PB_BPF_ARG_RING;

	if (arg->type != PB_BPF_MAP)
		return "the argument is not a map";
	if (is_ring != (pb_bpf_map_of(v, arg)->kind == PB_BPF_RINGBUF))
		return is_ring ? "the map is not a ring buffer" :
				 "the map is a ring buffer, which has no keys";
	return expected == PB_BPF_ARG_WRITABLE &&
			       pb_bpf_map_of(v, arg)->read_only ?
		       "a write to a constant" :
		       NULL;
}

static const char *find_size(const struct pb_bpf_verifier *v, struct call *call,
			     unsigned int n)
{
	const struct pb_bpf_val *arg = &v->now.reg[1 + n];

	if (arg->type != PB_BPF_CONSTANT || arg->num <= 0 ||
	    arg->num > INT32_MAX)
		return "the size is not a constant above 0";
	call->size = (uint32_t)arg->num;
	return NULL;
}

static const char *check_out(struct pb_bpf_verifier *v,
			     const struct pb_bpf_val *arg, uint32_t size)
{
	const struct pb_bpf_val scalar = pb_bpf_scalar();

	return pb_bpf_check_write(v, arg, 0, size, &scalar);
}

static const char *check_record(const struct pb_bpf_verifier *v,
				const struct pb_bpf_val *arg)
{
	if (arg->type != PB_BPF_RECORD || arg->num ||
	    arg->call + 1 != v->now.record)
		return "the argument is not a record, or may be NULL";
	return NULL;
}

static const char *check_arg(struct pb_bpf_verifier *v, struct call *call,
			     unsigned int n)
{
	const struct pb_bpf_val *arg = &v->now.reg[1 + n];
	enum pb_bpf_arg expected = call->helper->args[n];
	const char *wrong = pb_bpf_check_defined(arg);

	if (wrong)
		return wrong;
	switch (expected) {
	case PB_BPF_ARG_CONTEXT:
		return arg->type == PB_BPF_CONTEXT && !arg->num ?
			       NULL :
			       "the argument is not the context";
	case PB_BPF_ARG_TABLE:
	case PB_BPF_ARG_WRITABLE:
	case PB_BPF_ARG_RING:
		call->map = arg;
		return check_map(v, arg, expected);
	case PB_BPF_ARG_KEY:
		return pb_bpf_check_read(
			v, arg, 0, pb_bpf_map_of(v, call->map)->key_size);
	case PB_BPF_ARG_VALUE:
		return pb_bpf_check_read(
			v, arg, 0, pb_bpf_map_of(v, call->map)->value_size);
	case PB_BPF_ARG_IN:
	case PB_BPF_ARG_OUT:
		wrong = find_size(v, call, n + 1);
		if (wrong)
			return wrong;
		return expected == PB_BPF_ARG_IN ?
			       pb_bpf_check_read(v, arg, 0, call->size) :
			       check_out(v, arg, call->size);
	case PB_BPF_ARG_OUT_WORD:
		return check_out(v, arg, 8);
	case PB_BPF_ARG_SIZE:
		return find_size(v, call, n);
	case PB_BPF_ARG_RECORD:
		return check_record(v, arg);
	default:
		return pb_bpf_is_number(arg) ? NULL :
					       "an argument that is not a number";
	}
}

static const char *check_args(struct pb_bpf_verifier *v, struct call *call)
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

static struct pb_bpf_val result_of(struct pb_bpf_verifier *v,
				   const struct call *call)
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

const char *pb_bpf_verify_call(struct pb_bpf_verifier *v,
			       const struct bpf_insn *insn)
{
	struct call call = { .helper = NULL };
	struct pb_bpf_val result;
	const char *wrong;

	if (insn->src_reg)
		return "a call of another function: declare the callee static "
		       "__always_inline";
	call.helper = pb_bpf_find_helper((uint32_t)insn->imm);
	if (!call.helper)
		return "unknown helper: <patchbay/bpf.h> lists the supported "
		       "ones";
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
