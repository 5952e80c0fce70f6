/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Starts the tracers that PATCHBAY or a command requests, arms them on the selected
 * functions, in present and future modules, and changes them on request.
 *
 * The first failure is stored in the data file, and `patchbay` reports it.
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
 * Functions to exclude from each tracer: functions of notrace=, and functions that have
 * another tracer.
 */
static struct patchbay_filter except[PB_NR_TRACERS];
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

static struct patchbay_filter without_exceptions(const struct patchbay_filter *which,
						 enum pb_tracer_of of)
{
	struct patchbay_filter filter = *which;

	filter.notrace = except[of].glob ? &except[of] : NULL;
	return filter;
}

/*
 * Arm a tracer on the functions that @which selects. Skips functions that cannot have
 * exits, and sites that a debugger or llvm-bolt has changed; the file lists them as left
 * out. Without PATCHBAY_ARM_FUTURE a tracer without exits returns an error for such a site.
 */
static int arm_tracer(enum pb_tracer_of of, const struct patchbay_filter *which,
		      unsigned int flags)
{
	const struct patchbay_filter filter = without_exceptions(which, of);
	int armed;

	if (tracer->attr[PB_PLAIN].exit || flags & PATCHBAY_ARM_FUTURE)
		flags |= PATCHBAY_ARM_SKIP;
	armed = patchbay_arm_filter(*pb_tracers[of], &filter, flags);
	if (armed >= 0)
		pb_budget_arm(&filter, flags);
	pb_left_out_write();
	pb_others_write();
	pb_note(pb_refused());
	return armed;
}

int pb_tracer_arm(const struct patchbay_filter *which, unsigned int flags)
{
	return arm_tracer(PB_PLAIN, which, flags);
}

int pb_tracer_disarm(const struct patchbay_filter *which, size_t nr)
{
	struct patchbay_batch *batch;
	int result = patchbay_batch_create(&batch);

	if (result)
		return result;
	/*
	 * Use the same filters as for arming: libpatchbay drops its filters for future
	 * modules only if they are equal.
	 */
	for (size_t i = 0; i < nr && !result; i++) {
		const struct patchbay_filter filter = without_exceptions(&which[i], PB_PLAIN);

		result = patchbay_batch_disarm(batch, pb_tracer, &filter);
	}
	if (!result)
		result = patchbay_batch_commit(batch);
	patchbay_batch_destroy(batch);
	for (size_t i = 0; i < nr && result >= 0; i++) {
		const struct patchbay_filter filter = without_exceptions(&which[i], PB_PLAIN);

		pb_budget_disarm(&filter);
	}
	return result;
}

void pb_tracer_arm_again(const struct patchbay_filter *which)
{
	for (enum pb_tracer_of of = 0; of < PB_NR_TRACERS; of++) {
		const struct patchbay_filter filter = without_exceptions(which, of);

		if (*pb_tracers[of] && patchbay_disarm_filter(*pb_tracers[of], &filter) > 0)
			pb_note(arm_tracer(of, which, PATCHBAY_ARM_SKIP));
	}
}

/* Arm the functions that the globs select, in present and future modules. */
static void arm_globs(enum pb_tracer_of of, enum pbd_asked_by by, const char **globs,
		      size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct patchbay_filter filter = pb_glob_filter(by, globs[i]);

		pb_note(arm_tracer(of, &filter, PATCHBAY_ARM_FUTURE));
	}
}

static void arm_symbols(enum pb_tracer_of of, const char *const *symbols, size_t nr)
{
	const struct patchbay_filter filter = {
		.size = sizeof(filter), .syms = symbols, .cnt = nr,
	};

	if (nr)
		pb_note(arm_tracer(of, &filter, PATCHBAY_ARM_FUTURE));
}

void pb_start_arm(void)
{
	static const char *const names[] = { "notrace and args", "notrace and typed", "notrace" };
	static struct pb_glob_list lists[PB_NR_TRACERS];
	const char *const *typed;
	size_t nr_typed;

	typed = pb_typed_symbols(&nr_typed);
	for (enum pb_tracer_of of = 0; of < PB_NR_TRACERS; of++) {
		lists[of] = (struct pb_glob_list){
			.globs = pb_options.notrace,
			.nr = pb_options.nr_notrace,
			.sorted = pb_options.notrace_symbols,
			.nr_sorted = pb_options.nr_notrace_symbols,
			.names = typed,
			.nr_names = of == PB_TYPED ? 0 : nr_typed,
			.others = pb_options.args,
			.nr_others = of == PB_PLAIN ? pb_options.nr_args : 0,
		};
		except[of] = pb_glob_list_filter(names[of], &lists[of]);
	}
	arm_globs(PB_PLAIN, PBD_FILTER, pb_options.filters, pb_options.nr_filters);
	arm_symbols(PB_PLAIN, pb_options.symbols, pb_options.nr_symbols);
	arm_globs(PB_VALUES, PBD_ARGS, pb_options.args, pb_options.nr_args);
	/* typed= has no globs, because the command lists all functions by name. */
	arm_symbols(PB_TYPED, typed, nr_typed);
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
 * Returns the rate of the counter since the first moment. Waits 1 ms if the first moment is
 * so recent that the rate would be inexact.
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
	return tracer->attr[PB_PLAIN].exit && !tracer->histogram;
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

	if (!tracer->attr[PB_PLAIN].exit)
		return -EOPNOTSUPP;
	/* options/option_table.c refuses the combination of threshold= and why=, too. */
	if (ns && pb_options.why_ns)
		return -EBUSY;
	/* A forked child without events has no session chunk yet. */
	error = make_events();
	if (error)
		return error;
	/*
	 * The tracer keeps its handlers. The handlers for threshold 0 record entries, the
	 * handlers for other thresholds count open calls. After this change the count is
	 * unreliable.
	 */
	if (tracer->with_threshold && !ns != !pb_options.threshold_ns)
		pb_losses_forget_returns();
	if (pb_options.threshold_ns != ns)
		pb_session_flag(PBD_SESSION_THRESHOLD_CHANGED);
	pb_options.threshold_ns = ns;
	pb_session->chunk->threshold_ns = ns;
	ticks = threshold_ticks();
	__atomic_store_n(&pb_threshold_when_recording, ticks, __ATOMIC_RELAXED);
	/* The exchange fails if a trigger has just stopped recording. */
	old = __atomic_load_n(&pb_threshold, __ATOMIC_RELAXED);
	if (old != UINT64_MAX)
		__atomic_compare_exchange_n(&pb_threshold, &old, ticks, 0,
					    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
	pb_threshold_changed();
	return 0;
}

int pb_tracer_stop(int stop)
{
	int error = 0;

	/* Continue after a timeout: a tracer that returns a timeout is stopped, too. */
	for (enum pb_tracer_of of = 0; of < PB_NR_TRACERS; of++) {
		struct patchbay_ops *ops = *pb_tracers[of];
		const int result = !ops ? 0 :
				   stop ? patchbay_ops_disable(ops) :
					  patchbay_ops_enable(ops);

		error = error ? error : result;
	}
	return error;
}

void pb_tracer_pause(int paused)
{
	for (enum pb_tracer_of of = 0; of < PB_NR_TRACERS; of++)
		if (*pb_tracers[of])
			pb_private_pause(*pb_tracers[of], paused);
}

uint32_t pb_tracer_armed(void)
{
	uint64_t armed = 0;

	for (enum pb_tracer_of of = 0; of < PB_NR_TRACERS; of++) {
		struct patchbay_ops_info info = { .size = sizeof(info) };

		/* NULL: the tracer is unused, or pb_start_undo() has destroyed it. */
		if (*pb_tracers[of] && !patchbay_ops_get_info(*pb_tracers[of], &info))
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
 * Does the tracer count calls without a return? The graph tracer without a threshold
 * records entries instead.
 */
static int counts_open_calls(void)
{
	return tracer->attr[PB_PLAIN].exit &&
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
	/*
	 * Reuse the session of an earlier recording, which pb_session_forget() has reset.
	 */
	if (pb_session) {
		pb_session_own();
		pb_session->may_ask_loader = 1;
		return 0;
	}
	pb_session = pb_session_alloc(sizeof(*pb_session), &error);
	/*
	 * If the callback cannot be registered, threads end without announcing it
	 * (thread.h).
	 */
	if (!error) {
		pb_session_own();
		pb_session->may_ask_loader = 1;
		pb_private_at_thread_exit(pb_thread_leaves);
		pb_private_on_missed(pb_count_missed);
		pb_site_check_init();
	}
	return error;
}

static int create(enum pb_tracer_of of)
{
	struct patchbay_ops_attr attr = pb_under_attr(of, &tracer->attr[of]);

	attr.size = sizeof(attr);
	attr.flags = PB_TRACER_FLAGS;
	if (of == PB_PLAIN)
		attr.flags |= PATCHBAY_OPS_NO_RESULT_FP;
	/* With typed= each function has its own data. */
	if (attr.attach == pb_typed_attach)
		attr.flags &= ~PATCHBAY_OPS_MODULE_DATA;
	if (attr.exit)
		attr.check = pb_left_out_check;
	return patchbay_ops_create(&attr, pb_tracers[of]);
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
	const int is_wanted[PB_NR_TRACERS] = { 1, pb_options.nr_args != 0,
					       pb_options.nr_typed != 0 };
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
	for (enum pb_tracer_of of = 0; of < PB_NR_TRACERS && !error; of++)
		if (is_wanted[of])
			error = create(of);
	/* A trigger may have changed the threshold since a tracer copied it. */
	pb_threshold_changed();
	if (!error)
		error = pb_budget_begin(tracer->attr[PB_PLAIN].exit ? pb_left_out_check :
							    NULL);
	if (!error)
		pb_longjmp_start();
	return error;
}

void pb_write_end(void)
{
	/* The list of untraceable modules is complete only now. */
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

int pb_tracer_destroy(struct patchbay_ops **ops)
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
	/*
	 * Destroy all tracers even after an error, so that threads stop entering handlers.
	 */
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		int result = pb_tracer_destroy(all[i]);

		error = error ? error : result;
	}
	last = pb_under_undo();
	return error ? error : last;
}

/*
 * Clear the session except the data of the process and of its threads. Keeps the lock held.
 */
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
	/* Other threads increment and decrement these counters. */
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
