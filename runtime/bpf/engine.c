/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the engine is told of the program has to satisfy its own verifier, which
 * knows less than ours does: that one has decided by now.
 */
#include "engine.h"
#include "context.h"
#include "helpers.h"

#include <errno.h>
#include <rte_bpf.h>
#include <rte_errno.h>
#include <rte_log.h>
#include <stdlib.h>
#include <string.h>

/* Whatever size a map's values and records have. */
#define LARGEST ((size_t)1 << 30)

/*
 * @insns:  as the engine takes them, behind stores to the stack
 * @symbols: helpers, by their place in the table, and addresses in values
 */
struct image {
	struct bpf_insn *insns;
	uint32_t nr_insns;
	struct rte_bpf_xsym *symbols;
	uint32_t nr_symbols;
};

_Static_assert(sizeof(struct bpf_insn) == sizeof(struct ebpf_insn),
	       "the engine's instructions are the kernel's");

static struct rte_bpf_arg describe_arg(enum pb_bpf_arg arg)
{
	if (arg == PB_BPF_ARG_OUT_WORD)
		return (struct rte_bpf_arg){ .type = RTE_BPF_ARG_PTR,
					     .size = 8 };
	return (struct rte_bpf_arg){ .type = RTE_BPF_ARG_RAW, .size = 8 };
}

static struct rte_bpf_xsym describe_helper(const struct pb_bpf_helper *helper)
{
	struct rte_bpf_xsym symbol = { .name = "helper",
				       .type = RTE_BPF_XTYPE_FUNC };

	symbol.func.val = helper->function;
	for (unsigned int n = 0; n < PB_BPF_HELPER_ARGS &&
				 helper->args[n] != PB_BPF_ARG_NONE;
	     n++)
		symbol.func.args[symbol.func.nb_args++] =
			describe_arg(helper->args[n]);
	symbol.func.ret = (struct rte_bpf_arg){ .type = RTE_BPF_ARG_RAW,
						.size = 8 };
	if (helper->result != PB_BPF_GIVES_NUMBER)
		symbol.func.ret = (struct rte_bpf_arg){ .type = RTE_BPF_ARG_PTR,
							.size = LARGEST };
	return symbol;
}

/* The first instruction of the two is complete with the address. */
static void set_address(struct bpf_insn insn[2], const void *address)
{
	uint64_t value = (uintptr_t)address;

	insn[0].src_reg = 0;
	insn[0].imm = (int32_t)value;
	insn[1].imm = (int32_t)(value >> 32);
}

static void put_wide(struct image *image, const struct pb_bpf_code *code,
		     struct bpf_insn insn[2])
{
	const struct patchbay_bpf_map *map;
	unsigned char *address;

	if (!insn->src_reg)
		return;
	map = code->maps[insn->imm];
	if (insn->src_reg == BPF_PSEUDO_MAP_IDX) {
		set_address(insn, map);
		return;
	}
	address = map->data + (uint32_t)insn[1].imm;
	set_address(insn, address);
	image->symbols[image->nr_symbols++] = (struct rte_bpf_xsym){
		.name = "value",
		.type = RTE_BPF_XTYPE_VAR,
		.var = { .val = address,
			 .desc = { .type = RTE_BPF_ARG_PTR, .size = LARGEST } },
	};
}

/*
 * The engine gives a program as much of a stack as it sees the program itself
 * use, and helpers write there, too: so all of it is used. It does not see
 * either what helpers write of which the size is an argument: where there are
 * any, all of the stack is written before.
 */
static void put_prologue(struct image *image, int all)
{
	struct bpf_insn store = { .code = BPF_ST | BPF_MEM | BPF_DW,
				  .dst_reg = 10,
				  .off = -512 };

	for (; store.off < 0; store.off += 8) {
		image->insns[image->nr_insns++] = store;
		if (!all)
			break;
	}
}

static int writes_by_size(const struct pb_bpf_helper *helper)
{
	return helper->args[0] == PB_BPF_ARG_OUT;
}

static int is_call(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL);
}

static void put_insns(struct image *image, const struct pb_bpf_code *code)
{
	struct bpf_insn *insns = image->insns + image->nr_insns;

	memcpy(insns, code->insns, code->nr_insns * sizeof(*insns));
	image->nr_insns += code->nr_insns;
	for (uint32_t i = 0; i < code->nr_insns; i++) {
		if (insns[i].code == (BPF_LD | BPF_IMM | BPF_DW))
			put_wide(image, code, &insns[i++]);
		else if (is_call(&insns[i]))
			insns[i].imm = (int32_t)(pb_bpf_find_helper(
							 (uint32_t)insns[i].imm) -
						 pb_bpf_helpers);
	}
}

static int make_image(struct image *image, const struct pb_bpf_code *code)
{
	int all = 0;

	for (uint32_t i = 0; i < code->nr_insns; i++)
		if (is_call(&code->insns[i]))
			all |= writes_by_size(pb_bpf_find_helper(
				(uint32_t)code->insns[i].imm));
	image->insns = malloc((code->nr_insns + 64) * sizeof(*image->insns));
	image->symbols = malloc((pb_bpf_nr_helpers + code->nr_insns) *
				sizeof(*image->symbols));
	if (!image->insns || !image->symbols)
		return -ENOMEM;
	for (size_t i = 0; i < pb_bpf_nr_helpers; i++)
		image->symbols[image->nr_symbols++] =
			describe_helper(&pb_bpf_helpers[i]);
	put_prologue(image, all);
	put_insns(image, code);
	return 0;
}

/*
 * It writes to stderr, which is not ours, what nobody asked for. Its interpreter
 * does so when a program divides by 0, wherever that runs: then it stays silent.
 */
static struct rte_bpf *load_silently(const struct rte_bpf_prm *prm,
				     struct rte_bpf_jit *jit)
{
	int type = rte_log_register("lib.bpf");
	int level = rte_log_get_level((uint32_t)type);
	struct rte_bpf *vm;

	rte_log_set_level((uint32_t)type, RTE_LOG_EMERG);
	vm = rte_bpf_load(prm);
	if (vm)
		rte_bpf_get_jit(vm, jit);
	if (!vm || jit->func)
		rte_log_set_level((uint32_t)type, (uint32_t)level);
	return vm;
}

int pb_bpf_machine_load(struct pb_bpf_machine *machine,
			const struct pb_bpf_code *code)
{
	struct image image = { 0 };
	struct rte_bpf_jit jit = { 0 };
	int error = make_image(&image, code);

	if (!error) {
		const struct rte_bpf_prm prm = {
			.ins = (const struct ebpf_insn *)image.insns,
			.nb_ins = image.nr_insns,
			.xsym = image.symbols,
			.nb_xsym = image.nr_symbols,
			.prog_arg = { .type = RTE_BPF_ARG_PTR,
				      .size = 8 * PB_BPF_WORDS },
		};

		machine->vm = load_silently(&prm, &jit);
		if (!machine->vm)
			error = rte_errno == ENOMEM ? -ENOMEM : -ENOTSUP;
	}
	free(image.insns);
	free(image.symbols);
	if (error)
		return error;
	machine->function = jit.func;
	machine->interpret = rte_bpf_exec;
	return 0;
}

void pb_bpf_machine_unload(struct pb_bpf_machine *machine)
{
	rte_bpf_destroy(machine->vm);
	*machine = (struct pb_bpf_machine){ 0 };
}
