// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BPF programs that are attached to many functions by one link, and count the calls of
// some functions: system calls made by a test. A function's cookie, which is set when
// attaching, identifies the function.
#ifndef PATCHBAY_TEST_GUEST_MULTI_H
#define PATCHBAY_TEST_GUEST_MULTI_H

#include "bpf.h"

enum {
	KNOWN = 8, // system calls that no other process makes during a test
	SLOTS = 16, // counters of a program, a power of 2; the last is for other functions
};

#define CALL(name) { PREFIX #name, SYS_##name }

static const struct known {
	const char *function;
	int number;
} known[KNOWN] = {
	CALL(getsid), CALL(getpgid), CALL(getppid), CALL(getuid),
	CALL(geteuid), CALL(getgid), CALL(getegid), CALL(sched_get_priority_max),
};

// The functions to attach to: first the known ones, then others in the order of types.
static unsigned int *ids;
static unsigned long long *cookies;
static unsigned int functions;

static const void *btf;
static const struct btf_type **types;
static unsigned int type_count;

static const char *text_at(unsigned int offset)
{
	const struct btf_header *header = btf;

	return (const char *)btf + header->hdr_len + header->str_off + offset;
}

static const char *name_of(const struct btf_type *type)
{
	return text_at(type->name_off);
}

static inline void index_types(void)
{
	const struct btf_header *header = btf;
	const char *first = (const char *)btf + header->hdr_len + header->type_off;

	types = calloc(header->type_len / sizeof(**types) + 1, sizeof(*types));
	type_count = 1;
	for (size_t at = 0; at < header->type_len; type_count++) {
		types[type_count] = (const void *)(first + at);
		at += sizeof(**types) + tail(types[type_count]);
	}
}

// Returns the type without typedefs and qualifiers; NULL for void.
static const struct btf_type *resolve(unsigned int id)
{
	while (id) {
		switch (BTF_INFO_KIND(types[id]->info)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_CONST:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			id = types[id]->type;
			continue;
		}
		return types[id];
	}
	return NULL;
}

static int is_scalar(const struct btf_type *type)
{
	int kind = BTF_INFO_KIND(type->info);

	return kind == BTF_KIND_INT || kind == BTF_KIND_PTR ||
	       kind == BTF_KIND_ENUM || kind == BTF_KIND_ENUM64;
}

// Can BPF handle the parameters and the result of the function? Only some JIT compilers
// support structures in registers.
static int is_simple(const struct btf_type *function)
{
	const struct btf_type *proto = types[function->type], *result;
	const struct btf_param *params = (const void *)(proto + 1);
	unsigned int count = BTF_INFO_VLEN(proto->info);

	result = resolve(proto->type);
	if (count > 8 || (result && !is_scalar(result)))
		return 0;
	for (unsigned int i = 0; i < count; i++) {
		const struct btf_type *type = resolve(params[i].type);

		if (!type || !is_scalar(type))
			return 0;
	}
	return 1;
}

// Must a program not be attached, because trampolines call the function, or because it
// does not return? The kernel's own tests of BPF have the same list.
static int is_unsafe(const char *name)
{
	static const char *const names[] = {
		"arch_cpu_idle", "default_idle", "migrate_disable", "migrate_enable",
		"___migrate_enable", "preempt_count_add", "preempt_count_sub",
		"__rcu_read_lock", "__rcu_read_unlock", "bpf_get_numa_node_id",
		// These functions do not return.
		"do_exit", "do_group_exit", "kthread_complete_and_exit",
		"make_task_dead", "kthread_exit", "do_task_dead", "__module_put_and_kthread_exit",
		PREFIX "exit", PREFIX "exit_group",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return 1;
	// Also skip functions for BPF programs: their declared parameters are not the
	// real ones.
	return !strncmp(name, "rcu_", 4) || !strncmp(name, "bpf_", 4);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Reads kernel symbols from the lines of a file, by a format of scanf(), and sorts
// them. Omits ambiguous names, which occur twice.
static inline size_t read_names(const char *path, const char *format, char ***names)
{
	FILE *file = fopen(path, "r");
	char line[512], name[512];
	size_t count = 0, room = 0, kept = 0;

	*names = NULL;
	while (file && fgets(line, sizeof(line), file)) {
		if (strchr(line, '[') || sscanf(line, format, name) != 1)
			continue;
		if (count == room) {
			room = room ? 2 * room : 1024;
			*names = realloc(*names, room * sizeof(**names));
		}
		(*names)[count++] = strdup(name);
	}
	if (file)
		fclose(file);
	qsort(*names, count, sizeof(**names), by_name);
	for (size_t i = 0, same; i < count; i += same) {
		for (same = 1; i + same < count && !strcmp((*names)[i], (*names)[i + same]);)
			same++;
		if (same == 1)
			(*names)[kept++] = (*names)[i];
	}
	return kept;
}

static inline int known_index(const char *name)
{
	for (int i = 0; i < KNOWN; i++)
		if (!strcmp(known[i].function, name))
			return i;
	return -1;
}

static inline void find_functions(void)
{
	char **traceable, **symbols;
	size_t count = read_names("/sys/kernel/tracing/available_filter_functions", "%511s",
				  &traceable);
	size_t all = read_names("/proc/kallsyms", "%*s %*c %511s", &symbols);

	ids = calloc(type_count + KNOWN, sizeof(*ids));
	cookies = calloc(type_count + KNOWN, sizeof(*cookies));
	functions = KNOWN;
	for (unsigned int id = 1; id < type_count; id++) {
		const char *name;
		int at;

		if (BTF_INFO_KIND(types[id]->info) != BTF_KIND_FUNC)
			continue;
		name = name_of(types[id]);
		if (!bsearch(&name, traceable, count, sizeof(*traceable), by_name) ||
		    !bsearch(&name, symbols, all, sizeof(*symbols), by_name) ||
		    !is_simple(types[id]) || is_unsafe(name))
			continue;
		at = known_index(name);
		if (at < 0)
			at = functions++;
		ids[at] = id;
		cookies[at] = at < KNOWN ? at : SLOTS - 1;
	}
	for (int i = 0; i < KNOWN; i++)
		if (!ids[i]) {
			printf("no function %s\n", known[i].function);
			exit(1);
		}
}

static inline int make_map(void)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = 4,
		.value_size = SLOTS * 8,
		.max_entries = 1,
	};

	return bpf(BPF_MAP_CREATE, &attr);
}

static inline void read_counters(int map, unsigned long long *counters)
{
	int key = 0;
	union bpf_attr attr = {
		.map_fd = map,
		.key = (unsigned long)&key,
		.value = (unsigned long)counters,
	};

	bpf(BPF_MAP_LOOKUP_ELEM, &attr);
}

static int load(enum bpf_attach_type attach, unsigned int function,
		const struct bpf_insn *insns, size_t count)
{
	static char log[65536];
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_TRACING,
		.expected_attach_type = attach,
		.attach_btf_id = function,
		.insns = (unsigned long)insns,
		.insn_cnt = count,
		.license = (unsigned long)"GPL",
		.log_buf = (unsigned long)log,
		.log_size = sizeof(log),
		.log_level = 1,
	};
	int program = bpf(BPF_PROG_LOAD, &attr);

	if (program < 0)
		printf("multi: cannot load: error %d: %s\n", errno, log);
	return program;
}

// Loads a program that does counters[cookie]++ in this process
static inline int load_counting(enum bpf_attach_type attach, int map)
{
	const struct bpf_insn insns[] = {
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 6, 1, 0, 0),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_current_pid_tgid),
		INSN(BPF_ALU64 | BPF_RSH | BPF_K, 0, 0, 0, 32),
		INSN(BPF_JMP | BPF_JNE | BPF_K, 0, 0, 9, getpid()),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 1, 6, 0, 0),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_attach_cookie),
		INSN(BPF_ALU64 | BPF_AND | BPF_K, 0, 0, 0, SLOTS - 1),
		INSN(BPF_ALU64 | BPF_LSH | BPF_K, 0, 0, 0, 3),
		INSN(BPF_LD | BPF_DW | BPF_IMM, 2, BPF_PSEUDO_MAP_VALUE, 0, map),
		INSN(0, 0, 0, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_X, 2, 0, 0, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 3, 0, 0, 1),
		INSN(BPF_STX | BPF_DW | BPF_ATOMIC, 2, 3, 0, BPF_ADD),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};

	return load(attach, 0, insns, sizeof(insns) / sizeof(*insns));
}

static inline int link_multi(enum bpf_attach_type attach, int program, unsigned int first,
		      unsigned int count)
{
	union bpf_attr attr = {
		.link_create.prog_fd = program,
		.link_create.attach_type = attach,
		.link_create.tracing_multi.cnt = count,
	};
	unsigned int *some = malloc(count * sizeof(*some));
	unsigned long long *their = malloc(count * sizeof(*their));
	int link;

	// Pass a copy, because the kernel may sort the array.
	memcpy(some, ids + first, count * sizeof(*some));
	memcpy(their, cookies + first, count * sizeof(*their));
	attr.link_create.tracing_multi.ids = (unsigned long)some;
	attr.link_create.tracing_multi.cookies = (unsigned long)their;
	link = bpf(BPF_LINK_CREATE, &attr);
	free(some);
	free(their);
	return link;
}

static inline int link_single(int program)
{
	union bpf_attr attr = { .raw_tracepoint.prog_fd = program };

	return bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

// Write the whole text at once, because the kernel may read one word per write.
static inline int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC);
	ssize_t n;

	while (fd >= 0 && *text && (n = write(fd, text, strlen(text))) > 0)
		text += n;
	close(fd);
	return fd >= 0 && !*text;
}

static inline int load_returning(enum bpf_attach_type attach, unsigned int function, int result)
{
	const struct bpf_insn insns[] = {
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, result),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};

	return load(attach, function, insns, sizeof(insns) / sizeof(*insns));
}

static inline int load_empty(enum bpf_attach_type attach, unsigned int function)
{
	return load_returning(attach, function, 0);
}

struct kind {
	const char *name;
	enum bpf_attach_type attach;
	unsigned int times; // how often the program runs during a call
};

static const struct kind kinds[] = {
	{ "fentry.multi", BPF_TRACE_FENTRY_MULTI, 1 },
	{ "fexit.multi", BPF_TRACE_FEXIT_MULTI, 1 },
	{ "fsession.multi", BPF_TRACE_FSESSION_MULTI, 2 },
};

#endif
