/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "budget.h"

#include "call_counts.h"
#include "functions/left_out.h"
#include "options/options.h"
#include "parked.h"
#include "session/recording.h"
#include "session/session.h"
#include "session/syscalls.h"
#include "start/start.h"
#include "system/moment.h"
#include "system/sys.h"
#include "tracers/tracers.h"
#include "tracers/why.h"

#include <core/system/memory.h>
#include <core/system/sort.h>

#include <linux/sched/types.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

static struct patchbay_ops *counting;
static uint64_t last_ns;
static uint64_t last_cpu_ns; /* CLOCK_PROCESS_CPUTIME_ID at the last look */
static uint64_t woken_cpu_ns; /* the same clock at last_ns, also if that look
			         found nothing to do */
static uint64_t look_ns;     /* CPU time of the process between two looks */
static uint64_t wait_ns;     /* expected wall-clock time of look_ns */
static uint64_t pause_ns;    /* doubles with each look until a decision
			        disarms a function */
static double overhead;      /* recent average; negative: not known yet */
static double looked_ns;     /* CPU time of looks that no account() has charged yet */
static uint64_t rests_since_ns; /* CLOCK_THREAD_CPUTIME_ID when the wait
				   began; 0: no wait */
static double debt_ns;	     /* overspent time that later savings must pay back */

/*
 * Time spent on tracing since the last decision, and CPU time of the process
 * itself. Two milliseconds of a program do not represent its whole run: a
 * function may be busy for a moment and still fit the budget. So a decision
 * covers at least this much CPU time. It comes earlier only if tracing has
 * already spent the allowance of that whole time.
 */
#define DECIDE_NS (PB_BUDGET_DECIDE_MS * 1e6)
static double spent_ns, own_ns;

/*
 * Each decision that disarms a function halves the time to the next decision.
 * Each decision that disarms none doubles it. So a program that enters a new
 * phase of its work pays for few steps, and so does a program that begins.
 */
static unsigned int in_a_row;
#define IN_A_ROW_MAX 4

static double decide_ns(void)
{
	return DECIDE_NS / (1u << in_a_row);
}

/* Since when no function was disarmed or armed, and the times spent since then. */
static uint64_t quiet_since_ns;
static double quiet_spent_ns, quiet_own_ns;

/*
 * A program with one thread gets a second one: the thread that looks here. From
 * then on glibc's locks and its allocator no longer use their fast paths for
 * one thread (SINGLE_THREAD_P). That costs 1.6 % in SQLite's speed test, with
 * or without armed functions. No code inside the process can measure it. So
 * half of the budget, at most KEPT_PART, is reserved for this cost. Programs
 * with threads of their own reserve nothing.
 *
 * __libc_single_threaded does not help: in a visited process our own thread has
 * already changed it.
 */
#define KEPT_PART 0.01

static int is_kept;

/* Threads that have ended are known only if they were traced and recorded an event. */
static int has_one_thread(void)
{
	struct stat tasks;

	if (__atomic_load_n(&pb_session->nr_threads, __ATOMIC_RELAXED) > 1)
		return 0;
	/*
	 * The folder has one link for each thread, including our own. If stat()
	 * fails, the process may have one thread.
	 */
	return pb_sys(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &tasks, 0) ||
	       tasks.st_nlink <= 2 + 2;
}

static double kept_part(double allowed)
{
	if (!is_kept)
		return 0;
	return allowed / 2 < KEPT_PART ? allowed / 2 : KEPT_PART;
}

/* The part of the process's own CPU time that calls and looks may cost. */
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


/*
 * A quarter of the allowance of one decision. If a single function costs that
 * much, the thread looks before it is due.
 */
#define WAKE_CALLS_MIN 1024

static uint64_t wake_mask(void)
{
	const double calls = DECIDE_NS * allowed_part() / 4 * 1000 /
			     (double)pb_options.call_cost_ps;
	uint64_t mask = WAKE_CALLS_MIN;

	/* A rate is known only after a while. */
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
	/*
	 * @which may select any of them. A function that the user disarmed must
	 * stay so.
	 */
	pb_parked_forget();
}

/* Disarms @entry from its tracer if there are several, and returns that tracer. */
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

/* Disarm the functions from all tracers. Returns whether that succeeded. */
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
	/* A handler that is still running is no failure. */
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

/*
 * @ns: own CPU time of the process in which these calls were made; 0: do not
 * arm the functions again.
 */
static void disarm_first(const struct pb_busy *busy, size_t nr, uint32_t why, double ns)
{
	const double each = (double)pb_options.call_cost_ps / 1000;
	const uint64_t now = pb_now_ns(CLOCK_MONOTONIC);
	uintptr_t *entry = nr ? pb_malloc(nr * sizeof(*entry)) : NULL;
	struct patchbay_ops **of = nr ? pb_malloc(nr * sizeof(struct patchbay_ops *)) : NULL;

	for (size_t i = 0; i < nr && entry; i++)
		entry[i] = busy[i].entry;
	if (entry && of && disarm(entry, of, nr, why))
		for (size_t i = 0; i < nr && ns > 0; i++)
			pb_parked_add(entry[i], of[i],
				      (double)busy[i].calls * each / ns, now);
	pb_free(entry);
	pb_free(of);
}

/* The number of functions, in the order of their calls, that were called too often. */
static size_t too_often(const struct pb_busy *busy, size_t nr, uint64_t ns)
{
	size_t hot = 0;

	while (hot < nr && (double)busy[hot].calls * 1e9 >
				   (double)pb_options.max_rate * (double)ns)
		hot++;
	return hot;
}

/*
 * Charge the time spent since the last look. The allowance is a part of the CPU
 * time that the process would need without tracing.
 */
static void account(const struct pb_busy *busy, size_t nr, double cpu_ns)
{
	const double each = (double)pb_options.call_cost_ps / 1000;
	const double why = (double)pb_why_spent();
	double spent = why, own, now, allowed, calls;

	for (size_t i = 0; i < nr; i++)
		spent += (double)busy[i].calls * each;
	/* The estimate may exceed the real cost. */
	own = cpu_ns - spent > cpu_ns / 10 ? cpu_ns - spent : cpu_ns / 10;
	now = spent / own;
	overhead = overhead < 0 ? now : (overhead * 15 + now) / 16;
	allowed = own * allowed_part();
	/*
	 * Stack traces and waits (why=) may use half of the allowance. Calls
	 * may use the rest.
	 */
	pb_why_allow((uint64_t)(allowed / 2));
	calls = spent - why;
	/*
	 * Looks take time, too, but disarming a function does not reduce it.
	 * Other work of this thread, such as arming all functions, is not a
	 * running cost of tracing.
	 */
	spent += looked_ns;
	looked_ns = 0;
	/* Earlier overspending, for example at the start, is saved in the long run. */
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
 * The number of busiest functions to disarm, so that the rest stays within the
 * allowance at its recent call rate. The busiest functions are the fewest. They
 * also have the shortest calls as a rule, since long calls cannot be frequent.
 * Functions with fewer calls than SELDOM cost little. Fewer calls would also
 * prove nothing: the first decisions cover a short time, in which a slow
 * function may be called several times.
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
	/* From now on only the other functions cost time. */
	if (costly)
		overhead = spent / over_ns;
	return costly;
}

static void begin_quiet(void)
{
	quiet_since_ns = pb_now_ns(CLOCK_MONOTONIC);
	quiet_spent_ns = quiet_own_ns = 0;
}

/* @busy has room for all functions. */
static void decide(struct pb_counts *first, struct pb_busy *busy)
{
	const double over_ns = own_ns > decide_ns() ? own_ns : decide_ns();
	const size_t nr = pb_counts_take(first, busy, /*decide=*/1);
	size_t costly;

	is_kept = has_one_thread();
	pb_sort(busy, nr, sizeof(*busy), busier);
	costly = too_costly(busy, nr, over_ns);
	disarm_first(busy, costly, PBD_LEFT_OUT_COSTLY, own_ns);
	spent_ns = own_ns = 0;
	if (!costly) {
		in_a_row -= in_a_row != 0;
		return;
	}
	in_a_row += in_a_row < IN_A_ROW_MAX;
	begin_quiet();
	/* A program in a new phase of its work may have other busy functions, too. */
	look_ns = pause_ns = PB_BUDGET_SOON_MS * 1000000ull;
}

/* Arms one function again if the cost was low for a while, and stays low with it. */
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
	/* Its module may have been unloaded just now. */
	if (patchbay_arm_filter(of, &filter, PATCHBAY_ARM_SKIP) < 0)
		return;
	pb_budget_arm(&filter, 0);
	pb_left_out_add(entry, PBD_LEFT_OUT_AGAIN);
	pb_left_out_write();
}

/* With less CPU time the computed part would be random. */
#define CPU_LEAST_NS 200000

/*
 * The thread must run soon after it is woken, also on a processor that the
 * program keeps busy. So it asks for short slices (sched_setattr(2)), which the
 * scheduler prefers since Linux 6.12. Older kernels ignore that. The thread
 * does not ask if the process began with a filter of system calls. Such a
 * filter may kill a process that changes its scheduling (systemd's ~@resources
 * does).
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
 * @cpu_ns:   CLOCK_PROCESS_CPUTIME_ID
 * @least_ns: look only if the process has used this CPU time since the last look
 */
static void look(uint64_t ns, uint64_t cpu_ns, uint64_t least_ns)
{
	const uint64_t begin_ns = pb_now_ns(CLOCK_THREAD_CPUTIME_ID);
	/* Other threads may add elements in front of it meanwhile. */
	struct pb_counts *first = pb_counts_first();
	size_t nr, hot = 0;
	struct pb_busy *busy;

	if (!pb_options.max_rate && cpu_ns - last_cpu_ns < least_ns)
		return;
	busy = pb_malloc((pb_counts_functions(first) + 1) * sizeof(*busy));
	if (!busy)
		return;
	nr = pb_counts_take(first, busy, /*decide=*/0);
	look_ns = (pb_now_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns) *
		  PB_BUDGET_LOOK_PART;
	pause_ns = pause_ns * 2 < look_most_ns() ? pause_ns * 2 : look_most_ns();
	if (look_ns < pause_ns)
		look_ns = pause_ns;
	if (pb_options.max_rate) {
		pb_sort(busy, nr, sizeof(*busy), busier);
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
	pb_free(busy);
	last_cpu_ns = cpu_ns;
}

/*
 * A wake-up costs time. On a busy machine, or while it waits, the process gets
 * less CPU time than the clock shows. There a fiftieth of look_ns may be all
 * that it gets. But once it runs at full speed again, the thread must look
 * soon.
 */
#define STRETCH_MAX 100
#define WAIT_MOST_NS 1000000000ull

/* @cpu_ns: CPU time that the process got while @passed went by. */
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
	/*
	 * With a hundred thousand functions one look may take that long
	 * (PB_BUDGET_LOOK_PART).
	 */
	return wait > look_ns ? wait : look_ns;
}

/* Its tracers are being destroyed, so it needs no disarming. */
static int is_ending;

static int is_forked;

void pb_budget_forked(void)
{
	is_forked = 1;
}

/*
 * A forked child starts a new account. Its counters still include its parent's
 * calls, and all estimates are about its parent.
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
