// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attaches one BPF program to 1, 100, 1000 and all functions of the kernel with one link,
// and counts calls. Prints a line for each. An argument makes it print the cost of a call:
// "call" without programs ("name" prints the called function), another one with programs.
#include "multi.h"

#include <sys/resource.h>
#include <time.h>

enum {
	ROUNDS = 20,
	LOOP = 100,
	LINKS = 1000,
	BRANCH = 128 << 20, // the reach of a branch on arm64; less on other architectures
};

// Call each known function a different number of times.
static void call_known(void)
{
	for (int i = 0; i < KNOWN; i++)
		for (int calls = 0; calls < 10 * (i + 1); calls++)
			syscall(known[i].number, 0);
}

// Returns the number of functions whose calls were not counted exactly.
static unsigned int wrong(const unsigned long long *before, const unsigned long long *after,
			  unsigned int attached, unsigned int times)
{
	unsigned int bad = 0;

	for (unsigned int i = 0; i < KNOWN; i++)
		bad += after[i] - before[i] != (i < attached ? 10 * (i + 1) * times : 0);
	return bad;
}

static unsigned long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ull + time.tv_nsec;
}

static void count(const struct kind *kind, unsigned int many)
{
	unsigned long long a[SLOTS] = {}, b[SLOTS] = {}, c[SLOTS] = {};
	int map = make_map(), program = load_counting(kind->attach, map), link;

	if (program < 0)
		return;
	link = link_multi(kind->attach, program, 0, many);
	if (link < 0) {
		printf("%s: %u: cannot attach: error %d\n", kind->name, many, errno);
		close(program);
		close(map);
		return;
	}
	read_counters(map, a);
	call_known();
	read_counters(map, b);
	close(link);
	read_counters(map, c);
	call_known();
	printf("%s: %u: %u wrong", kind->name, many, wrong(a, b, many, kind->times));
	read_counters(map, a);
	printf(", detached: %u wrong\n", wrong(c, a, 0, 0));
	close(program);
	close(map);
}

// Attach a second program to functions that have the first one.
static void count_two(void)
{
	unsigned long long a[SLOTS] = {}, b[SLOTS] = {}, c[SLOTS] = {}, d[SLOTS] = {};
	int maps[2] = { make_map(), make_map() }, programs[2], links[2];

	for (int i = 0; i < 2; i++)
		programs[i] = load_counting(kinds[i].attach, maps[i]);
	links[0] = link_multi(kinds[0].attach, programs[0], 0, 100);
	links[1] = link_multi(kinds[1].attach, programs[1], 0, 4);
	call_known();
	read_counters(maps[0], a);
	read_counters(maps[1], b);
	printf("two programs: %d wrong", links[0] < 0 || links[1] < 0 ? -1 :
	       (int)(wrong(c, a, 100, 1) + wrong(c, b, 4, 1)));
	close(links[0]);
	read_counters(maps[0], a);
	call_known();
	read_counters(maps[0], c);
	read_counters(maps[1], d);
	printf(", one left: %u wrong\n", wrong(a, c, 0, 0) + wrong(b, d, 4, 1));
	close(links[1]);
	for (int i = 0; i < 2; i++) {
		close(programs[i]);
		close(maps[i]);
	}
}

static unsigned int traced(void)
{
	FILE *file = fopen("/sys/kernel/tracing/trace", "r");
	char line[512];
	unsigned int lines = 0;

	while (file && fgets(line, sizeof(line), file))
		lines += !!strstr(line, ": " PREFIX "getppid <-");
	if (file)
		fclose(file);
	return lines;
}

// Does the function's ftrace handler save all registers although no tracer needs them?
// A direct call must not request that: the handler of a single tracer does not save all
// registers, so the direct call would be skipped while a second tracer is being added.
static int saves_registers(const char *function)
{
	FILE *file = fopen("/sys/kernel/tracing/enabled_functions", "r");
	char line[512], name[128], flag[2];
	int saves = 0;

	while (file && fgets(line, sizeof(line), file))
		saves |= sscanf(line, "%127s (%*d) %1s", name, flag) == 2 &&
			 !strcmp(name, function) && *flag == 'R';
	if (file)
		fclose(file);
	return saves;
}

// Count while ftrace's own tracer is added and removed.
static void count_traced(void)
{
	unsigned long long a[SLOTS] = {}, b[SLOTS] = {}, zero[SLOTS] = {};
	int map = make_map(), program = load_counting(BPF_TRACE_FENTRY_MULTI, map);
	int link = link_multi(BPF_TRACE_FENTRY_MULTI, program, 0, 100);
	int set = write_file("/sys/kernel/tracing/set_ftrace_filter", PREFIX "getppid") &&
		  write_file("/sys/kernel/tracing/trace", " ") &&
		  write_file("/sys/kernel/tracing/current_tracer", "function");

	call_known();
	read_counters(map, a);
	printf("beside ftrace: %d wrong, %u traced%s", link < 0 || !set ? -1 :
	       (int)wrong(zero, a, 100, 1), traced(),
	       saves_registers(PREFIX "getppid") ? ", with all registers" : "");
	write_file("/sys/kernel/tracing/current_tracer", "nop");
	call_known();
	read_counters(map, b);
	printf(", without: %u wrong\n", wrong(a, b, 100, 1));
	write_file("/sys/kernel/tracing/set_ftrace_filter", " ");
	close(link);
	close(program);
	close(map);
}

// Test fmod_ret, whose programs may skip the function and return another value.
// Mainline has no fmod_ret programs on many functions.
static void modify(void)
{
	static const struct kind kind = { "fmod_ret.multi", BPF_TRACE_FSESSION_MULTI + 1, 1 };
	unsigned int skipped = 0, called = 0, other = KNOWN;
	int program, link;

	if (!MODIFY) {
		printf("fmod_ret.multi: not in this kernel\n");
		return;
	}
	count(&kind, KNOWN);
	program = load_returning(kind.attach, 0, -EXDEV);
	link = link_multi(kind.attach, program, 0, KNOWN);
	for (int i = 0; i < KNOWN; i++)
		skipped += syscall(known[i].number, 0) == -1 && errno == EXDEV;
	close(link);
	for (int i = 0; i < KNOWN; i++)
		called += syscall(known[i].number, 0) != -1;
	printf("fmod_ret.multi: %u skipped, then %u called\n", skipped, called);
	// Find a function whose result must not be modified.
	while (other + 1 < functions && strcmp(name_of(types[ids[other]]), "wake_up_process"))
		other++;
	link = link_multi(kind.attach, program, other, 1);
	printf("fmod_ret.multi: %s: error %d\n", name_of(types[ids[other]]), link < 0 ? errno : 0);
	close(link);
	close(program);
}

static unsigned long long cost(void)
{
	unsigned long long best = -1ull;

	for (int round = 0; round < ROUNDS; round++) {
		unsigned long long began = now(), took;

		for (int i = 0; i < LOOP; i++)
			syscall(SYS_getppid);
		took = now() - began;
		if (took < best)
			best = took;
	}
	return best;
}

// Wait until detached programs are freed. Freeing takes time and memory, and meanwhile
// a reader of the symbol list may miss symbols.
static void settle(void)
{
	sleep(10);
}

// Print how many of a function's trampolines a branch from the kernel cannot reach, and
// how many it can. Calls of the former go through ftrace_caller(). The lower half of the
// number in a trampoline's name, except for its highest bit, is the function's type.
static void print_reach(unsigned int function)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	unsigned long long at, kernel = 0, key;
	unsigned int far = 0, near = 0;
	char line[512], name[256];

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%llx %*c %255s", &at, name) != 2)
			continue;
		if (!strcmp(name, "_text"))
			kernel = at;
		if (sscanf(name, "bpf_trampoline_%llu", &key) != 1 ||
		    (key & 0x7fffffff) != function)
			continue;
		if (llabs((long long)(at - kernel)) > BRANCH)
			far++;
		else
			near++;
	}
	if (file)
		fclose(file);
	printf(" (%u far, %u near)", far, near);
}

// Return the first function that no system call calls. Types are sorted by name, so the
// functions from there on have names with "net", "o" and "p". Some earlier functions are
// called in each system call: on riscv a hundred times if masked interrupts are traced.
static unsigned int first_not_called(void)
{
	for (unsigned int i = KNOWN; i + LINKS <= functions; i++)
		if (strcmp(name_of(types[ids[i]]), "net") >= 0)
			return i;
	return functions - LINKS;
}

// Print the cost of a call, in instructions if the guest's clock counts these: without a
// program, with a link to this function, and with one link to this function and others.
static void costs(const char *beside)
{
	unsigned int at = 2; // getppid
	unsigned int first = first_not_called();
	int program, link;

	settle();
	printf("cost: %s: none %llu", beside, cost());
	program = load_empty(BPF_TRACE_FENTRY, ids[at]);
	link = link_single(program);
	print_reach(ids[at]);
	printf(", fentry %llu", link < 0 ? 0 : cost());
	close(link);
	close(program);
	program = load_empty(BPF_TRACE_FENTRY_MULTI, 0);
	ids[first] = ids[at];
	for (unsigned int count = 1; count <= LINKS; count *= LINKS) {
		link = link_multi(BPF_TRACE_FENTRY_MULTI, program, first, count);
		printf(", fentry.multi of %u %llu", count, link < 0 ? 0 : cost());
		close(link);
	}
	close(program);
	printf("\n");
}

// Print the cost for each type of program, on one function.
static void costs_of_kinds(void)
{
	unsigned long long none = cost();

	printf("kinds: none %llu", none);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds) + MODIFY; i++) {
		// The types are numbered in the order of kinds.
		enum bpf_attach_type attach = kinds[0].attach + i;
		int program = load_empty(attach, 0), link = link_multi(attach, program, 2, 1);

		printf(", %llu", link < 0 ? 0 : cost());
		close(link);
		close(program);
	}
	printf("\n");
}

// Print the times to attach one link to many functions, and many links to one function each.
static void attach_times(void)
{
	static int programs[LINKS], links[LINKS];
	unsigned long long times[4], began;
	int program, link, failed = 0;

	program = load_empty(BPF_TRACE_FENTRY_MULTI, 0);
	began = now();
	link = link_multi(BPF_TRACE_FENTRY_MULTI, program, KNOWN, LINKS);
	times[0] = now() - began;
	if (link < 0) {
		printf("attach: error %d\n", errno);
		return;
	}
	began = now();
	close(link);
	times[1] = now() - began;
	close(program);

	for (int i = 0; i < LINKS; i++)
		programs[i] = load_empty(BPF_TRACE_FENTRY, ids[KNOWN + i]);
	began = now();
	for (int i = 0; i < LINKS; i++) {
		links[i] = link_single(programs[i]);
		failed += links[i] < 0;
	}
	times[2] = now() - began;
	began = now();
	for (int i = 0; i < LINKS; i++)
		close(links[i]);
	times[3] = now() - began;
	for (int i = 0; i < LINKS; i++)
		close(programs[i]);
	printf("attach: %d functions: one link %llu ns, detach %llu ns;"
	       " %d links %llu ns, detach %llu ns; %d failed\n",
	       LINKS, times[0], times[1], LINKS, times[2], times[3], failed);
}

static const struct btf_type *find_struct(const char *name)
{
	for (unsigned int id = 1; id < type_count; id++)
		if (BTF_INFO_KIND(types[id]->info) == BTF_KIND_STRUCT &&
		    !strcmp(name_of(types[id]), name))
			return types[id];
	return NULL;
}

// Print the size in bytes of an ftrace record, and of the part that a direct call reads.
static void record_size(void)
{
	const struct btf_type *record = find_struct("dyn_ftrace");
	const struct btf_type *arch = find_struct("dyn_arch_ftrace");
	const struct btf_member *members = (const void *)(arch + 1);
	unsigned int ours = 0;

	for (unsigned int i = 0; arch && i < BTF_INFO_VLEN(arch->info); i++) {
		const char *name = text_at(members[i].name_off);

		if (!strcmp(name, "func") || !strcmp(name, "direct_call"))
			ours += 8;
	}
	printf("record: %u bytes, %u for direct calls\n", record ? record->size : 0, ours);
}

// Returns a figure of /proc/meminfo in bytes, exact enough for large allocations.
static long long used(const char *what)
{
	FILE *file = fopen("/proc/meminfo", "r");
	long long kilobytes = 0, sum = 0;
	char line[128], name[64];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%63[^:]: %lld", name, &kilobytes) == 2 && !strcmp(name, what))
			sum = kilobytes * 1024;
	if (file)
		fclose(file);
	return sum;
}

// Print the memory of one link per function. Trampolines use pages that exist already.
static void attach_memory(unsigned int many)
{
	int program = load_empty(BPF_TRACE_FENTRY_MULTI, 0);
	long long slab = used("Slab");
	int link = link_multi(BPF_TRACE_FENTRY_MULTI, program, 0, many);

	if (link >= 0)
		printf("memory: %u functions: %lld bytes of objects each\n", many,
		       (used("Slab") - slab) / many);
	close(link);
	close(program);
}

int main(int argc, char **argv)
{
	const struct rlimit files = { 4 * LINKS, 4 * LINKS };

	setvbuf(stdout, NULL, _IONBF, 0);
	if (argc > 1 && !strcmp(argv[1], "name")) {
		printf("%s\n", PREFIX "getppid");
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "call")) {
		printf("%llu\n", cost());
		return 0;
	}
	setrlimit(RLIMIT_NOFILE, &files);
	write_file("/proc/sys/net/core/bpf_jit_kallsyms", "1");
	btf = read_btf();
	index_types();
	find_functions();
	if (argc > 1) {
		costs(argv[1]);
		return 0;
	}
	printf("functions: %u\n", functions);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		count(&kinds[i], 1);
		count(&kinds[i], 100);
		count(&kinds[i], 1000);
		count(&kinds[i], functions);
	}
	count_two();
	count_traced();
	modify();
	settle();
	costs_of_kinds();
	attach_times();
	settle();
	attach_memory(functions);
	record_size();
	return 0;
}
