/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pace.h"

#include "account.h"
#include "budget.h"
#include "options/options.h"
#include "system/moment.h"
#include "tracers/tracers.h"

static uint64_t last_ns;     /* CLOCK_MONOTONIC of the last look */
static uint64_t passed_ns;   /* time since last_ns, when it was last computed */
static uint64_t last_cpu_ns; /* CLOCK_PROCESS_CPUTIME_ID at the last look */
static uint64_t got_ns;      /* CPU time of the process between the last two looks */
static uint64_t counted_cpu_ns; /* CLOCK_PROCESS_CPUTIME_ID at the last look that counted */
static uint64_t look_ns;  /* wanted CPU time of the process until the next look */
static uint64_t pause_ns; /* minimum of look_ns; doubles with each look */
static uint64_t wait_ns;  /* expected wall-clock time of look_ns */

#define MS 1000000ull

static uint64_t most_ns(void)
{
	return (pb_options.max_rate ? PB_PACE_RATE_MS : PB_PACE_COST_MS) * MS;
}

static void begin_clocks(void)
{
	last_ns = pb_now_ns(CLOCK_MONOTONIC);
	last_cpu_ns = counted_cpu_ns = pb_now_ns(CLOCK_PROCESS_CPUTIME_ID);
}

void pb_pace_begin(void)
{
	begin_clocks();
	pause_ns = pb_options.max_overhead && !pb_options.max_rate ?
			   PB_PACE_SOON_MS * MS :
			   most_ns();
	look_ns = wait_ns = pause_ns;
}

void pb_pace_begin_in_child(void)
{
	begin_clocks();
	wait_ns = look_ns;
}

/*
 * When the calls of one function cost a quarter of a decision's allowance, handlers wake
 * the listening thread to look early.
 */
#define WAKE_CALLS_MIN 1024

uint64_t pb_pace_wake_mask(void)
{
	const double calls = PB_BUDGET_DECIDE_MS * 1e6 * pb_account_allowed() / 4 *
			     1000 / (double)pb_options.call_cost_ps;
	uint64_t mask = WAKE_CALLS_MIN;

	/* max-rate= needs the whole time between two looks. */
	if (!pb_options.max_overhead || pb_options.max_rate)
		return UINT64_MAX;
	while ((double)mask * 2 <= calls)
		mask *= 2;
	return mask - 1;
}

/* With less CPU time the estimated cost would be random. */
#define CPU_LEAST_NS 200000

int pb_pace_is_due(struct pb_look *look)
{
	const uint64_t now = pb_now_ns(CLOCK_MONOTONIC);
	const int is_woken = __atomic_exchange_n(&pb_budget_is_woken, 0,
						 __ATOMIC_RELAXED);
	uint64_t cpu_ns;

	passed_ns = now - last_ns;
	if (passed_ns < wait_ns && !is_woken)
		return 0;
	cpu_ns = pb_now_ns(CLOCK_PROCESS_CPUTIME_ID);
	got_ns = cpu_ns - last_cpu_ns;
	last_cpu_ns = cpu_ns;
	last_ns = now;
	look->passed_ns = passed_ns;
	look->cpu_ns = cpu_ns - counted_cpu_ns;
	look->has_news = pb_options.max_rate ||
			 look->cpu_ns >= (is_woken ? CPU_LEAST_NS : look_ns / 2);
	return 1;
}

/* A look may cost at most 1/LOOK_PART of the time between two looks. */
#define LOOK_PART 500

void pb_pace_counted(uint64_t ns)
{
	pause_ns = pause_ns * 2 < most_ns() ? pause_ns * 2 : most_ns();
	look_ns = ns * LOOK_PART > pause_ns ? ns * LOOK_PART : pause_ns;
	counted_cpu_ns = last_cpu_ns;
}

void pb_pace_hurry(void)
{
	look_ns = pause_ns = PB_PACE_SOON_MS * MS;
}

/*
 * Each wake-up costs CPU time. On a busy machine, or while the program waits, the
 * process gets only a part of the elapsed time as CPU time, perhaps a fiftieth. So wait
 * longer, but only up to a limit: when the process runs at full speed again, the thread
 * must look soon.
 */
#define STRETCH_MAX 100
#define WAIT_MOST_NS (1000 * MS)

void pb_pace_looked(const struct pb_look *look)
{
	const uint64_t passed = look->passed_ns;

	passed_ns = 0;
	wait_ns = look_ns;
	if (pb_options.max_rate || got_ns >= passed)
		return;
	if (got_ns < passed / STRETCH_MAX)
		wait_ns *= STRETCH_MAX;
	else
		wait_ns = (uint64_t)((double)wait_ns * (double)passed / (double)got_ns);
	if (wait_ns > WAIT_MOST_NS)
		wait_ns = WAIT_MOST_NS;
	/* With a hundred thousand functions look_ns may exceed WAIT_MOST_NS. */
	if (wait_ns < look_ns)
		wait_ns = look_ns;
}

int pb_pace_timeout(void)
{
	return (int)((wait_ns - passed_ns) / MS) + 1;
}
