/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "account.h"

#include "budget.h"
#include "options/options.h"
#include "session/session.h"
#include "system/moment.h"
#include "system/sys.h"
#include "tracers/why.h"

#include <fcntl.h>
#include <sys/stat.h>

struct sums {
	double spent_ns; /* cost of tracing */
	double own_ns;   /* CPU time of the process without tracing */
};

static struct sums decision;    /* sums since the last decision */
static struct sums quiet;       /* sums since a function was last disarmed or armed */
static uint64_t quiet_since_ns; /* CLOCK_MONOTONIC when @quiet began */
static double looked_ns; /* CPU time of checks that is not charged yet */
static double debt_ns;   /* overspent time that later savings must pay back */
static double overhead;  /* recent average; negative: not known yet */

/*
 * Each decision that disarms a function halves the time to the next decision; each other
 * decision doubles it. So the budget adapts quickly when the program starts or enters a new
 * phase.
 */
static unsigned int halved;
#define HALVED_MAX 4

/* Returns the minimum own time that a decision covers. */
static double decision_ns(void)
{
	return PB_BUDGET_DECIDE_MS * 1e6 / (1u << halved);
}

/*
 * The listening thread makes a program with one thread a program with two. From then on
 * glibc's locks and allocator no longer use their fast paths for one thread
 * (SINGLE_THREAD_P). That costs 1.6 % in SQLite's speed test, with or without armed
 * functions. No code inside the process can measure this cost, so half of the budget, at
 * most KEPT_PART, is reserved for it. For programs with several threads nothing is
 * reserved.
 *
 * The number of threads is read from /proc, because in a visited process the listening
 * thread has already cleared __libc_single_threaded.
 */
#define KEPT_PART 0.01

static int is_kept;

/*
 * Does the program have only one thread? A thread that has ended counts only if it has
 * recorded an event.
 */
static int has_one_thread(void)
{
	struct stat tasks;

	if (__atomic_load_n(&pb_session->nr_threads, __ATOMIC_RELAXED) > 1)
		return 0;
	/*
	 * The directory has one link for each thread, including the listening thread. If
	 * stat() fails, assume one thread of the program.
	 */
	return pb_sys(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &tasks, 0) ||
	       tasks.st_nlink <= 2 + 2;
}

double pb_account_allowed(void)
{
	const double all = (double)pb_options.max_overhead / 10000;

	if (!is_kept)
		return all;
	return all - (all / 2 < KEPT_PART ? all / 2 : KEPT_PART);
}

static double cost_ns(uint64_t calls)
{
	return (double)calls * ((double)pb_options.call_cost_ps / 1000);
}

static void begin_quiet(void)
{
	quiet_since_ns = pb_now_ns(CLOCK_MONOTONIC);
	quiet = (struct sums){ 0 };
}

void pb_account_begin_in_child(void)
{
	decision = (struct sums){ 0 };
	looked_ns = debt_ns = 0;
	overhead = -1;
	begin_quiet();
}

void pb_account_begin(void)
{
	pb_account_begin_in_child();
	is_kept = has_one_thread();
	halved = HALVED_MAX;
}

void pb_account_charge_look(uint64_t ns)
{
	looked_ns += (double)ns;
}

void pb_account_charge(const struct pb_busy *busy, size_t nr, uint64_t cpu_ns)
{
	const double why = (double)pb_why_spent(), cpu = (double)cpu_ns;
	double calls = 0, own, now, allowed;

	for (size_t i = 0; i < nr; i++)
		calls += cost_ns(busy[i].calls);
	/* The estimate may exceed the real cost. */
	own = cpu - (why + calls) > cpu / 10 ? cpu - (why + calls) : cpu / 10;
	now = (why + calls) / own;
	overhead = overhead < 0 ? now : (overhead * 15 + now) / 16;
	allowed = own * pb_account_allowed();
	/*
	 * Stack traces and waits (why=) may use half of the allowance, calls the remainder.
	 */
	pb_why_allow((uint64_t)(allowed / 2));
	/* Later savings must pay back earlier overspending, for example at the start. */
	debt_ns += why + calls + looked_ns - allowed;
	if (debt_ns < 0)
		debt_ns = 0;
	decision.spent_ns += calls + (why < allowed / 2 ? why : allowed / 2);
	decision.own_ns += own;
	quiet.spent_ns += why + calls + looked_ns;
	quiet.own_ns += own;
	looked_ns = 0;
}

/* Decide early if tracing has already used up the allowance of the whole decision. */
int pb_account_is_due(void)
{
	return decision.own_ns >= decision_ns() ||
	       decision.spent_ns > decision_ns() * pb_account_allowed();
}

/*
 * Disarm the busiest functions first: they are few, and their calls are usually the
 * shortest, because long calls cannot be frequent. Never disarm functions with fewer than
 * SELDOM calls: they cost little, and the first decisions cover too short a time to
 * estimate rates from a few calls.
 */
#define SELDOM 8

size_t pb_account_decide(const struct pb_busy *busy, size_t nr)
{
	const double over_ns = decision.own_ns > decision_ns() ? decision.own_ns :
								 decision_ns();
	double allowed, spent = decision.spent_ns;
	size_t costly = 0;

	is_kept = has_one_thread();
	allowed = over_ns * pb_account_allowed();
	allowed -= debt_ns / 8 < allowed / 2 ? debt_ns / 8 : allowed / 2;
	while (costly < nr && spent > allowed && busy[costly].calls >= SELDOM)
		spent -= cost_ns(busy[costly++].calls);
	/* Only the remaining functions will cost time. */
	if (costly)
		overhead = spent / over_ns;
	return costly;
}

double pb_account_part(uint64_t calls)
{
	return cost_ns(calls) / decision.own_ns;
}

void pb_account_decided(int has_disarmed)
{
	decision = (struct sums){ 0 };
	if (!has_disarmed) {
		halved -= halved != 0;
		return;
	}
	halved += halved < HALVED_MAX;
	begin_quiet();
}

int pb_account_has_room(double *room)
{
	if (pb_now_ns(CLOCK_MONOTONIC) - quiet_since_ns <
		    PB_BUDGET_QUIET_MS * 1000000ull ||
	    quiet.own_ns < PB_BUDGET_DECIDE_MS * 1e6 || debt_ns > 0)
		return 0;
	*room = pb_account_allowed() * 9 / 10 - quiet.spent_ns / quiet.own_ns;
	begin_quiet();
	return 1;
}

double pb_account_overhead(void)
{
	return overhead;
}
