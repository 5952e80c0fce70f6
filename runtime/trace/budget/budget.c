/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "budget.h"

#include "account.h"
#include "call_counts.h"
#include "functions/left_out.h"
#include "options/options.h"
#include "parked.h"
#include "session/recording.h"
#include "session/syscalls.h"
#include "start/live_part.h"
#include "start/start.h"
#include "system/moment.h"
#include "system/sys.h"
#include "tracers/tracers.h"

#include <core/system/memory.h>
#include <core/system/sort.h>

#include <linux/sched/types.h>

#include <errno.h>

static struct patchbay_ops *counting;
static uint64_t rests_since_ns; /* CLOCK_THREAD_CPUTIME_ID when the wait began; 0: no wait */
static int is_ending;           /* the tracers are being destroyed */
static int is_forked;

/*
 * Intervals between looks (checks of the call counts). For max-rate= the time between two
 * looks must be long enough to measure a rate. For max-overhead= this time is short at the
 * start, and after each decision that disarmed a function, because a busy function costs
 * time until the next look. Handlers request a look when one function costs too much.
 */
#define MS 1000000ull
#define RATE_NS (100 * MS)
#define COST_NS (40 * MS)
#define SOON_NS (2 * MS)

static uint64_t last_ns;     /* CLOCK_MONOTONIC of the last look */
static uint64_t passed_ns;   /* time since last_ns, when it was last computed */
static uint64_t last_cpu_ns; /* CLOCK_PROCESS_CPUTIME_ID at the last look */
static uint64_t got_ns;      /* CPU time of the process between the last two looks */
static uint64_t counted_cpu_ns; /* CLOCK_PROCESS_CPUTIME_ID at the last look that counted calls */
static uint64_t look_ns;  /* planned CPU time of the process until the next look */
static uint64_t pause_ns; /* minimum of look_ns; doubles with each look */
static uint64_t wait_ns;  /* expected wall-clock time of look_ns */

static uint64_t most_ns(void)
{
	return pb_options.max_rate ? RATE_NS : COST_NS;
}

static void begin_clocks(void)
{
	last_ns = pb_now_ns(CLOCK_MONOTONIC);
	last_cpu_ns = counted_cpu_ns = pb_now_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/*
 * Returns the mask with which handlers test their call counts. A handler wakes the
 * listening thread early when the calls of one function cost a quarter of a decision's
 * allowance.
 */
#define WAKE_CALLS_MIN 1024

static uint64_t wake_mask(void)
{
	const double calls = PB_BUDGET_DECIDE_MS * 1e6 * pb_account_allowed() / 4 *
			     1000 / (double)pb_options.call_cost_ps;
	uint64_t mask = WAKE_CALLS_MIN;

	/* With max-rate=, an early look would be too short to measure a rate. */
	if (!pb_options.max_overhead || pb_options.max_rate)
		return UINT64_MAX;
	while ((double)mask * 2 <= calls)
		mask *= 2;
	return mask - 1;
}

/* The minimum CPU time for an estimate of the cost. */
#define CPU_LEAST_NS 200000

/* Is it time to look? Sets *@has_news if there was enough CPU time to estimate the cost. */
static int is_due(int *has_news)
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
	*has_news = pb_options.max_rate ||
		    cpu_ns - counted_cpu_ns >= (is_woken ? CPU_LEAST_NS : look_ns / 2);
	return 1;
}

/* A look may cost at most 1/LOOK_PART of the time between looks. */
#define LOOK_PART 500

/*
 * Counting the calls has taken @ns. The time between looks grows with @ns, because looks
 * take longer in programs with many functions.
 */
static void lengthen_pause(uint64_t ns)
{
	pause_ns = pause_ns * 2 < most_ns() ? pause_ns * 2 : most_ns();
	look_ns = ns * LOOK_PART > pause_ns ? ns * LOOK_PART : pause_ns;
	counted_cpu_ns = last_cpu_ns;
}

/*
 * Each wake-up costs CPU time. On a busy machine, or while the program waits, the process
 * may get only a fiftieth of the elapsed time as CPU time, so the listening thread waits
 * longer. The wait is limited, because the thread must look soon after the process resumes
 * full speed.
 */
#define STRETCH_MAX 100
#define WAIT_MOST_NS (1000 * MS)

static void plan_next_look(void)
{
	const uint64_t passed = passed_ns;

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
	pb_account_begin();
	begin_clocks();
	pause_ns = pb_options.max_rate ? RATE_NS : SOON_NS;
	look_ns = wait_ns = pause_ns;
	rests_since_ns = 0;
	pb_budget_wake_mask = wake_mask();
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
	/* @which may select parked functions, which must stay disarmed from now on. */
	pb_parked_forget();
}

/* Returns the tracer of @entry. Disarms @entry if the tracer is not pb_tracer. */
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

/* Disarm the functions from all tracers. Returns 1 on success. */
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
	/* -ETIMEDOUT: the functions are disarmed, but a handler is still running. */
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

static int smaller(const void *left, const void *right)
{
	const struct pb_busy *a = left, *b = right;

	if (a->size != b->size)
		return (a->size > b->size) - (a->size < b->size);
	return (a->entry > b->entry) - (a->entry < b->entry);
}

/*
 * Sorts functions in the order of disarming: most calls first. Counts within an eighth are
 * treated as equal, because the counts of a function and its wrapper differ slightly by
 * chance. Of functions with equal counts the smallest is first, because its calls are
 * probably the shortest, so tracing slows them most.
 */
static void sort_by_cost(struct pb_busy *busy, size_t nr)
{
	pb_sort(busy, nr, sizeof(*busy), busier);
	for (size_t first = 0, end; first < nr; first = end) {
		const uint64_t least = busy[first].calls - busy[first].calls / 8;

		for (end = first + 1; end < nr && busy[end].calls >= least; end++)
			;
		pb_sort(busy + first, end - first, sizeof(*busy), smaller);
	}
}

/* @again: arm the functions again when the budget allows. */
static void disarm_first(const struct pb_busy *busy, size_t nr, uint32_t why, int again)
{
	const uint64_t now = pb_now_ns(CLOCK_MONOTONIC);
	uintptr_t *entry = nr ? pb_malloc(nr * sizeof(*entry)) : NULL;
	struct patchbay_ops **of = nr ? pb_malloc(nr * sizeof(struct patchbay_ops *)) : NULL;

	for (size_t i = 0; i < nr && entry; i++)
		entry[i] = busy[i].entry;
	if (entry && of && disarm(entry, of, nr, why))
		for (size_t i = 0; i < nr && again; i++)
			pb_parked_add(entry[i], of[i],
				      pb_account_part(busy[i].calls), now);
	pb_free(entry);
	pb_free(of);
}

/* Returns how many functions exceeded max-rate=. @busy is sorted by calls. */
static size_t too_often(const struct pb_busy *busy, size_t nr, uint64_t ns)
{
	size_t hot = 0;

	while (hot < nr && (double)busy[hot].calls * 1e9 >
				   (double)pb_options.max_rate * (double)ns)
		hot++;
	return hot;
}

/* @busy has room for all functions. */
static void decide(struct pb_counts *first, struct pb_busy *busy)
{
	const size_t nr = pb_counts_take(first, busy, /*decide=*/1);
	size_t costly;

	sort_by_cost(busy, nr);
	costly = pb_account_decide(busy, nr);
	disarm_first(busy, costly, PBD_LEFT_OUT_COSTLY, 1);
	pb_account_decided(costly != 0);
	/*
	 * Look often for a while, because a program in a new phase may have other busy
	 * functions.
	 */
	if (costly)
		look_ns = pause_ns = SOON_NS;
}

/*
 * Rearms one function if the cost has been low for a while, and will stay low with this
 * function.
 */
static void arm_one_again(void)
{
	struct patchbay_filter filter = { .size = sizeof(filter), .cnt = 1 };
	struct patchbay_ops *of;
	uintptr_t entry;
	double room;

	if (!pb_account_has_room(&room))
		return;
	entry = pb_parked_take(room, pb_now_ns(CLOCK_MONOTONIC), &of);
	if (!entry)
		return;
	filter.addrs = &entry;
	/* Fails if the module was unloaded in between. */
	if (patchbay_arm_filter(of, &filter, PATCHBAY_ARM_SKIP) < 0)
		return;
	pb_budget_arm(&filter, 0);
	pb_left_out_add(entry, PBD_LEFT_OUT_AGAIN);
	pb_left_out_write();
}

/*
 * The listening thread must run soon after a wake-up, even if the program keeps the
 * processor busy. So it asks for short slices (sched_setattr(2)), which the scheduler
 * prefers since Linux 6.12. If the process began with a system call filter, the thread does
 * not ask, because the filter may kill a process that changes its scheduling (systemd's
 * ~@resources does).
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

static void look_at_calls(void)
{
	const uint64_t begin_ns = pb_now_ns(CLOCK_THREAD_CPUTIME_ID);
	/* Other threads may add elements before @first during this call. */
	struct pb_counts *first = pb_counts_first();
	const uint64_t cpu_ns = last_cpu_ns - counted_cpu_ns;
	size_t nr, hot = 0;
	struct pb_busy *busy;

	busy = pb_malloc((pb_counts_functions(first) + 1) * sizeof(*busy));
	if (!busy)
		return;
	nr = pb_counts_take(first, busy, /*decide=*/0);
	lengthen_pause(pb_now_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns);
	if (pb_options.max_rate) {
		pb_sort(busy, nr, sizeof(*busy), busier);
		hot = too_often(busy, nr, passed_ns);
		disarm_first(busy, hot, PBD_LEFT_OUT_HOT, 0);
		pb_counts_decided(first, busy, hot);
	}
	if (pb_options.max_overhead) {
		pb_account_charge(busy + hot, nr - hot, cpu_ns);
		if (pb_account_is_due())
			decide(first, busy);
		arm_one_again();
	}
	pb_free(busy);
}

void pb_budget_forked(void)
{
	is_forked = 1;
}

/* A child starts with its parent's counters and sums: reset them. */
static void begin_in_child(void)
{
	pb_counts_begin_anew();
	pb_account_begin_in_child();
	begin_clocks();
	wait_ns = look_ns;
	is_forked = 0;
}

int pb_budget_look(void)
{
	uint64_t begin_ns;
	int has_news;

	if (!counting || is_ending)
		return -1;
	ask_for_short_slices();
	if (is_forked)
		begin_in_child();
	begin_ns = pb_now_ns(CLOCK_THREAD_CPUTIME_ID);
	rests_since_ns = begin_ns;
	if (is_due(&has_news)) {
		if (has_news)
			look_at_calls();
		rests_since_ns = pb_now_ns(CLOCK_THREAD_CPUTIME_ID);
		pb_account_charge_look(rests_since_ns - begin_ns);
		plan_next_look();
	}
	return (int)((wait_ns - passed_ns) / MS) + 1;
}

void pb_budget_rested(void)
{
	if (!counting || is_ending || !rests_since_ns)
		return;
	pb_account_charge_look(pb_now_ns(CLOCK_THREAD_CPUTIME_ID) - rests_since_ns);
	rests_since_ns = 0;
}

uint32_t pb_budget_overhead(void)
{
	const double overhead = pb_account_overhead();

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
