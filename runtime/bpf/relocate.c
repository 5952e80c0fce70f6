/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Resolves references to maps. libbpf does that only when it loads a program into the kernel.
 *
 * A program refers to a map by the map's symbol, and to a global variable by the variable's
 * symbol or by the section's symbol and an offset in the instruction.
 */
#include "relocate.h"

#include <errno.h>
#include <gelf.h>
#include <string.h>

#ifndef R_BPF_64_64
#define R_BPF_64_64 1
#endif

struct relocation {
	Elf *elf;
	size_t names; /* of sections */
	Elf_Data *symbols;
	GElf_Shdr symbol_header;
	GElf_Sym function;
	struct bpf_insn *insns;
	uint32_t nr_insns;
	const struct pb_bpf_resolver *resolver;
	const char *reason, *symbol;
};

static int find_symbols(struct relocation *r)
{
	Elf_Scn *section = NULL;

	if (elf_getshdrstrndx(r->elf, &r->names))
		return -EINVAL;
	while ((section = elf_nextscn(r->elf, section))) {
		if (!gelf_getshdr(section, &r->symbol_header))
			return -EINVAL;
		if (r->symbol_header.sh_type != SHT_SYMTAB)
			continue;
		r->symbols = elf_getdata(section, NULL);
		return r->symbols ? 0 : -EINVAL;
	}
	return -EINVAL;
}

static const char *name_of(const struct relocation *r, const GElf_Sym *symbol)
{
	const char *name = elf_strptr(r->elf, r->symbol_header.sh_link,
				      symbol->st_name);

	return name ? name : "";
}

static int find_function(struct relocation *r, const char *name)
{
	for (int i = 0; gelf_getsym(r->symbols, i, &r->function); i++)
		if (GELF_ST_TYPE(r->function.st_info) == STT_FUNC &&
		    !strcmp(name_of(r, &r->function), name))
			return 0;
	return -EINVAL;
}

static const char *section_of(const struct relocation *r,
			      const GElf_Sym *symbol)
{
	Elf_Scn *section = elf_getscn(r->elf, symbol->st_shndx);
	const char *name = NULL;
	GElf_Shdr header;

	if (section && gelf_getshdr(section, &header))
		name = elf_strptr(r->elf, r->names, header.sh_name);
	return name ? name : "";
}

static int refer_to(struct relocation *r, struct bpf_insn *insn,
		    const GElf_Sym *symbol)
{
	const char *section = section_of(r, symbol);
	int is_map = !strcmp(section, ".maps");
	int64_t map = r->resolver->find(r->resolver->arg,
					is_map ? name_of(r, symbol) : section);

	if (map < 0) {
		r->symbol = name_of(r, symbol);
		r->reason = "neither a map nor a global variable of the "
			    "object";
		return -EINVAL;
	}
	insn[0].src_reg = is_map ? BPF_PSEUDO_MAP_IDX :
				   BPF_PSEUDO_MAP_IDX_VALUE;
	insn[1].imm = is_map ? 0 :
			       (int32_t)(symbol->st_value +
					 (uint32_t)insn[0].imm);
	insn[0].imm = (int32_t)map;
	return 0;
}

/* Apply a relocation. Skips relocations of calls: the verifier refuses such calls. */
static int relocate(struct relocation *r, const GElf_Rel *rel)
{
	uint64_t index = (rel->r_offset - r->function.st_value) /
			 sizeof(*r->insns);
	GElf_Sym symbol;

	if (rel->r_offset < r->function.st_value || index >= r->nr_insns ||
	    GELF_R_TYPE(rel->r_info) != R_BPF_64_64)
		return 0;
	if (index + 1 >= r->nr_insns ||
	    r->insns[index].code != (BPF_LD | BPF_IMM | BPF_DW) ||
	    !gelf_getsym(r->symbols, (int)GELF_R_SYM(rel->r_info), &symbol))
		return -EINVAL;
	return refer_to(r, &r->insns[index], &symbol);
}

static int relocate_section(struct relocation *r, Elf_Scn *section)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Rel rel;

	for (int i = 0; data && gelf_getrel(data, i, &rel); i++) {
		int error = relocate(r, &rel);

		if (error)
			return error;
	}
	return data ? 0 : -EINVAL;
}

static int relocate_function(struct relocation *r, const char *name)
{
	Elf_Scn *section = NULL;
	int error = find_symbols(r);

	if (!error)
		error = find_function(r, name);
	while (!error && (section = elf_nextscn(r->elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) &&
		    header.sh_type == SHT_REL &&
		    header.sh_info == r->function.st_shndx)
			error = relocate_section(r, section);
	}
	return error;
}

int pb_bpf_relocate(const void *bytes, size_t size, const char *name,
		    struct bpf_insn *insns, uint32_t nr_insns,
		    const struct pb_bpf_resolver *resolver,
		    const char **reason, char **symbol)
{
	struct relocation r = {
		.insns = insns,
		.nr_insns = nr_insns,
		.resolver = resolver,
		.reason = "a damaged ELF object",
	};
	int error;

	elf_version(EV_CURRENT);
	/* libelf only reads the bytes, although its parameter is not const. */
	r.elf = elf_memory((char *)(uintptr_t)bytes, size);
	error = r.elf ? relocate_function(&r, name) : -EINVAL;
	*reason = r.reason;
	*symbol = r.symbol ? strdup(r.symbol) : NULL;
	elf_end(r.elf);
	return error;
}
