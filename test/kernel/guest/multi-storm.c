// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// multi-storm SECONDS [CALLERS]
//
// One thread makes system calls on its own CPU. A BPF program and a tracer of ftrace
// count all of these calls. On another CPU, more tracers are added to the same functions
// and removed. No call may be counted twice or missed. With several CALLERS the threads
// preempt each other wherever the kernel permits this, also inside the program. Then the
// kernel skips the program for other threads of that CPU, and counts the skipped calls.
#define _GNU_SOURCE
#include "multi.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>

enum {
	BPF = 5, // the BPF program counts this many functions, from the first on
	FTRACE = 3, // the tracer counts all functions from this one on
	TRACERS = 3, // the first one stays attached
	CALLERS = 4, // maximum
};

#define TRACING "/sys/kernel/tracing/instances/"

static const char *const tracers[TRACERS] = { "stays", "comes", "goes" };
static atomic_int state; // 1: continue, 2: end
static struct caller {
	pthread_t thread;
	atomic_int id;
	unsigned long long calls[KNOWN];
} callers[CALLERS];
static int caller_count = 1;

static int set(const char *tracer, const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), TRACING "%s/%s", tracer, file);
	return write_file(path, text);
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		printf("no CPU %d\n", cpu);
}

static void *call(void *argument)
{
	struct caller *caller = argument;

	pin(1);
	caller->id = syscall(SYS_gettid);
	while (!state)
		sched_yield();
	for (unsigned int i = 0; state < 2; i++) {
		syscall(known[i % KNOWN].number, 0);
		caller->calls[i % KNOWN]++;
	}
	return NULL;
}

static void start_callers(void)
{
	for (int i = 0; i < caller_count; i++) {
		pthread_create(&callers[i].thread, NULL, call, &callers[i]);
		while (!callers[i].id)
			sched_yield();
	}
}

static void join_callers(unsigned long long calls[KNOWN])
{
	for (int i = 0; i < caller_count; i++) {
		pthread_join(callers[i].thread, NULL);
		for (int j = 0; j < KNOWN; j++)
			calls[j] += callers[i].calls[j];
	}
}

// Returns the number of calls that a tracer has seen: in its buffer, and overwritten ones.
static unsigned long long entries(const char *tracer)
{
	unsigned long long sum = 0, some;
	char path[128], line[128];

	for (int cpu = 0; cpu < 2; cpu++) {
		FILE *file;

		snprintf(path, sizeof(path), TRACING "%s/per_cpu/cpu%d/stats", tracer, cpu);
		file = fopen(path, "r");
		while (file && fgets(line, sizeof(line), file))
			if (sscanf(line, "entries: %llu", &some) == 1 ||
			    sscanf(line, "overrun: %llu", &some) == 1)
				sum += some;
		if (file)
			fclose(file);
	}
	return sum;
}

// Create a tracer of @count functions, starting with @first, in the callers' threads.
static int prepare_tracer(const char *tracer, int first, int count)
{
	char path[128], text[512] = "";

	snprintf(path, sizeof(path), TRACING "%s", tracer);
	if (mkdir(path, 0700))
		return 0;
	for (int i = first; i < first + count; i++) {
		strcat(text, known[i].function);
		strcat(text, " ");
	}
	if (!set(tracer, "set_ftrace_filter", text))
		return 0;
	text[0] = 0;
	for (int i = 0; i < caller_count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%d ", callers[i].id);
	return set(tracer, "set_ftrace_pid", text);
}

// Makes the changes of a round. Returns how many of them the kernel refused.
static int trouble(unsigned int round, int other, int single)
{
	int refused = 0, link, link2;

	// Two links: one to many functions, and one to a single function.
	link = link_multi(kinds[1].attach, other, 0, 1 + round % KNOWN);
	link2 = link_single(single);
	refused += (link < 0) + (link2 < 0);
	// Another tracer on the functions of the link and of the permanent tracer.
	refused += !set(tracers[1], "current_tracer", "function");
	close(round % 2 ? link : link2);
	refused += !set(tracers[2], "current_tracer", "function");
	// A filter that is changed while its tracer is on.
	refused += !set(tracers[2], "set_ftrace_filter", known[round % KNOWN].function);
	refused += !set(tracers[1 + round % 2], "current_tracer", "nop");
	close(round % 2 ? link2 : link);
	refused += !set(tracers[2 - round % 2], "current_tracer", "nop");
	return refused;
}

// Returns how often the kernel skipped the program, as it was already running on the CPU.
static unsigned long long misses(int program)
{
	struct bpf_prog_info info = {};
	union bpf_attr attr = {
		.info = {
			.bpf_fd = program,
			.info_len = sizeof(info),
			.info = (unsigned long)&info,
		},
	};

	return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) ? 0 : info.recursion_misses;
}

int main(int argc, char **argv)
{
	unsigned long long counters[SLOTS] = {}, calls[KNOWN] = {};
	unsigned long long before, seen, traced = 0, all = 0, missing = 0, left_out;
	unsigned int rounds = 0, bad = 0, refused = 0;
	int map, program, other, other_map, single, link;
	time_t end;

	setvbuf(stdout, NULL, _IONBF, 0);
	pin(0);
	btf = read_btf();
	index_types();
	find_functions();
	map = make_map();
	other_map = make_map();
	program = load_counting(kinds[0].attach, map);
	other = load_counting(kinds[1].attach, other_map);
	single = load_empty(BPF_TRACE_FENTRY, ids[4]);
	if (argc > 2 && atoi(argv[2]) > 0 && atoi(argv[2]) <= CALLERS)
		caller_count = atoi(argv[2]);
	start_callers();
	refused += !prepare_tracer(tracers[0], FTRACE, KNOWN - FTRACE);
	refused += !prepare_tracer(tracers[1], FTRACE, 3);
	refused += !prepare_tracer(tracers[2], 0, KNOWN);
	refused += !set(tracers[0], "current_tracer", "function");
	link = link_multi(kinds[0].attach, program, 0, BPF);
	refused += link < 0;
	before = entries(tracers[0]);
	state = 1;
	// Start the clock here: on a busy host the preparations take longer than the storm.
	end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 10);
	while (time(NULL) < end)
		refused += trouble(rounds++, other, single);
	state = 2;
	join_callers(calls);
	seen = entries(tracers[0]) - before;
	read_counters(map, counters);
	for (int i = 0; i < KNOWN; i++) {
		unsigned long long wanted = i < BPF ? calls[i] : 0;

		if (counters[i] != wanted)
			printf("not all: %s: %llu of %llu\n", known[i].function, counters[i],
			       wanted);
		if (counters[i] > wanted)
			bad++;
		else
			missing += wanted - counters[i];
		traced += i < FTRACE ? 0 : calls[i];
		all += calls[i];
	}
	left_out = misses(program);
	bad += missing != left_out;
	set(tracers[0], "current_tracer", "nop");
	close(link);
	printf("storm: %u rounds, %llu calls, BPF: %u wrong, %llu left out, ftrace: %llu of %llu,"
	       " %u refused\n",
	       rounds, all, bad, left_out, seen, traced, refused);
	return 0;
}
