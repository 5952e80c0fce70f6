/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads an object with libbpf, including the BTF that defines maps. Uses no function of
 * libbpf that needs the kernel's BPF.
 */
#include "object.h"
#include "relocate.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static __thread const struct patchbay_bpf_opts *opts_of_thread;

/* Pass libbpf's warnings to the log, without their prefix and newline. */
static int log_warning(enum libbpf_print_level level, const char *format, va_list args)
{
	char text[256];
	char *from = text;

	if (level != LIBBPF_WARN || !opts_of_thread)
		return 0;
	vsnprintf(text, sizeof(text), format, args);
	text[strcspn(text, "\n")] = '\0';
	if (!strncmp(from, "libbpf: ", 8))
		from += 8;
	pb_bpf_log(opts_of_thread, NULL, -EINVAL, from);
	return 0;
}

static struct bpf_object *open_object(const void *bytes, size_t size,
				      const struct patchbay_bpf_opts *opts)
{
	LIBBPF_OPTS(bpf_object_open_opts, open_opts, .object_name = "patchbay");
	struct bpf_object *bpf;
	libbpf_print_fn_t before;

	opts_of_thread = opts;
	before = libbpf_set_print(log_warning);
	bpf = bpf_object__open_mem(bytes, size, &open_opts);
	libbpf_set_print(before);
	opts_of_thread = NULL;
	return bpf;
}

static int kind_of(const struct bpf_map *from, enum pb_bpf_map_kind *kind)
{
	switch (bpf_map__type(from)) {
	case BPF_MAP_TYPE_ARRAY:
		*kind = PB_BPF_ARRAY;
		return 0;
	case BPF_MAP_TYPE_HASH:
		*kind = PB_BPF_HASH;
		return 0;
	case BPF_MAP_TYPE_RINGBUF:
		*kind = PB_BPF_RINGBUF;
		return 0;
	default:
		return -ENOTSUP;
	}
}

/* Skips the name of the object, which libbpf puts before the name of a section's map. */
static const char *map_name(const struct bpf_map *from)
{
	const char *name = bpf_map__name(from);
	const char *dot = strchr(name, '.');

	return bpf_map__is_internal(from) && dot ? dot : name;
}

static int make_map(struct patchbay_bpf_map *map, struct bpf_map *from)
{
	const void *initial;
	size_t size;
	int error = kind_of(from, &map->kind);

	if (error)
		return error;
	snprintf(map->name, sizeof(map->name), "%s", map_name(from));
	map->key_size = bpf_map__key_size(from);
	map->value_size = bpf_map__value_size(from);
	map->max_entries = bpf_map__max_entries(from);
	map->read_only = !!(bpf_map__map_flags(from) & BPF_F_RDONLY_PROG);
	error = pb_bpf_map_init(map);
	if (error)
		return error;
	initial = bpf_map__initial_value(from, &size);
	if (initial && map->kind == PB_BPF_ARRAY)
		memcpy(map->data, initial,
		       size < map->data_size ? size : map->data_size);
	return 0;
}

static const char *why_no_map(int error)
{
	switch (error) {
	case -ENOTSUP:
		return "unsupported map type: use BPF_MAP_TYPE_ARRAY, "
		       "BPF_MAP_TYPE_HASH or BPF_MAP_TYPE_RINGBUF";
	case -EINVAL:
		return "invalid map size: array keys have 4 bytes, ring "
		       "buffers a power of two, at least 4096";
	default:
		return "no memory for a map";
	}
}

static int read_maps(struct patchbay_bpf_object *object, struct bpf_object *bpf,
		     const struct patchbay_bpf_opts *opts)
{
	struct bpf_map *from;
	uint32_t nr = 0;

	bpf_object__for_each_map(from, bpf)
		nr++;
	object->maps = calloc(nr + 1, sizeof(*object->maps));
	if (!object->maps)
		return -ENOMEM;
	bpf_object__for_each_map(from, bpf) {
		struct patchbay_bpf_map *map = calloc(1, sizeof(*map));
		int error;

		if (!map)
			return -ENOMEM;
		object->maps[object->nr_maps++] = map;
		error = make_map(map, from);
		if (error)
			return pb_bpf_log(opts, map_name(from), error,
					  why_no_map(error));
	}
	return 0;
}

static int64_t find_map(void *arg, const char *name)
{
	const struct patchbay_bpf_object *object = arg;

	for (uint32_t i = 0; i < object->nr_maps; i++)
		if (!strcmp(object->maps[i]->name, name))
			return i;
	return -1;
}

static int verify(struct patchbay_bpf_program *program,
		  const struct pb_bpf_code *code,
		  const struct patchbay_bpf_opts *opts)
{
	const char *reason = "more than 4096 instructions, or none";
	char text[192];
	uint32_t index;
	int error = pb_bpf_verify(code, &program->uses, &index, &reason);

	if (error == -EACCES) {
		const struct bpf_insn *insn = &code->insns[index];
		char helper[24] = "";

		/* Print the number in <linux/bpf.h>, because the name may be unknown here. */
		if (insn->code == (BPF_JMP | BPF_CALL) && !insn->src_reg)
			snprintf(helper, sizeof(helper), " (helper %d)",
				 insn->imm);
		snprintf(text, sizeof(text), "instruction %u: %s%s", index,
			 reason, helper);
		return pb_bpf_log(opts, program->name, error, text);
	}
	return error ? pb_bpf_log(opts, program->name, error,
				  error == -ENOMEM ? "no memory" : reason) :
		       0;
}

static int make_machine(struct patchbay_bpf_program *program,
			const struct patchbay_bpf_object *object,
			struct bpf_insn *insns, uint32_t nr_insns,
			const struct patchbay_bpf_opts *opts)
{
	const struct pb_bpf_code code = {
		.insns = insns,
		.nr_insns = nr_insns,
		.maps = object->maps,
		.nr_maps = object->nr_maps,
	};
	int error = verify(program, &code, opts);

	if (error)
		return error;
	error = pb_bpf_machine_load(&program->machine, &code);
	if (error)
		pb_bpf_log(opts, program->name, error,
			   "no memory for the program");
	return error;
}

static int read_program(struct patchbay_bpf_object *object,
			struct patchbay_bpf_program *program,
			const struct bpf_program *from, const void *bytes,
			size_t size, const struct patchbay_bpf_opts *opts)
{
	const struct pb_bpf_resolver resolver = { find_map, object };
	uint32_t nr_insns = (uint32_t)bpf_program__insn_cnt(from);
	struct bpf_insn *insns;
	const char *reason;
	char *symbol;
	int error;

	program->name = strdup(bpf_program__name(from));
	program->section = strdup(bpf_program__section_name(from));
	insns = malloc(nr_insns * sizeof(*insns));
	if (!program->name || !program->section || !insns) {
		free(insns);
		return -ENOMEM;
	}
	memcpy(insns, bpf_program__insns(from), nr_insns * sizeof(*insns));
	error = pb_bpf_parse_section(program);
	if (error)
		pb_bpf_log(opts, program->section, error,
			   "unknown section: use fentry, fexit or fmod_ret, "
			   "with /NAME or .multi/GLOB");
	if (!error) {
		error = pb_bpf_relocate(bytes, size, program->name, insns,
					nr_insns, &resolver, &reason, &symbol);
		if (error)
			pb_bpf_log(opts, symbol, error, reason);
		free(symbol);
	}
	if (!error)
		error = make_machine(program, object, insns, nr_insns, opts);
	free(insns);
	return error;
}

static int read_programs(struct patchbay_bpf_object *object,
			 struct bpf_object *bpf, const void *bytes, size_t size,
			 const struct patchbay_bpf_opts *opts)
{
	struct bpf_program *from;
	uint32_t nr = 0;

	bpf_object__for_each_program(from, bpf)
		nr++;
	if (!nr)
		return pb_bpf_log(opts, NULL, -ENOENT,
				  "the object contains no program");
	object->programs = calloc(nr, sizeof(*object->programs));
	if (!object->programs)
		return -ENOMEM;
	bpf_object__for_each_program(from, bpf) {
		int error = read_program(object,
					 &object->programs[object->nr_programs++],
					 from, bytes, size, opts);

		if (error)
			return error;
	}
	return 0;
}

int pb_bpf_read(struct patchbay_bpf_object *object, const void *bytes,
		size_t size, const struct patchbay_bpf_opts *opts)
{
	struct bpf_object *bpf = open_object(bytes, size, opts);
	int error;

	if (!bpf && errno == ENOMEM)
		return -ENOMEM;
	if (!bpf)
		return pb_bpf_log(opts, NULL, -EINVAL,
				  "no object that libbpf can read: compile it "
				  "with clang -target bpf -O2 -g");
	error = read_maps(object, bpf, opts);
	if (!error)
		error = read_programs(object, bpf, bytes, size, opts);
	bpf_object__close(bpf);
	return error;
}
