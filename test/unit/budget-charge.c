/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Each call is charged with the right cost (trace/budget/account.c). The test checks the
 * charge by counts, because it controls the clocks. Functions that use three quarters of
 * the budget stay enabled. If they use a third more than the budget, the busiest
 * function is disabled. A charge of half or twice the right amount would fail the test.
 */
// RUN: %clang -std=c11 -DPB_LIBC_MEMORY -D_GNU_SOURCE -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover %s -I %patchbay_include -I %patchbay_source/runtime -I %patchbay_source/runtime/trace -I %patchbay_source/runtime/trace/arch/x86_64 -I %patchbay_source/runtime/core -o %t
// RUN: %t | FileCheck %s
// REQUIRES: host-x86_64
// CHECK: {{^}}below: 0 disarmed, 15000 millionths{{$}}
// CHECK-NEXT: {{^}}above: 1 disarmed, the first{{$}}
// CHECK-NEXT: {{^}}together: 1 disarmed, the first{{$}}
// CHECK-NEXT: {{^}}equally often: 1 disarmed, the second{{$}}
// CHECK-NEXT: {{^}}not equally often: 1 disarmed, the first{{$}}
// CHECK-NEXT: {{^}}twice the cost: 1 disarmed, the first{{$}}
// CHECK-NEXT: {{^}}half the cost: 0 disarmed, 1333{{[23]}} millionths{{$}}
// CHECK-NEXT: {{^}}alone, half of it: 0 disarmed, 7500 millionths{{$}}
// CHECK-NEXT: {{^}}alone, more than half of it: 1 disarmed, the first{{$}}
// CHECK-NEXT: {{^}}with the one that looks, half of it: 0 disarmed, 7500 millionths{{$}}
// CHECK-NEXT: {{^}}with the one that looks, more than half of it: 1 disarmed, the first{{$}}
// CHECK-NEXT: {{^}}alone, but two threads are traced: 0 disarmed, 15000 millionths{{$}}
// CHECK-NEXT: {{^}}alone, of a tenth: 0 disarmed, 75000 millionths{{$}}
// CHECK-NEXT: {{^}}alone until it was looked at: 0 disarmed, 15000 millionths{{$}}
// CHECK-NEXT: {{^}}called seven times: 0 disarmed{{$}}
// CHECK-NEXT: {{^}}called eight times: 1 disarmed{{$}}
// CHECK-NEXT: {{^}}looking: 0 disarmed, 10000 millionths{{$}}
// CHECK-NEXT: {{^}}forked before its parent was looked at: 0 disarmed, 15000 millionths{{$}}
// CHECK-NEXT: {{^}}forked by a process at its limit: 0 disarmed, 15000 millionths{{$}}
// CHECK-NEXT: {{^}}a fiftieth of the time: {{[1-3]?[0-9]}} looks{{$}}
// CHECK-NEXT: {{^}}all of it again: looked at within {{1?[0-9]?[0-9]?[0-9]}} ms{{$}}
// CHECK-NEXT: {{^}}a third of the time at once: looked at within {{1[0-9][0-9]|[1-9]?[0-9]}} ms{{$}}
// CHECK-NEXT: {{^}}woken for nothing: looked at within {{[1-9]?[0-9]}} ms{{$}}
// CHECK-NEXT: {{^}}where a look takes 4 ms: the next one after {{1999|2[0-9][0-9][0-9]}} ms{{$}}
// CHECK-NEXT: {{^}}asked for after 4096 calls{{$}}
#define PB_TRACE_MOMENT_H /* this test replaces its clock */
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <threads.h> /* pthread.h conflicts with a header of the kernel */
#include <time.h>

static uint64_t clock_ns, process_ns, thread_ns, step_ns;

static uint64_t pb_now_ns(int clock)
{
	if (clock == CLOCK_PROCESS_CPUTIME_ID)
		return process_ns;
	if (clock == CLOCK_MONOTONIC)
		return clock_ns;
	/* The thread's clock advances at each read. */
	thread_ns += step_ns;
	return thread_ns;
}

#include "budget/account.c"
#include "budget/call_counts.c"
#include "budget/budget.c"

#define NR 2
#define SMALL 64 /* bytes of the second function's code; the first one has more */

static struct pb_session session;
struct pb_session *pb_session = &session;
struct pb_options pb_options;
struct patchbay_ops *pb_tracer, *pb_values_tracer, *pb_typed_tracer;
int pb_budget_is_woken, pb_filtered_at_start = 1;
uint64_t pb_budget_wake_mask;
static unsigned int max_overhead = 200;
__thread int pb_locked;

static const uintptr_t entries[NR] = { 4096, 8192 };
static struct pb_index an_index;
static int (*attach)(void *data, const struct patchbay_module_info *module,
		     struct patchbay_target *targets, size_t nr);
static int is_disarmed[NR];
static size_t first_disarmed;

void pb_budget_call(uintptr_t ip, uintptr_t parent_ip, const struct patchbay_cell *cell,
		    struct patchbay_regs *regs)
{
	(void)ip, (void)parent_ip, (void)cell, (void)regs;
}

int patchbay_ops_create_abi(const struct patchbay_ops_attr *attr, struct patchbay_ops **ops,
			    unsigned int abi)
{
	(void)abi;
	attach = attr->attach;
	*ops = (struct patchbay_ops *)&an_index;
	return 0;
}

int patchbay_ops_destroy(struct patchbay_ops *ops)
{
	(void)ops;
	return 0;
}

struct pb_index *pb_index_new(struct patchbay_target *targets, size_t nr, uint32_t first,
			      void *of)
{
	(void)targets, (void)nr, (void)first, (void)of;
	return &an_index;
}

int patchbay_arm_filter(struct patchbay_ops *ops, const struct patchbay_filter *filter,
			unsigned int flags)
{
	(void)ops, (void)filter, (void)flags;
	return 0;
}

int patchbay_disarm_filter(struct patchbay_ops *ops, const struct patchbay_filter *filter)
{
	(void)ops, (void)filter;
	return 0;
}

int patchbay_batch_create(struct patchbay_batch **batch)
{
	*batch = (struct patchbay_batch *)&an_index;
	return 0;
}

int patchbay_batch_disarm(struct patchbay_batch *batch, struct patchbay_ops *ops,
			  const struct patchbay_filter *filter)
{
	(void)batch, (void)ops, (void)filter;
	return 0;
}

int patchbay_batch_commit(struct patchbay_batch *batch)
{
	(void)batch;
	return 0;
}

void patchbay_batch_destroy(struct patchbay_batch *batch)
{
	(void)batch;
}

void pb_left_out_add(uint64_t address, uint32_t flags)
{
	size_t which = address / 4096 - 1;

	if (flags != PBD_LEFT_OUT_COSTLY)
		return;
	if (!is_disarmed[0] && !is_disarmed[1])
		first_disarmed = which;
	is_disarmed[which] = 1;
}

void pb_left_out_write(void) {}
void pb_note(int result) { (void)result; }
uint64_t pb_why_spent(void) { return 0; }
void pb_why_allow(uint64_t ns) { (void)ns; }
void pb_parked_forget(void) {}

void pb_parked_add(uintptr_t entry, struct patchbay_ops *of, double part, uint64_t now_ns)
{
	(void)entry, (void)of, (void)part, (void)now_ns;
}

uintptr_t pb_parked_take(double room, uint64_t now_ns, struct patchbay_ops **of)
{
	(void)room, (void)now_ns, (void)of;
	return 0;
}

/* Two threads: the checking thread (this one), and another thread of the program. */
#define OTHERS 2

static thrd_t threads[OTHERS];
static int nr_others, come; /* come: the number of threads that start later */
static mtx_t until_end;

static int wait_for_end(void *arg)
{
	mtx_lock(&until_end);
	mtx_unlock(&until_end);
	return arg != NULL;
}

static void make_threads(int nr)
{
	if (!nr_others)
		mtx_lock(&until_end);
	while (nr-- &&
	       thrd_create(&threads[nr_others], wait_for_end, NULL) == thrd_success)
		nr_others++;
}

static void end_threads(void)
{
	struct stat tasks;

	mtx_unlock(&until_end);
	while (nr_others)
		thrd_join(threads[--nr_others], NULL);
	/* The kernel keeps ended threads in its list for a moment. */
	while (!stat("/proc/self/task", &tasks) && tasks.st_nlink > 2 + 1)
		thrd_yield();
}

#define OWN_NS 10000000 /* the program's own time per round */
#define CALLS 4000	/* with 50 ns each, 2 % of OWN_NS */

/*
 * Simulates nearly a second of the program. In each round it makes @first and @second
 * calls of two functions. Tracing makes each call @takes_ns longer. The stated cost of
 * a call is @said_ps.
 */
static void run(const char *what, uint64_t first, uint64_t second, uint64_t takes_ns,
		uint64_t said_ps, uint64_t step)
{
	struct patchbay_target targets[NR + 1] = { { .entry = entries[0] },
						   { .entry = entries[1] },
						   { .entry = entries[1] + SMALL } };
	int nr;

	pb_options.max_overhead = max_overhead;
	pb_options.call_cost_ps = said_ps;
	step_ns = 0;
	is_disarmed[0] = is_disarmed[1] = 0;
	if (pb_budget_begin(NULL) || attach(NULL, NULL, targets, NR + 1))
		return;
	if (come)
		make_threads(come);
	for (int round = 0; round < 90; round++) {
		const uint64_t calls[NR] = { first, second };

		process_ns += OWN_NS;
		for (size_t i = 0; i < NR; i++)
			if (!is_disarmed[i]) {
				all->calls[i] += calls[i];
				process_ns += calls[i] * takes_ns;
			}
		clock_ns = process_ns;
		/* The cost of a check is charged at the next check. */
		step_ns = step;
		if (round == 10)
			begin_quiet();
		pb_budget_is_woken = 1;
		pb_budget_rested();
		pb_budget_look();
	}
	nr = is_disarmed[0] + is_disarmed[1];
	printf("%s: %d disarmed, ", what, nr);
	if (nr)
		printf("the %s\n", first_disarmed ? "second" : "first");
	else
		printf("%.0f millionths\n", quiet.spent_ns / quiet.own_ns * 1e6);
	pb_budget_undo();
}

#define ROUND (OWN_NS + CALLS * 3 / 4 * 50)

/*
 * Simulates a child that stays exactly within the budget. Its parent had used
 * @parent_ns at the last check, and then made @calls more calls. The child uses
 * @child_ns until its first check.
 */
static void run_forked(const char *what, uint64_t parent_ns, uint64_t calls, uint64_t child_ns)
{
	struct patchbay_target targets[NR] = { { .entry = entries[0] },
					       { .entry = entries[1] } };

	pb_options.max_overhead = 200;
	pb_options.call_cost_ps = 50000;
	step_ns = 0;
	is_disarmed[0] = is_disarmed[1] = 0;
	if (pb_budget_begin(NULL) || attach(NULL, NULL, targets, NR))
		return;
	process_ns = parent_ns;
	clock_ns += parent_ns;
	pb_budget_is_woken = 1;
	pb_budget_look();
	all->calls[0] += calls;
	process_ns = 0;
	pb_budget_forked();
	pb_budget_look();
	for (int round = 0; round < 90; round++) {
		const uint64_t ns = round ? ROUND : child_ns;

		process_ns += ns;
		clock_ns += ns;
		all->calls[0] += (uint64_t)((double)CALLS * 3 / 4 * (double)ns / ROUND);
		pb_budget_is_woken = 1;
		pb_budget_look();
	}
	printf("%s: %d disarmed, %.0f millionths\n", what, is_disarmed[0],
	       quiet.spent_ns / quiet.own_ns * 1e6);
	pb_budget_undo();
}

/*
 * Makes a few calls that each cost a hundredth of the program's time in the first
 * check.
 */
static void run_seldom(const char *what, uint64_t calls)
{
	struct patchbay_target targets[NR] = { { .entry = entries[0] },
					       { .entry = entries[1] } };

	pb_options.max_overhead = 200;
	pb_options.call_cost_ps = OWN_NS / 100 * 1000ull;
	step_ns = 0;
	is_disarmed[0] = is_disarmed[1] = 0;
	if (pb_budget_begin(NULL) || attach(NULL, NULL, targets, NR))
		return;
	all->calls[0] += calls;
	process_ns += OWN_NS + calls * OWN_NS / 100;
	clock_ns = process_ns;
	pb_budget_is_woken = 1;
	pb_budget_look();
	printf("%s: %d disarmed\n", what, is_disarmed[0]);
	pb_budget_undo();
}

/*
 * Returns the number of checks in @ms milliseconds, while the process gets 1 / @part of
 * a CPU. No function is busy.
 */
static int looks_in(int ms, int part)
{
	uint64_t before = last_ns;
	int nr = 0;

	for (int i = 0; i < ms; i++) {
		clock_ns += 1000000;
		process_ns += 1000000 / part;
		pb_budget_is_woken = 0;
		pb_budget_look();
		nr += last_ns != before;
		before = last_ns;
	}
	return nr;
}

/* Returns the time until the next check, while the process gets 1 / @part of a CPU. */
static int until_look(int part)
{
	int ms = 0;

	while (!looks_in(1, part) && ms < 100000)
		ms++;
	return ms;
}

static void run_busy(void)
{
	step_ns = 0;
	if (pb_budget_begin(NULL))
		return;
	printf("a fiftieth of the time: %d looks\n", looks_in(20000, 50));
	printf("all of it again: looked at within %d ms\n", until_look(1));
	/* Until then, the process gets less than half of the expected CPU time. */
	looks_in(1000, 1);
	until_look(1);
	until_look(3);
	printf("a third of the time at once: looked at within %d ms\n", until_look(3));
	/*
	 * A check soon after another one has no new data, although the process used the
	 * CPU all the time.
	 */
	looks_in(1000, 1);
	until_look(1);
	clock_ns += CPU_LEAST_NS / 2;
	process_ns += CPU_LEAST_NS / 2;
	pb_budget_is_woken = 1;
	pb_budget_look();
	printf("woken for nothing: looked at within %d ms\n", until_look(1));
	/* A check reads the clock of its thread twice. */
	looks_in(1000, 1);
	step_ns = 4000000;
	until_look(1);
	looks_in(2000, 2);
	until_look(2);
	printf("where a look takes 4 ms: the next one after %d ms\n", until_look(2));
	pb_budget_undo();
}

int main(void)
{
	if (mtx_init(&until_end, mtx_plain) != thrd_success)
		return 1;
	make_threads(OTHERS);
	run("below", CALLS * 3 / 4, 0, 50, 50000, 0);
	run("above", CALLS * 4 / 3, 0, 50, 50000, 0);
	run("together", CALLS * 3 / 4, CALLS / 2, 50, 50000, 0);
	run("equally often", CALLS * 2 / 3, CALLS * 2 / 3 - 9, 50, 50000, 0);
	run("not equally often", CALLS * 2 / 3, CALLS / 2, 50, 50000, 0);
	run("twice the cost", CALLS * 3 / 4, 0, 100, 100000, 0);
	run("half the cost", CALLS * 4 / 3, 0, 25, 25000, 0);
	/* Half of the budget, but at most 1 %, is reserved for the checking thread. */
	end_threads();
	run("alone, half of it", CALLS * 3 / 8, 0, 50, 50000, 0);
	run("alone, more than half of it", CALLS * 2 / 3, 0, 50, 50000, 0);
	/* With -p, the process has one more thread: the checking one. */
	make_threads(1);
	run("with the one that looks, half of it", CALLS * 3 / 8, 0, 50, 50000, 0);
	run("with the one that looks, more than half of it", CALLS * 2 / 3, 0, 50, 50000, 0);
	end_threads();
	session.nr_threads = 2;
	run("alone, but two threads are traced", CALLS * 3 / 4, 0, 50, 50000, 0);
	session.nr_threads = 1;
	max_overhead = 1000;
	run("alone, of a tenth", CALLS * 5 * 3 / 4, 0, 50, 50000, 0);
	max_overhead = 200;
	come = OTHERS;
	run("alone until it was looked at", CALLS * 3 / 4, 0, 50, 50000, 0);
	come = 0;
	run_seldom("called seven times", 7);
	run_seldom("called eight times", 8);
	/*
	 * The thread's clock is read twice around a check, twice in it, and after the
	 * thread has slept, so a check takes four steps.
	 */
	run("looking", 0, 0, 50, 50000, OWN_NS / 100 / 4);
	pb_options.max_overhead = 200;
	pb_options.call_cost_ps = 50000;
	run_forked("forked before its parent was looked at", 100 * ROUND, 20 * CALLS, ROUND);
	run_forked("forked by a process at its limit", 99 * ROUND, 0, 100 * ROUND);
	run_busy();
	if (!pb_budget_begin(NULL))
		printf("asked for after %llu calls\n",
		       (unsigned long long)pb_budget_wake_mask + 1);
	pb_budget_undo();
	return 0;
}
