/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "budget.h"

#include "call_counts.h"
#include "left_out.h"
#include "moment.h"
#include "options.h"
#include "parked.h"
#include "sandbox.h"
#include "session.h"
#include "start.h"
#include "sys.h"
#include "tracers.h"
#include "why.h"

#include <linux/sched/types.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

static struct patchbay_ops *counting;
static uint64_t last_ns;
static uint64_t last_cpu_ns; /* of CLOCK_PROCESS_CPUTIME_ID, when it was looked last */
static uint64_t woken_cpu_ns; /* the same, at last_ns, also where there was nothing to see */
static uint64_t look_ns;     /* between two looks, of what the process takes */
static uint64_t wait_ns;     /* the same, as it is likely to take on the clock */
static uint64_t pause_ns;    /* longer each time that nothing was disarmed */
static double overhead;      /* of late; below 0: not known yet */
static double looked_ns;     /* what looking has taken, and was not accounted yet */
static uint64_t rests_since_ns; /* of CLOCK_THREAD_CPUTIME_ID, after the last look; 0: not */
static double debt_ns;	     /* what was spent and was not allowed */

/*
 * What was spent since the last decision, and what the process took for itself. What a
 * program does in two milliseconds is not what it does in the long run: a function that
 * is busy in a moment may well be within the budget. So the shortest time that is decided
 * by is that; unless more was spent by then than is allowed in all of it.
 */
#define DECIDE_NS (PB_BUDGET_DECIDE_MS * 1e6)
static double spent_ns, own_ns;

/*
 * What follows at once is no moment any more: each time that something is disarmed the time
 * that is decided by is half as long, and after one in which all was well it is twice as
 * long again. So a program that has come to a new part of its work does not pay for it in
 * each of many steps; nor does one that begins.
 */
static unsigned int in_a_row;
#define IN_A_ROW_MAX 4

static double decide_ns(void)
{
	return DECIDE_NS / (1u << in_a_row);
}

/* Since when all is as it is now, and the same of this time. */
static uint64_t quiet_since_ns;
static double quiet_spent_ns, quiet_own_ns;

/*
 * Many a program has one thread, and now has another: the one that looks here. From then on
 * glibc's locks and its allocator no longer take the short ways of a process of one thread
 * (SINGLE_THREAD_P). That is 1.6 % of SQLite's speed test, whatever is armed, and nobody can
 * tell from within what it is of this program. So half of what is allowed is kept for it, and
 * at most so much; but not in a program that has threads of its own.
 *
 * What the C library says (__libc_single_threaded) is not asked: in a process that is
 * visited it says no already, since it is a thread of ours that has come.
 */
#define KEPT_PART 0.01

static int is_kept;

/* Of one that has ended this knows only if it was traced, and its events had a place. */
static int has_one_thread(void)
{
	struct stat tasks;

	if (__atomic_load_n(&pb_session->nr_threads, __ATOMIC_RELAXED) > 1)
		return 0;
	/* The links of a folder, one of which each thread is, and so is ours. Else it may be. */
	return pb_sys(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &tasks, 0) ||
	       tasks.st_nlink <= 2 + 2;
}

static double kept_part(double allowed)
{
	if (!is_kept)
		return 0;
	return allowed / 2 < KEPT_PART ? allowed / 2 : KEPT_PART;
}

/* Of the process's own time, what may go into calls and into looking at them. */
static double allowed_part(void)
{
	const double allowed = (double)pb_options.max_overhead / 10000;

	return allowed - kept_part(allowed);
}

static uint64_t look_most_ns(void)
{
	return (pb_options.max_rate ? PB_BUDGET_RATE_MS : PB_BUDGET_COST_MS) *
	       1000000ull;
}

uint64_t pb_budget_wake_mask = UINT64_MAX;

/*
 * A quarter of what may be spent until something is decided: one function alone that costs
 * so much is looked at before it is time to.
 */
#define WAKE_CALLS_MIN 1024

static uint64_t wake_mask(void)
{
	const double calls = DECIDE_NS * allowed_part() / 4 * 1000 /
			     (double)pb_options.call_cost_ps;
	uint64_t mask = WAKE_CALLS_MIN;

	/* A rate is known after a while only. */
	if (!pb_options.max_overhead || pb_options.max_rate)
		return UINT64_MAX;
	while ((double)mask * 2 <= calls)
		mask *= 2;
	return mask - 1;
}

int pb_budget_begin(int (*check)(void *arg,
				 const struct patchbay_target *target))
{
	const struct patchbay_ops_attr attr = {
		.size = sizeof(attr),
		.flags = PB_TRACER_FLAGS,
		.handler = pb_budget_call,
		.attach = pb_counts_attach,
		.check = check,
	};

	if (!pb_options.max_rate && !pb_options.max_overhead)
		return 0;
	is_kept = has_one_thread();
	last_ns = pb_now_ns(CLOCK_MONOTONIC);
	last_cpu_ns = woken_cpu_ns = pb_now_ns(CLOCK_PROCESS_CPUTIME_ID);
	pause_ns = pb_options.max_overhead && !pb_options.max_rate ?
			   PB_BUDGET_SOON_MS * 1000000ull :
			   look_most_ns();
	look_ns = wait_ns = pause_ns;
	overhead = -1;
	looked_ns = debt_ns = spent_ns = own_ns = quiet_spent_ns = quiet_own_ns = 0;
	rests_since_ns = 0;
	in_a_row = IN_A_ROW_MAX;
	pb_budget_wake_mask = wake_mask();
	quiet_since_ns = last_ns;
	return patchbay_ops_create(&attr, &counting);
}

void pb_budget_arm(const struct patchbay_filter *which, unsigned int flags)
{
	if (counting)
		pb_note(patchbay_arm_filter(counting, which,
					    flags | PATCHBAY_ARM_SKIP));
}

void pb_budget_disarm(const struct patchbay_filter *which)
{
	if (counting)
		patchbay_disarm_filter(counting, which);
	/* Which of these it selects is not known, and nobody arms what was disarmed. */
	pb_parked_forget();
}

/* Which of the tracers is armed on it, when there are several; that one is no more. */
static struct patchbay_ops *take_away(uintptr_t entry)
{
	const struct patchbay_filter filter = {
		.size = sizeof(filter), .addrs = &entry, .cnt = 1,
	};

	if (pb_typed_tracer && patchbay_disarm_filter(pb_typed_tracer, &filter) > 0)
		return pb_typed_tracer;
	if (pb_values_tracer && patchbay_disarm_filter(pb_values_tracer, &filter) > 0)
		return pb_values_tracer;
	return pb_tracer;
}

/* Of all tracers that are there. Returns whether that was done. */
static int disarm(const uintptr_t *entry, struct patchbay_ops **of, size_t nr,
		   uint32_t why)
{
	const struct patchbay_filter filter = {
		.size = sizeof(filter), .addrs = entry, .cnt = nr,
	};
	struct patchbay_batch *batch;
	int error = patchbay_batch_create(&batch);

	if (error) {
		pb_note(error);
		return 0;
	}
	for (size_t i = 0; i < nr; i++)
		of[i] = take_away(entry[i]);
	error = patchbay_batch_disarm(batch, pb_tracer, &filter);
	if (!error)
		error = patchbay_batch_disarm(batch, counting, &filter);
	if (!error)
		error = patchbay_batch_commit(batch);
	patchbay_batch_destroy(batch);
	/* A handler that runs on is nobody's failure. */
	if (error < 0 && error != -ETIMEDOUT) {
		pb_note(error);
		return 0;
	}
	for (size_t i = 0; i < nr; i++)
		pb_left_out_add(entry[i], why);
	pb_left_out_write();
	return 1;
}

static int busier(const void *left, const void *right)
{
	const struct pb_busy *a = left, *b = right;

	return (a->calls < b->calls) - (a->calls > b->calls);
}

/* @ns: of the process's own, in which they were called so often; 0: they stay away. */
static void disarm_first(const struct pb_busy *busy, size_t nr, uint32_t why, double ns)
{
	const double each = (double)pb_options.call_cost_ps / 1000;
	const uint64_t now = pb_now_ns(CLOCK_MONOTONIC);
	uintptr_t *entry = nr ? malloc(nr * sizeof(*entry)) : NULL;
	struct patchbay_ops **of = nr ? malloc(nr * sizeof(struct patchbay_ops *)) : NULL;

	for (size_t i = 0; i < nr && entry; i++)
		entry[i] = busy[i].entry;
	if (entry && of && disarm(entry, of, nr, why))
		for (size_t i = 0; i < nr && ns > 0; i++)
			pb_parked_add(entry[i], of[i],
				      (double)busy[i].calls * each / ns, now);
	free(entry);
	free(of);
}

/* Of functions in order of their calls, as many as were called too often. */
static size_t too_often(const struct pb_busy *busy, size_t nr, uint64_t ns)
{
	size_t hot = 0;

	while (hot < nr && (double)busy[hot].calls * 1e9 >
				   (double)pb_options.max_rate * (double)ns)
		hot++;
	return hot;
}

/*
 * What was spent since the last look: a part of the time that the process would take if
 * it were not traced is allowed.
 */
static void account(const struct pb_busy *busy, size_t nr, double cpu_ns)
{
	const double each = (double)pb_options.call_cost_ps / 1000;
	const double why = (double)pb_why_spent();
	double spent = why, own, now, allowed, calls;

	for (size_t i = 0; i < nr; i++)
		spent += (double)busy[i].calls * each;
	/* What is reckoned may be more than what was really taken. */
	own = cpu_ns - spent > cpu_ns / 10 ? cpu_ns - spent : cpu_ns / 10;
	now = spent / own;
	overhead = overhead < 0 ? now : (overhead * 15 + now) / 16;
	allowed = own * allowed_part();
	/* Half of it may go into reasons (why=), and what does is not there for calls. */
	pb_why_allow((uint64_t)(allowed / 2));
	calls = spent - why;
	/*
	 * Looking takes time, too, which no function can be disarmed for. What else this thread
	 * does, as to arm them all, is not what tracing costs in the long run.
	 */
	spent += looked_ns;
	looked_ns = 0;
	/* What was too much before, as at the beginning, is saved in the long run. */
	debt_ns += spent - allowed;
	if (debt_ns < 0)
		debt_ns = 0;
	spent_ns += calls + (why < allowed / 2 ? why : allowed / 2);
	own_ns += own;
	quiet_spent_ns += spent;
	quiet_own_ns += own;
}

static int is_time_to_decide(void)
{
	return own_ns >= decide_ns() || spent_ns > decide_ns() * allowed_part();
}

/*
 * Of functions in order of their calls, as many as have to go so that the others, called
 * as often as of late, cost no more than what is allowed: the busiest, which are the
 * fewest, and those with the shortest calls as a rule, since none can be called so often
 * that takes long. One that was called now and then is not what costs; fewer calls would
 * tell nothing in the short time that is decided by at first, in which a slow function may
 * be called some times, too.
 */
#define SELDOM 8

static size_t too_costly(const struct pb_busy *busy, size_t nr, double over_ns)
{
	const double each = (double)pb_options.call_cost_ps / 1000;
	double allowed = over_ns * allowed_part(), spent = spent_ns;
	size_t costly = 0;

	allowed -= debt_ns / 8 < allowed / 2 ? debt_ns / 8 : allowed / 2;
	while (costly < nr && spent > allowed && busy[costly].calls >= SELDOM)
		spent -= (double)busy[costly++].calls * each;
	/* From now on only the others cost something. */
	if (costly)
		overhead = spent / over_ns;
	return costly;
}

static void begin_quiet(void)
{
	quiet_since_ns = pb_now_ns(CLOCK_MONOTONIC);
	quiet_spent_ns = quiet_own_ns = 0;
}

/* @busy has place for all functions. */
static void decide(struct pb_counts *first, struct pb_busy *busy)
{
	const double over_ns = own_ns > decide_ns() ? own_ns : decide_ns();
	const size_t nr = pb_counts_take(first, busy, /*decide=*/1);
	size_t costly;

	is_kept = has_one_thread();
	qsort(busy, nr, sizeof(*busy), busier);
	costly = too_costly(busy, nr, over_ns);
	disarm_first(busy, costly, PBD_LEFT_OUT_COSTLY, own_ns);
	spent_ns = own_ns = 0;
	if (!costly) {
		in_a_row -= in_a_row != 0;
		return;
	}
	in_a_row += in_a_row < IN_A_ROW_MAX;
	begin_quiet();
	/* A program that does something else now has other busy functions, too. */
	look_ns = pause_ns = PB_BUDGET_SOON_MS * 1000000ull;
}

/* One function, where all has been well for a while, and there will be some room left. */
static void arm_one_again(void)
{
	const uint64_t now = pb_now_ns(CLOCK_MONOTONIC);
	const double part = quiet_spent_ns / (quiet_own_ns > 0 ? quiet_own_ns : 1);
	struct patchbay_filter filter = { .size = sizeof(filter), .cnt = 1 };
	struct patchbay_ops *of;
	uintptr_t entry;

	if (now - quiet_since_ns < PB_BUDGET_QUIET_MS * 1000000ull ||
	    quiet_own_ns < DECIDE_NS || debt_ns > 0)
		return;
	entry = pb_parked_take(allowed_part() * 9 / 10 - part, now, &of);
	begin_quiet();
	if (!entry)
		return;
	filter.addrs = &entry;
	/* Its module may have gone just now. */
	if (patchbay_arm_filter(of, &filter, PATCHBAY_ARM_SKIP) < 0)
		return;
	pb_budget_arm(&filter, 0);
	pb_left_out_add(entry, PBD_LEFT_OUT_AGAIN);
	pb_left_out_write();
}

/* A part of so little would be chance. */
#define CPU_LEAST_NS 200000

/*
 * The thread is to run as soon as it is woken, also on a processor that the program keeps
 * busy: it asks for short slices (sched_setattr(2)), which since Linux 6.12 come before long
 * ones. Others do not mind. Not where there was a filter of system calls from the start:
 * such a one may well kill who changes how it is scheduled (systemd's ~@resources does).
 */
#define SLICE_NS 100000

static void ask_for_short_slices(void)
{
	static __thread int has_asked;
	struct sched_attr attr = { 0 };

	if (has_asked)
		return;
	has_asked = 1;
	if (pb_filtered_at_start)
		return;
	if (pb_sys(SYS_sched_getattr, 0, &attr, sizeof(attr), 0) ||
	    attr.sched_policy)
		return;
	attr.sched_runtime = SLICE_NS;
	pb_sys(SYS_sched_setattr, 0, &attr, 0);
}

/*
 * @cpu_ns:   of CLOCK_PROCESS_CPUTIME_ID
 * @least_ns: with less of it since the last look there is nothing to see
 */
static void look(uint64_t ns, uint64_t cpu_ns, uint64_t least_ns)
{
	const uint64_t begin_ns = pb_now_ns(CLOCK_THREAD_CPUTIME_ID);
	/* Others may come meanwhile, in front of it. */
	struct pb_counts *first = pb_counts_first();
	size_t nr, hot = 0;
	struct pb_busy *busy;

	if (!pb_options.max_rate && cpu_ns - last_cpu_ns < least_ns)
		return;
	busy = malloc((pb_counts_functions(first) + 1) * sizeof(*busy));
	if (!busy)
		return;
	nr = pb_counts_take(first, busy, /*decide=*/0);
	look_ns = (pb_now_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns) *
		  PB_BUDGET_LOOK_PART;
	pause_ns = pause_ns * 2 < look_most_ns() ? pause_ns * 2 : look_most_ns();
	if (look_ns < pause_ns)
		look_ns = pause_ns;
	if (pb_options.max_rate) {
		qsort(busy, nr, sizeof(*busy), busier);
		hot = too_often(busy, nr, ns);
	}
	disarm_first(busy, hot, PBD_LEFT_OUT_HOT, 0);
	pb_counts_decided(first, busy, hot);
	if (pb_options.max_overhead) {
		account(busy + hot, nr - hot, (double)(cpu_ns - last_cpu_ns));
		if (is_time_to_decide())
			decide(first, busy);
		arm_one_again();
	}
	free(busy);
	last_cpu_ns = cpu_ns;
}

/*
 * To wake up is not for nothing, and on a busy machine, or when it waits, the process takes
 * less time than the clock shows: there the fiftieth of it may be all that it gets. But once
 * it gets all again it is to be looked at soon.
 */
#define STRETCH_MAX 100
#define WAIT_MOST_NS 1000000000ull

/* @cpu_ns: what it got in the time that has passed. */
static uint64_t expected_wait_ns(uint64_t passed, uint64_t cpu_ns)
{
	uint64_t wait;

	if (pb_options.max_rate || cpu_ns >= passed)
		return look_ns;
	if (cpu_ns < passed / STRETCH_MAX)
		wait = look_ns * STRETCH_MAX;
	else
		wait = (uint64_t)((double)look_ns * (double)passed / (double)cpu_ns);
	if (wait > WAIT_MOST_NS)
		wait = WAIT_MOST_NS;
	/* Of a hundred thousand functions one look may take that long (PB_BUDGET_LOOK_PART). */
	return wait > look_ns ? wait : look_ns;
}

/* Its tracers are on their way: there is nothing to disarm. */
static int is_ending;

static int is_forked;

void pb_budget_forked(void)
{
	is_forked = 1;
}

/*
 * A forked child's time begins anew, while its counters have its parent's calls, too, and
 * what was found out until now was found out about its parent.
 */
static void begin_in_child(void)
{
	pb_counts_begin_anew();
	last_ns = pb_now_ns(CLOCK_MONOTONIC);
	last_cpu_ns = woken_cpu_ns = pb_now_ns(CLOCK_PROCESS_CPUTIME_ID);
	looked_ns = debt_ns = spent_ns = own_ns = 0;
	overhead = -1;
	wait_ns = look_ns;
	begin_quiet();
	is_forked = 0;
}

int pb_budget_look(void)
{
	uint64_t now, passed, cpu_ns, got_ns, begin_ns, end_ns = 0;
	int is_woken;

	if (!counting || is_ending)
		return -1;
	ask_for_short_slices();
	if (is_forked)
		begin_in_child();
	now = pb_now_ns(CLOCK_MONOTONIC);
	passed = now - last_ns;
	is_woken = __atomic_exchange_n(&pb_budget_is_woken, 0, __ATOMIC_RELAXED);
	if (passed >= wait_ns || is_woken) {
		cpu_ns = pb_now_ns(CLOCK_PROCESS_CPUTIME_ID);
		got_ns = cpu_ns - woken_cpu_ns;
		woken_cpu_ns = cpu_ns;
		last_ns = now;
		begin_ns = pb_now_ns(CLOCK_THREAD_CPUTIME_ID);
		look(passed, cpu_ns, is_woken ? CPU_LEAST_NS : look_ns / 2);
		end_ns = pb_now_ns(CLOCK_THREAD_CPUTIME_ID);
		looked_ns += (double)(end_ns - begin_ns);
		wait_ns = expected_wait_ns(passed, got_ns);
		passed = 0;
	}
	rests_since_ns = end_ns ? end_ns : pb_now_ns(CLOCK_THREAD_CPUTIME_ID);
	return (int)((wait_ns - passed) / 1000000) + 1;
}

void pb_budget_rested(void)
{
	if (!counting || is_ending || !rests_since_ns)
		return;
	looked_ns += (double)(pb_now_ns(CLOCK_THREAD_CPUTIME_ID) - rests_since_ns);
	rests_since_ns = 0;
}

uint32_t pb_budget_overhead(void)
{
	if (!counting || !pb_options.max_overhead || overhead < 0)
		return PB_OVERHEAD_UNKNOWN;
	return overhead < 1000 ? (uint32_t)(overhead * 1e6) : 1000000000;
}

int pb_budget_undo(void)
{
	int error;

	is_ending = 1;
	error = counting ? patchbay_ops_destroy(counting) : 0;
	if (error)
		return error;
	counting = NULL;
	is_ending = 0;
	pb_budget_wake_mask = UINT64_MAX;
	pb_parked_forget();
	pb_counts_free();
	return 0;
}
