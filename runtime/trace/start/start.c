/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Starts the tracer that PATCHBAY or a command requests. Arms it on the selected functions,
 * in present modules and in modules that are loaded later, and changes it on request.
 *
 * The data file has the first failure, which `patchbay` reports.
 */
#include "file/arena.h"
#include "file/quota.h"
#include "functions/globs.h"
#include "functions/left_out.h"
#include "functions/modules.h"
#include "functions/site_check.h"
#include "functions/typed_program.h"
#include "live_part.h"
#include "session/losses.h"
#include "session/parent.h"
#include "session/recording.h"
#include "session/requested_names.h"
#include "session/syscalls.h"
#include "session/untraceable_modules.h"
#include "start.h"
#include "threads/own_clock.h"
#include "threads/tally.h"
#include "threads/thread.h"
#include "threads/thread_choice.h"
#include "tracers/context.h"
#include "tracers/tracer_table.h"
#include "tracers/tracers.h"
#include "tracers/under.h"
#include "tracers/why.h"

#include <core/system/private.h>

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct pb_tracer_kind *tracer;
/*
 * Functions to exclude. @notrace: from all tracers; @not_plain: from pb_tracer;
 * @not_values: from the tracer of args=.
 */
static struct patchbay_filter notrace, not_plain, not_values;
/* The tracers of start_at and stop_at. */
static struct patchbay_ops *triggers[2];

void pb_note(int result)
{
	if (result >= 0)
		return;
	pb_guard(&pb_session->lock);
	if (!pb_session_file())
		pb_data_note(&pb_session->file, result);
}

static struct patchbay_filter without(const struct patchbay_filter *which,
				      const struct patchbay_filter *except)
{
	struct patchbay_filter filter = *which;

	filter.notrace = except->glob ? except : NULL;
	return filter;
}

/*
 * Arm @ops on functions that @which selects. Skips functions that cannot have exits, and
 * sites that differ from the compiler's output, because of a breakpoint or llvm-bolt; the
 * file lists them as left out. If a client requests functions later, the reply has the
 * error instead.
 */
static int arm_tracer(struct patchbay_ops *ops,
		      const struct patchbay_filter *which,
		      const struct patchbay_filter *except, unsigned int flags)
{
	const struct patchbay_filter filter = without(which, except);
	int armed;

	if (tracer->attr.exit || flags & PATCHBAY_ARM_FUTURE)
		flags |= PATCHBAY_ARM_SKIP;
	armed = patchbay_arm_filter(ops, &filter, flags);
	if (armed >= 0)
		pb_budget_arm(&filter, flags);
	pb_left_out_write();
	pb_others_write();
	pb_note(pb_refused());
	return armed;
}

int pb_tracer_arm(const struct patchbay_filter *which, unsigned int flags)
{
	return arm_tracer(pb_tracer, which, &not_plain, flags);
}

int pb_tracer_disarm(const struct patchbay_filter *which, size_t nr)
{
	struct patchbay_batch *batch;
	int result = patchbay_batch_create(&batch);

	if (result)
		return result;
	/*
	 * Use the same filters as for arming, since they also identify the filters for
	 * modules that are loaded later.
	 */
	for (size_t i = 0; i < nr && !result; i++) {
		const struct patchbay_filter filter =
			without(&which[i], &not_plain);

		result = patchbay_batch_disarm(batch, pb_tracer, &filter);
	}
	if (!result)
		result = patchbay_batch_commit(batch);
	patchbay_batch_destroy(batch);
	for (size_t i = 0; i < nr && result >= 0; i++) {
		const struct patchbay_filter filter =
			without(&which[i], &not_plain);

		pb_budget_disarm(&filter);
	}
	return result;
}

static void arm_again(struct patchbay_ops *ops,
		      const struct patchbay_filter *which,
		      const struct patchbay_filter *except)
{
	const struct patchbay_filter filter = without(which, except);

	if (ops && patchbay_disarm_filter(ops, &filter) > 0)
		pb_note(arm_tracer(ops, which, except, PATCHBAY_ARM_SKIP));
}

void pb_tracer_arm_again(const struct patchbay_filter *which)
{
	arm_again(pb_tracer, which, &not_plain);
	arm_again(pb_values_tracer, which, &not_values);
	arm_again(pb_typed_tracer, which, &notrace);
}

/* Arm the functions that the globs select, also in modules that are loaded later. */
static void arm_globs(struct patchbay_ops *ops, enum pbd_asked_by by,
		      const char **globs, size_t nr,
		      const struct patchbay_filter *except)
{
	for (size_t i = 0; i < nr; i++) {
		const struct patchbay_filter filter =
			pb_glob_filter(by, globs[i]);

		pb_note(arm_tracer(ops, &filter, except, PATCHBAY_ARM_FUTURE));
	}
}

/*
 * Arm the functions of typed=. There are no globs, because the command has found all
 * functions.
 */
static void arm_typed(void)
{
	struct patchbay_filter filter = { .size = sizeof(filter) };

	filter.syms = pb_typed_symbols(&filter.cnt);
	if (filter.cnt)
		pb_note(arm_tracer(pb_typed_tracer, &filter, &notrace,
				   PATCHBAY_ARM_FUTURE));
}

static void arm_symbols(void)
{
	const struct patchbay_filter filter = {
		.size = sizeof(filter), .syms = pb_options.symbols,
		.cnt = pb_options.nr_symbols,
	};

	if (filter.cnt)
		pb_note(pb_tracer_arm(&filter, PATCHBAY_ARM_FUTURE));
}

void pb_start_arm(void)
{
	static struct pb_glob_list of_notrace, of_not_plain, of_not_values;

	of_notrace.globs = of_not_plain.globs = of_not_values.globs =
		pb_options.notrace;
	of_notrace.nr = of_not_plain.nr = of_not_values.nr =
		pb_options.nr_notrace;
	of_notrace.sorted = of_not_plain.sorted = of_not_values.sorted =
		pb_options.notrace_symbols;
	of_notrace.nr_sorted = of_not_plain.nr_sorted =
		of_not_values.nr_sorted = pb_options.nr_notrace_symbols;
	of_not_plain.names = of_not_values.names =
		pb_typed_symbols(&of_not_plain.nr_names);
	of_not_values.nr_names = of_not_plain.nr_names;
	of_not_plain.others = pb_options.args;
	of_not_plain.nr_others = pb_options.nr_args;
	notrace = pb_glob_list_filter("notrace", &of_notrace);
	not_plain = pb_glob_list_filter("notrace and args", &of_not_plain);
	not_values = pb_glob_list_filter("notrace and typed", &of_not_values);
	arm_globs(pb_tracer, PBD_FILTER, pb_options.filters,
		  pb_options.nr_filters, &not_plain);
	arm_symbols();
	arm_globs(pb_values_tracer, PBD_ARGS, pb_options.args,
		  pb_options.nr_args, &not_values);
	arm_typed();
}

/* Call this before arming the tracer: handlers run in the order of arming. */
static void arm_trigger(struct patchbay_ops **ops, patchbay_handler handler,
			enum pbd_asked_by by, const char **globs, size_t nr)
{
	const struct patchbay_ops_attr attr = {
		.size = sizeof(attr),
		.flags = PATCHBAY_OPS_FAST,
		.handler = handler,
	};
	int error = nr ? patchbay_ops_create(&attr, ops) : 0;

	for (size_t i = 0; i < nr && error >= 0; i++) {
		const struct patchbay_filter filter =
			pb_glob_filter(by, globs[i]);

		error = patchbay_arm_filter(*ops, &filter, PATCHBAY_ARM_FUTURE);
	}
	pb_note(error);
}

/*
 * Returns the rate of the clock between two moments. Waits if the first moment is so recent
 * that the rate would be inexact.
 */
static double ticks_per_ns(void)
{
	const struct timespec wait = { .tv_nsec = 1000000 };
	const struct pbd_session *chunk = pb_session->chunk;
	const struct pbd_moment *last;

	last = &chunk->last[chunk->nr_last % 2];
	if (last->monotonic_ns - chunk->first.monotonic_ns <
	    (uint64_t)wait.tv_nsec)
		nanosleep(&wait, NULL);
	pb_guard(&pb_session->lock);
	pb_session_tick();
	last = &chunk->last[chunk->nr_last % 2];
	return (double)(last->ticks - chunk->first.ticks) /
	       (double)(last->monotonic_ns - chunk->first.monotonic_ns);
}

uint64_t pb_tracer_ticks(uint64_t ns)
{
	return ns ? (uint64_t)((double)ns * ticks_per_ns()) : 0;
}

int pb_tracer_has_durations(void)
{
	return tracer->attr.exit && !tracer->histogram;
}

static uint64_t threshold_ticks(void)
{
	return pb_tracer_ticks(pb_options.threshold_ns);
}

static int make_events(void)
{
	pb_guard(&pb_session->lock);
	return pb_session_events();
}

int pb_tracer_set_threshold(uint64_t ns)
{
	uint64_t ticks, old;
	int error;

	if (!tracer->attr.exit)
		return -EOPNOTSUPP;
	/* options/option_table.c refuses this combination, too. */
	if (ns && pb_options.why_ns)
		return -EBUSY;
	/* A forked child that has no events yet has no chunk. */
	error = make_events();
	if (error)
		return error;
	/*
	 * The tracer keeps the handlers for the old threshold, which either count calls
	 * without a return or record their entries.
	 */
	if (tracer->with_threshold && !ns != !pb_options.threshold_ns)
		pb_losses_forget_returns();
	if (pb_options.threshold_ns != ns)
		pb_session_flag(PBD_SESSION_THRESHOLD_CHANGED);
	pb_options.threshold_ns = ns;
	pb_session->chunk->threshold_ns = ns;
	ticks = threshold_ticks();
	__atomic_store_n(&pb_threshold_when_recording, ticks, __ATOMIC_RELAXED);
	/* Change the threshold, unless a trigger has just ended recording. */
	old = __atomic_load_n(&pb_threshold, __ATOMIC_RELAXED);
	if (old != UINT64_MAX)
		__atomic_compare_exchange_n(&pb_threshold, &old, ticks, 0,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return 0;
}

static int stop_or_go_on(struct patchbay_ops *ops, int stop)
{
	return stop ? patchbay_ops_disable(ops) : patchbay_ops_enable(ops);
}

int pb_tracer_stop(int stop)
{
	int error = stop_or_go_on(pb_tracer, stop), other = 0;

	/* Stop all tracers, even if the first returns a timeout: it is stopped, too. */
	if (pb_values_tracer)
		other = stop_or_go_on(pb_values_tracer, stop);
	error = error ? error : other;
	if (pb_typed_tracer)
		other = stop_or_go_on(pb_typed_tracer, stop);
	return error ? error : other;
}

void pb_tracer_pause(int paused)
{
	struct patchbay_ops *const all[] = { pb_tracer, pb_values_tracer,
					     pb_typed_tracer };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i])
			pb_private_pause(all[i], paused);
}

uint32_t pb_tracer_armed(void)
{
	struct patchbay_ops *const all[] = {pb_tracer, pb_values_tracer,
					    pb_typed_tracer};
	uint64_t armed = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct patchbay_ops_info info = {.size = sizeof(info)};

		/* NULL if the last recording has not ended completely. */
		if (all[i] && !patchbay_ops_get_info(all[i], &info))
			armed += info.armed;
	}
	return (uint32_t)armed;
}

int pb_tracer_is_recording(void)
{
	return !tracer->events ||
	       __atomic_load_n(&pb_recording, __ATOMIC_RELAXED);
}

/*
 * Does the tracer count calls without a return? function_graph without a threshold records
 * their entries instead.
 */
static int counts_open_calls(void)
{
	return tracer->attr.exit &&
	       (!tracer->with_threshold || tracer->with_threshold == tracer);
}

static int start_events(void)
{
	int error;

	pb_waiting = pb_options.nr_start_at != 0;
	pb_under_waiting = pb_options.nr_under != 0;
	error = make_events();
	if (error)
		return error;
	pb_threshold_when_recording = threshold_ticks();
	if (pb_options.no_sleep_time)
		pb_own_clock_rate = (uint64_t)(ticks_per_ns() * 4294967296.0);
	if (pb_options.why_ns) {
		pb_switches_begin_early();
		pb_why_ns_per_tick =
			(uint64_t)(4294967296.0 / ticks_per_ns());
		__atomic_store_n(&pb_why_threshold,
				 pb_tracer_ticks(pb_options.why_ns),
				 __ATOMIC_RELAXED);
		pb_tracer_update_long_call();
	}
	if (pb_options.nr_threads)
		pb_thread_look_ticks =
			(uint64_t)(ticks_per_ns() * PB_THREAD_LOOK_NS);
	arm_trigger(&triggers[0], pb_trigger_start, PBD_START_AT,
		    pb_options.start_at, pb_options.nr_start_at);
	arm_trigger(&triggers[1], pb_trigger_stop, PBD_STOP_AT,
		    pb_options.stop_at, pb_options.nr_stop_at);
	if (counts_open_calls())
		pb_losses_begin_returns();
	if (!pb_options.nr_start_at) {
		pb_recording = 1;
		pb_threshold = pb_threshold_when_recording;
	}
	return 0;
}

static int start_session(void)
{
	int error;

	pb_page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	/* The session of an earlier recording exists; pb_session_forget() has reset it. */
	if (pb_session) {
		pb_session_own();
		pb_session->may_ask_loader = 1;
		return 0;
	}
	pb_session = pb_session_alloc(sizeof(*pb_session), &error);
	/* If a callback cannot be registered, objects of ended threads are not reused. */
	if (!error) {
		pb_session_own();
		pb_session->may_ask_loader = 1;
		pb_private_at_thread_exit(pb_thread_leaves);
		pb_private_on_missed(pb_count_missed);
		pb_site_check_init();
	}
	return error;
}

static int create(enum pb_under_of of, const struct patchbay_ops_attr *from,
		  struct patchbay_ops **ops)
{
	struct patchbay_ops_attr attr = pb_under_attr(of, from);

	attr.size = sizeof(attr);
	attr.flags = PB_TRACER_FLAGS;
	if (of == PB_UNDER_PLAIN)
		attr.flags |= PATCHBAY_OPS_NO_RESULT_FP;
	/* With typed= each function has data of its own. */
	if (attr.attach == pb_typed_attach)
		attr.flags &= ~PATCHBAY_OPS_MODULE_DATA;
	if (attr.exit)
		attr.check = pb_left_out_check;
	return patchbay_ops_create(&attr, ops);
}

int pb_start_read(const char *value, char why[PB_WHY_MAX])
{
	int error = pb_options_parse(&pb_options, value, why);

	if (error)
		return error;
	tracer = pb_tracer_find(pb_options.tracer_name, pb_options.histogram,
				pb_options.depth != 0, pb_options.no_sleep_time,
				pb_options.sample != 0);
	if (tracer && tracer->with_threshold && pb_options.threshold_ns)
		tracer = tracer->with_threshold;
	pb_depth = (unsigned int)pb_options.depth;
	pb_sample_set(pb_options.sample);
	error = pb_start_check(tracer, why);
	if (!error && pb_options.live && !pb_can_listen) {
		snprintf(why, PB_WHY_MAX,
			 "live, rotate-size, rotate-every, max-rate and max-overhead need "
			 "libpatchbay-live.so: preload it instead of libpatchbay-trace.so");
		error = -EINVAL;
	}
	return error;
}

int pb_start_begin(void)
{
	int error = pb_asked_init();

	if (pb_options.no_sleep_time || pb_options.nr_typed || pb_options.has_context ||
	    pb_options.why_ns ||
	    pb_options.max_overhead || pb_options.max_rate)
		pb_sandbox_start();
	pb_tracer_needs_blocks = tracer->events;
	pb_tally_kind = tracer->sample ? PBD_SAMPLES : PBD_HISTOGRAMS;
	pb_tally_size = tracer->sample ? sizeof(struct pbd_sample) :
					 sizeof(struct pbd_histogram);
	if (!error)
		error = start_session();
	if (!error && tracer->events)
		error = start_events();
	if (!error)
		error = pb_under_begin();
	if (!error)
		error = create(PB_UNDER_PLAIN, &tracer->attr, &pb_tracer);
	if (!error && pb_options.nr_args)
		error = create(PB_UNDER_VALUES, &tracer->values, &pb_values_tracer);
	if (!error && pb_options.nr_typed)
		error = create(PB_UNDER_TYPED, &tracer->typed, &pb_typed_tracer);
	if (!error)
		error = pb_budget_begin(tracer->attr.exit ? pb_left_out_check :
							    NULL);
	if (!error && tracer->attr.exit)
		pb_longjmp_start();
	return error;
}

void pb_write_end(void)
{
	/* Only now are all modules without traceable functions known. */
	pb_note(pb_refused());
	pb_others_write();
	pb_left_out_write();
	pb_losses_write_returns();
	pb_guard(&pb_session->lock);
	if (pb_session->chunk) {
		pb_threads_write_names();
		pb_session_tick();
		pb_arena_write_rest(&pb_session->file);
	}
}

static int destroy(struct patchbay_ops **ops)
{
	int error = patchbay_ops_destroy(*ops);

	if (!error)
		*ops = NULL;
	return error;
}

int pb_start_undo(void)
{
	struct patchbay_ops **all[] = { &triggers[0], &triggers[1], &pb_tracer,
					&pb_values_tracer, &pb_typed_tracer };
	int error, last;

	error = pb_budget_undo();
	/* Destroy all tracers, even after an error, so that no thread enters a handler any more. */
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		int result = destroy(all[i]);

		error = error ? error : result;
	}
	last = pb_under_undo();
	return error ? error : last;
}

/* Clear the session, except the data of the process and of its threads. The lock stays held. */
static void empty(struct pb_session *session)
{
	const struct pb_session before = *session;
	const size_t lock = offsetof(struct pb_session, nr_modules);

	memset((char *)session + lock, 0, sizeof(*session) - lock);
	session->owner = before.owner;
	session->first_leaving = before.first_leaving;
	session->last_leaving = before.last_leaving;
	session->lots = before.lots;
	session->newest_lot = before.newest_lot;
	session->nr_new_threads = before.nr_new_threads;
	/* Keep what other threads increment and decrement. */
	session->in_syscalls = before.in_syscalls;
	session->waiting = before.waiting;
	session->turn = before.turn;
}

void pb_session_forget(void)
{
	pb_guard(&pb_session->lock);
	pb_threads_forget();
	pb_why_forget();
	pb_left_out_forget();
	pb_others_forget();
	pb_session_forget_modules();
	pb_parent_forget();
	pb_losses_forget();
	if (pb_session->file.header)
		pb_quota_count(-(int64_t)pb_session->file.allocated);
	pb_arena_close(&pb_session->file);
	pb_data_close(&pb_session->file);
	pb_session_forget_start();
	empty(pb_session);
	pb_asked_forget();
	pb_typed_forget();
}
