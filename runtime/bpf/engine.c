/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "engine.h"
#include "helpers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Store @address in the two instructions of a wide load. */
static void set_address(struct bpf_insn insn[2], const void *address)
{
	uint64_t value = (uintptr_t)address;

	insn[0].src_reg = 0;
	insn[0].imm = (int32_t)value;
	insn[1].imm = (int32_t)(value >> 32);
}

static void set_wide(struct bpf_insn insn[2], const struct pb_bpf_code *code)
{
	const struct patchbay_bpf_map *map;

	if (!insn->src_reg)
		return;
	map = code->maps[insn->imm];
	set_address(insn, insn->src_reg == BPF_PSEUDO_MAP_IDX ?
				  (const void *)map :
				  map->data + (uint32_t)insn[1].imm);
}

static void set_helper(struct bpf_insn *insn)
{
	insn->imm = (int32_t)(pb_bpf_find_helper((uint32_t)insn->imm) -
			      pb_bpf_helpers);
}

int pb_bpf_machine_load(struct pb_bpf_machine *machine,
			const struct pb_bpf_code *code)
{
	size_t size = code->nr_insns * sizeof(*machine->insns);
	struct bpf_insn *insns = malloc(size);

	if (!insns)
		return -ENOMEM;
	memcpy(insns, code->insns, size);
	for (uint32_t i = 0; i < code->nr_insns; i++) {
		if (insns[i].code == (BPF_LD | BPF_IMM | BPF_DW))
			set_wide(&insns[i++], code);
		else if (insns[i].code == (BPF_JMP | BPF_CALL))
			set_helper(&insns[i]);
	}
	machine->insns = insns;
	return 0;
}

void pb_bpf_machine_unload(struct pb_bpf_machine *machine)
{
	free(machine->insns);
	*machine = (struct pb_bpf_machine){ 0 };
}
