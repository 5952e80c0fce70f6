/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "budget.h"

#include "index.h"
#include "left_out.h"
#include "moment.h"
#include "options.h"
#include "session.h"
#include "start.h"
#include "tracers.h"

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

static struct counters *all; /* new ones are in front */
static struct patchbay_ops *counting;
static uint64_t last_ns;

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

	if (!pb_options.max_rate)
		return 0;
	last_ns = pb_now_ns(CLOCK_MONOTONIC);
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
static void disarm(const uintptr_t *entry, size_t nr)
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
		pb_left_out_add(entry[i], PBD_LEFT_OUT_HOT);
	pb_left_out_write();
}

static void look_at(struct counters *counters, uint64_t ns)
{
	uintptr_t hot[64];
	size_t nr = 0;

	for (size_t i = 0; i < counters->nr; i++) {
		const uint64_t calls =
			__atomic_load_n(&counters->calls[i], __ATOMIC_RELAXED);
		const uint64_t more = calls - counters->before[i];

		counters->before[i] = calls;
		if ((double)more * 1e9 <= (double)pb_options.max_rate * (double)ns)
			continue;
		hot[nr++] = counters->entry[i];
		if (nr == sizeof(hot) / sizeof(hot[0])) {
			disarm(hot, nr);
			nr = 0;
		}
	}
	if (nr)
		disarm(hot, nr);
}

int pb_budget_look(void)
{
	uint64_t now, passed;

	if (!counting)
		return -1;
	now = pb_now_ns(CLOCK_MONOTONIC);
	passed = now - last_ns;
	if (passed >= PB_BUDGET_LOOK_MS * 1000000ull) {
		last_ns = now;
		for (struct counters *counters =
			     __atomic_load_n(&all, __ATOMIC_ACQUIRE);
		     counters; counters = counters->next)
			look_at(counters, passed);
		passed = 0;
	}
	return (int)(PB_BUDGET_LOOK_MS - passed / 1000000);
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
