// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A BPF program is attached to a function that a livepatch replaces. Calls must go to the
// replacement, and be counted. "name" prints the function. "names" prints the functions that
// "several" replaces before it attaches a program to these and others.
#include "multi.h"

#include <string.h>

enum {
	CALLS = 10,
	ANSWER = 42, // result of the replacement in modules/replaced.c
	EUID = 4, EGID = 6, // indices of functions in NAMES
};

#define NAMES PREFIX "gete?id"

// Adds or removes redirections. Returns 0, or an error.
static int replace_by(unsigned int replacements)
{
	int fd = open("/sys/module/replaced/parameters/by", O_WRONLY);
	char digit = '0' + replacements;
	int error = write(fd, &digit, 1) == 1 ? 0 : errno;

	close(fd);
	return error;
}

// Returns the number of calls with a wrong result, plus those that were not counted exactly
// once.
static int wrong(int map, unsigned int times, long wanted)
{
	unsigned long long before[SLOTS] = {}, after[SLOTS] = {};
	int bad = 0;

	read_counters(map, before);
	for (int i = 0; i < CALLS; i++)
		bad += syscall(known[0].number, 0) != wanted;
	read_counters(map, after);
	return bad + (after[0] - before[0] != CALLS * times);
}

static void with_replacement(const struct kind *kind, int program_first, int traced)
{
	long real = syscall(known[0].number, 0);
	int map = make_map(), program = load_counting(kind->attach, map), link = -1;
	int bad = 0;

	// Wait until the old trampoline is freed, so that a new one must find the
	// replacements.
	sleep(5);
	if (traced)
		bad += !write_file("/sys/kernel/tracing/current_tracer", "function");
	if (!program_first)
		bad += replace_by(1);
	link = link_multi(kind->attach, program, 0, KNOWN);
	if (link < 0)
		printf("%s: cannot attach: error %d\n", kind->name, errno);
	bad += link < 0;
	if (program_first) {
		bad += wrong(map, kind->times, real);
		bad += replace_by(1);
	}
	printf("%s: %s first%s: %d wrong", kind->name,
	       program_first ? "program" : "replacement", traced ? ", traced" : "",
	       bad + wrong(map, kind->times, ANSWER));
	printf(", another: error %d", replace_by(3));
	printf(", replaced: %d wrong", wrong(map, kind->times, ANSWER));
	bad = replace_by(0);
	printf(", as it was: %d wrong", bad + wrong(map, kind->times, real));
	bad = replace_by(1);
	close(link);
	printf(", replacement alone: %d wrong", bad + wrong(map, 0, ANSWER));
	bad = replace_by(0);
	printf(", none: %d wrong\n", bad + wrong(map, 0, real));
	if (traced)
		write_file("/sys/kernel/tracing/current_tracer", "nop");
	close(program);
	close(map);
}

static void several(void)
{
	unsigned long long counters[SLOTS] = {};
	int map = make_map(), program = load_counting(kinds[1].attach, map), link;
	int bad = replace_by(1);

	link = link_multi(kinds[1].attach, program, 0, KNOWN);
	if (link < 0)
		printf("several: cannot attach: error %d\n", errno);
	for (int i = 0; i < CALLS; i++)
		bad += (syscall(known[EUID].number, 0) != ANSWER)
			+ (syscall(known[EGID].number, 0) != ANSWER);
	read_counters(map, counters);
	bad += (counters[EUID] != CALLS) + (counters[EGID] != CALLS);
	close(link);
	printf("several: %d wrong\n", bad + replace_by(0));
	close(program);
	close(map);
}

// The kernel must refuse to replace a function twice, and to replace a nonexistent one.
static void refusals(void)
{
	int program = load_empty(BPF_TRACE_FENTRY_MULTI, 0), link;
	unsigned int other = ids[1];

	ids[1] = ids[0];
	link = link_multi(BPF_TRACE_FENTRY_MULTI, program, 0, 2);
	printf("twice: error %d\n", link < 0 ? errno : 0);
	ids[1] = type_count + 1;
	link = link_multi(BPF_TRACE_FENTRY_MULTI, program, 0, 2);
	printf("no function: error %d\n", link < 0 ? errno : 0);
	ids[1] = other;
	close(program);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	setvbuf(stdout, NULL, _IONBF, 0);
	if (!strncmp(what, "name", 4)) {
		printf("%s\n", strcmp(what, "names") ? known[0].function : NAMES);
		return 0;
	}
	btf = read_btf();
	index_types();
	find_functions();
	if (*what) {
		several();
		return 0;
	}
	write_file("/sys/kernel/tracing/set_ftrace_filter", known[0].function);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		for (int order = 0; order < 4; order++)
			with_replacement(&kinds[i], order % 2, order / 2);
	write_file("/sys/kernel/tracing/set_ftrace_filter", " ");
	refusals();
	return 0;
}
