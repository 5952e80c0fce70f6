// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attaches BPF programs that need direct calls to the system call getsid(), one program
// of each type. The fentry and fexit programs count calls and sum up results; the LSM
// program forbids the call. Prints a line for each program.
#include "bpf.h"

enum { CALLS = 1000 };

struct kind {
	const char *name;
	enum bpf_prog_type type;
	enum bpf_attach_type attach;
	const char *function;
	int result; // index of the function's result in the program's context
	int returns; // the program's return value
};

static const struct kind kinds[] = {
	{ "fentry", BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY,
	  SYSCALL, -1, 0 },
	{ "fexit", BPF_PROG_TYPE_TRACING, BPF_TRACE_FEXIT,
	  SYSCALL, 1, 0 },
	{ "lsm", BPF_PROG_TYPE_LSM, BPF_LSM_MAC, "bpf_lsm_task_getsid", -1,
	  -EPERM },
};

// An array of one element with two counters: calls, and the sum of their results.
static int make_map(void)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = 4,
		.value_size = 16,
		.max_entries = 1,
	};

	return bpf(BPF_MAP_CREATE, &attr);
}

static unsigned long long counter(int map, int index)
{
	unsigned long long values[2] = {};
	int key = 0;
	union bpf_attr attr = {
		.map_fd = map,
		.key = (unsigned long)&key,
		.value = (unsigned long)values,
	};

	bpf(BPF_MAP_LOOKUP_ELEM, &attr);
	return values[index];
}

static int load(const struct kind *kind, int function, int map)
{
	static char log[65536];
	struct bpf_insn insns[] = {
		// r2 = the counters; lock r2[0] += 1
		INSN(BPF_LD | BPF_DW | BPF_IMM, 2, BPF_PSEUDO_MAP_VALUE, 0, map),
		INSN(0, 0, 0, 0, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 3, 0, 0, 1),
		INSN(BPF_STX | BPF_DW | BPF_ATOMIC, 2, 3, 0, BPF_ADD),
		// lock r2[1] += ctx[result], or 0 if there is none
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 3, 0, 0, 0),
		kind->result < 0
			? (struct bpf_insn)INSN(BPF_JMP | BPF_JA, 0, 0, 0, 0)
			: (struct bpf_insn)INSN(BPF_LDX | BPF_DW | BPF_MEM, 3, 1,
						kind->result * 8, 0),
		INSN(BPF_STX | BPF_DW | BPF_ATOMIC, 2, 3, 8, BPF_ADD),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, kind->returns),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	union bpf_attr attr = {
		.prog_type = kind->type,
		.expected_attach_type = kind->attach,
		.attach_btf_id = function,
		.insns = (unsigned long)insns,
		.insn_cnt = sizeof(insns) / sizeof(*insns),
		.license = (unsigned long)"GPL",
		.log_buf = (unsigned long)log,
		.log_size = sizeof(log),
		.log_level = 1,
	};
	int program = bpf(BPF_PROG_LOAD, &attr);

	if (program < 0)
		printf("%s: cannot load: error %d: %s\n", kind->name, errno, log);
	return program;
}

static void try(const void *btf, const struct kind *kind)
{
	int map = make_map(), function = find_function(btf, kind->function);
	int program = load(kind, function, map), link, denied = 0, after;
	union bpf_attr attr = { .raw_tracepoint.prog_fd = program };

	if (program < 0)
		return;
	link = bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
	if (link < 0) {
		printf("%s: cannot attach: error %d\n", kind->name, errno);
		return;
	}
	for (int i = 0; i < CALLS; i++)
		denied += getsid(getpid()) < 0 && errno == EPERM;
	printf("%s: attached: %llu calls, result %llu of %d, %d denied\n",
	       kind->name, counter(map, 0), counter(map, 1) / CALLS,
	       kind->result < 0 ? 0 : getpid(), denied);
	close(link);
	close(program);
	after = counter(map, 0);
	for (int i = 0; i < CALLS; i++)
		getsid(getpid());
	printf("%s: detached: %llu calls\n", kind->name,
	       counter(map, 0) - after);
}

int main(void)
{
	const void *btf = read_btf();

	setvbuf(stdout, NULL, _IONBF, 0);
	setsid(); // so that getsid() returns the PID
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		try(btf, &kinds[i]);
	return 0;
}
