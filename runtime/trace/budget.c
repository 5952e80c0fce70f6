/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "budget.h"

#include "index.h"
#include "left_out.h"
#include "moment.h"
#include "options.h"
#include "session.h"
#include "start.h"
#include "tracers.h"
#include "why.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of functions of a module that were armed at once. */
struct counters {
	struct counters *next;
	size_t nr;
	uint64_t *calls, *before;
	uintptr_t *entry;
};

/* How often a function was called since the last look. */
struct busy {
	uintptr_t entry;
	uint64_t calls;
};

static struct counters *all; /* new ones are in front */
static struct patchbay_ops *counting;
static uint64_t last_ns;
static uint64_t last_cpu_ns; /* of CLOCK_PROCESS_CPUTIME_ID */
static uint64_t look_ns;     /* between two looks */
static double overhead;      /* of late; below 0: not known yet */
static double debt_ns;	     /* what was spent and was not allowed */

static void free_counters(struct counters *counters)
{
	if (!counters)
		return;
	free(counters->calls);
	free(counters->before);
	free(counters->entry);
	free(counters);
}

static struct counters *new_counters(size_t nr)
{
	struct counters *counters = calloc(1, sizeof(*counters));

	if (!counters)
		return NULL;
	counters->nr = nr;
	counters->calls = calloc(nr, sizeof(*counters->calls));
	counters->before = calloc(nr, sizeof(*counters->before));
	counters->entry = calloc(nr, sizeof(*counters->entry));
	if (counters->calls && counters->before && counters->entry)
		return counters;
	free_counters(counters);
	return NULL;
}

static int add_counters(void *data, const struct patchbay_module_info *module,
			struct patchbay_target *targets, size_t nr)
{
	struct counters *counters = new_counters(nr);
	pb_sigset signals;
	int error = 0;

	(void)data;
	(void)module;
	if (!counters)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		counters->entry[i] = targets[i].entry;
	/* The session has all indexes, and forgets them. */
	pb_signal_lock(&pb_session->lock, &signals);
	if (!pb_index_new(targets, nr, 0, counters->calls))
		error = -ENOMEM;
	pb_signal_unlock(&pb_session->lock, signals);
	if (error) {
		free_counters(counters);
		return error;
	}
	counters->next = all;
	__atomic_store_n(&all, counters, __ATOMIC_RELEASE);
	return 0;
}

static uint64_t look_least_ns(void)
{
	return (pb_options.max_rate ? PB_BUDGET_RATE_MS : PB_BUDGET_COST_MS) *
	       1000000ull;
}

int pb_budget_begin(int (*check)(void *arg,
				 const struct patchbay_target *target))
{
	const struct patchbay_ops_attr attr = {
		.size = sizeof(attr),
		.flags = PB_TRACER_FLAGS,
		.handler = pb_budget_call,
		.attach = add_counters,
		.check = check,
	};

	if (!pb_options.max_rate && !pb_options.max_overhead)
		return 0;
	last_ns = pb_now_ns(CLOCK_MONOTONIC);
	last_cpu_ns = pb_now_ns(CLOCK_PROCESS_CPUTIME_ID);
	look_ns = pb_options.max_overhead ? PB_BUDGET_SOON_MS * 1000000ull :
					    look_least_ns();
	overhead = -1;
	debt_ns = 0;
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
}

/* Of all tracers that are there, at once. */
static void disarm(const uintptr_t *entry, size_t nr, uint32_t why)
{
	const struct patchbay_filter filter = {
		.size = sizeof(filter), .addrs = entry, .cnt = nr,
	};
	struct patchbay_batch *batch;
	int error = patchbay_batch_create(&batch);

	if (error) {
		pb_note(error);
		return;
	}
	error = patchbay_batch_disarm(batch, pb_tracer, &filter);
	if (!error && pb_values_tracer)
		error = patchbay_batch_disarm(batch, pb_values_tracer, &filter);
	if (!error && pb_typed_tracer)
		error = patchbay_batch_disarm(batch, pb_typed_tracer, &filter);
	if (!error)
		error = patchbay_batch_disarm(batch, counting, &filter);
	if (!error)
		error = patchbay_batch_commit(batch);
	patchbay_batch_destroy(batch);
	/* A handler that runs on is nobody's failure. */
	if (error < 0 && error != -ETIMEDOUT) {
		pb_note(error);
		return;
	}
	for (size_t i = 0; i < nr; i++)
		pb_left_out_add(entry[i], why);
	pb_left_out_write();
}

/* Of all functions, those that were called since the last look; the number of these. */
static size_t take_calls(struct counters *counters, struct busy *busy)
{
	size_t nr = 0;

	for (; counters; counters = counters->next)
		for (size_t i = 0; i < counters->nr; i++) {
			const uint64_t calls = __atomic_load_n(
				&counters->calls[i], __ATOMIC_RELAXED);

			if (calls == counters->before[i])
				continue;
			busy[nr].entry = counters->entry[i];
			busy[nr++].calls = calls - counters->before[i];
			counters->before[i] = calls;
		}
	return nr;
}

static size_t count_functions(const struct counters *counters)
{
	size_t nr = 0;

	for (; counters; counters = counters->next)
		nr += counters->nr;
	return nr;
}

static int busier(const void *left, const void *right)
{
	const struct busy *a = left, *b = right;

	return (a->calls < b->calls) - (a->calls > b->calls);
}

static void disarm_first(const struct busy *busy, size_t nr, uint32_t why)
{
	uintptr_t *entry = nr ? malloc(nr * sizeof(*entry)) : NULL;

	if (!entry)
		return;
	for (size_t i = 0; i < nr; i++)
		entry[i] = busy[i].entry;
	disarm(entry, nr, why);
	free(entry);
}

/* Of functions in order of their calls, as many as were called too often. */
static size_t too_often(const struct busy *busy, size_t nr, uint64_t ns)
{
	size_t hot = 0;

	while (hot < nr && (double)busy[hot].calls * 1e9 >
				   (double)pb_options.max_rate * (double)ns)
		hot++;
	return hot;
}

/*
 * The same, as many as have to go so that the others, called as often as of late, cost
 * no more than what is allowed. That is a part of the time that the process would take
 * if it were not traced.
 */
static size_t too_costly(const struct busy *busy, size_t nr, double cpu_ns)
{
	const double each = (double)pb_options.call_cost_ps / 1000;
	const double why = (double)pb_why_spent();
	double spent = 0, own, now, allowed;
	size_t costly = 0;

	for (size_t i = 0; i < nr; i++)
		spent += (double)busy[i].calls * each;
	/* What is reckoned may be more than what was really taken. */
	own = cpu_ns - spent - why > cpu_ns / 10 ? cpu_ns - spent - why :
						   cpu_ns / 10;
	now = (spent + why) / own;
	overhead = overhead < 0 ? now : (overhead * 15 + now) / 16;
	allowed = own * (double)pb_options.max_overhead / 10000;
	/* Half of it may go into reasons (why=), and what does is not there for calls. */
	pb_why_allow((uint64_t)(allowed / 2));
	allowed -= why < allowed / 2 ? why : allowed / 2;
	/* What was too much before, as at the beginning, is saved in the long run. */
	debt_ns += spent - allowed;
	if (debt_ns < 0)
		debt_ns = 0;
	allowed = debt_ns / 16 < allowed / 2 ? allowed - debt_ns / 16 :
					       allowed / 2;
	while (costly < nr && spent > allowed)
		spent -= (double)busy[costly++].calls * each;
	/* From now on only the others cost something. */
	if (costly)
		overhead = (spent + why) / own;
	return costly;
}

/* A rate, and a part of so little, would be chance. */
#define CPU_LEAST_NS 1000000

static void look(uint64_t ns)
{
	const uint64_t cpu_ns = pb_now_ns(CLOCK_PROCESS_CPUTIME_ID);
	const uint64_t begin_ns = pb_now_ns(CLOCK_THREAD_CPUTIME_ID);
	/* Others may come meanwhile, in front of it. */
	struct counters *first = __atomic_load_n(&all, __ATOMIC_ACQUIRE);
	size_t nr, hot = 0, costly = 0;
	struct busy *busy;

	/* A forked child's time begins anew. */
	if (cpu_ns < last_cpu_ns)
		last_cpu_ns = 0;
	if (!pb_options.max_rate && cpu_ns - last_cpu_ns < CPU_LEAST_NS)
		return;
	busy = malloc((count_functions(first) + 1) * sizeof(*busy));
	if (!busy)
		return;
	nr = take_calls(first, busy);
	qsort(busy, nr, sizeof(*busy), busier);
	look_ns = (pb_now_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns) *
		  PB_BUDGET_LOOK_PART;
	if (look_ns < look_least_ns())
		look_ns = look_least_ns();
	if (pb_options.max_rate)
		hot = too_often(busy, nr, ns);
	disarm_first(busy, hot, PBD_LEFT_OUT_HOT);
	if (pb_options.max_overhead)
		costly = too_costly(busy + hot, nr - hot,
				    (double)(cpu_ns - last_cpu_ns));
	disarm_first(busy + hot, costly, PBD_LEFT_OUT_COSTLY);
	/* A program that does something else now has other busy functions, too. */
	if (costly)
		look_ns = PB_BUDGET_SOON_MS * 1000000ull;
	free(busy);
	last_cpu_ns = cpu_ns;
}

int pb_budget_look(void)
{
	uint64_t now, passed;

	if (!counting)
		return -1;
	now = pb_now_ns(CLOCK_MONOTONIC);
	passed = now - last_ns;
	if (passed >= look_ns) {
		last_ns = now;
		look(passed);
		passed = 0;
	}
	return (int)((look_ns - passed) / 1000000) + 1;
}

uint32_t pb_budget_overhead(void)
{
	if (!counting || !pb_options.max_overhead || overhead < 0)
		return PB_OVERHEAD_UNKNOWN;
	return overhead < 1000 ? (uint32_t)(overhead * 1e6) : 1000000000;
}

int pb_budget_undo(void)
{
	struct counters *counters;
	int error = counting ? patchbay_ops_destroy(counting) : 0;

	if (error)
		return error;
	counting = NULL;
	while ((counters = all)) {
		all = counters->next;
		free_counters(counters);
	}
	return 0;
}
