/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The tracer that PATCHBAY, or a command, asks for: it is armed on the functions that
 * are named, in every module that is there and that will come, and changed later.
 *
 * What goes wrong is left in the data file, the first failure, for `patchbay` to
 * tell.
 */
#include "budget.h"
#include "context.h"
#include "globs.h"
#include "left_out.h"
#include "longjmp.h"
#include "losses.h"
#include "others.h"
#include "own_clock.h"
#include "refused.h"
#include "sample.h"
#include "sandbox.h"
#include "start.h"
#include "tally.h"
#include "thread.h"
#include "thread_choice.h"
#include "tracers.h"
#include "typed.h"
#include "under.h"
#include "why.h"

#include <core/private.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>

static const struct tracer {
	const char *name;
	int events;    /* which triggers can start and stop */
	int histogram; /* the one that is meant beside histogram=1 */
	int depth;     /* or beside depth=N */
	int no_sleep_time; /* or beside sleep-time=0 */
	int sample; /* or beside sample=1/N */
	struct patchbay_ops_attr attr;
	struct patchbay_ops_attr values; /* of functions that args= names */
	struct patchbay_ops_attr typed;	 /* and typed= */
} tracers[] = {
	{ .name = "function_profile",
	  .attr = { .handler = pb_profile_call, .attach = pb_profile_attach } },
	{ .name = "function_profile", .events = 1, .histogram = 1,
	  .attr = { .exit = pb_histogram_exit, .threshold = &pb_threshold,
		    .attach = pb_histogram_attach } },
	{ .name = "function_profile", .events = 1, .histogram = 1,
	  .no_sleep_time = 1,
	  .attr = { .handler = pb_awake_entry, .exit = pb_awake_histogram_exit,
		    .attach = pb_histogram_attach } },
	{ .name = "function", .events = 1,
	  .attr = { .handler = pb_function_entry,
		    .attach = pb_session_attach },
	  .values = { .handler = pb_values_entry,
		      .attach = pb_session_attach },
	  .typed = { .handler = pb_typed_entry, .attach = pb_typed_attach } },
	{ .name = "function_duration", .events = 1,
	  .attr = { .exit = pb_duration_exit, .threshold = &pb_threshold,
		    .attach = pb_session_attach },
	  .values = { .exit = pb_values_exit, .threshold = &pb_threshold,
		      .attach = pb_session_attach },
	  .typed = { .handler = pb_typed_duration_entry, .exit = pb_typed_exit,
		     .attach = pb_typed_attach } },
	{ .name = "function_duration", .events = 1, .depth = 1,
	  .attr = { .handler = pb_depth_duration_entry, .exit = pb_depth_exit,
		    .attach = pb_session_attach } },
	{ .name = "function_duration", .events = 1, .no_sleep_time = 1,
	  .attr = { .handler = pb_awake_entry, .exit = pb_awake_exit,
		    .attach = pb_session_attach } },
	{ .name = "function_graph", .events = 1,
	  .attr = { .handler = pb_graph_entry, .exit = pb_graph_exit,
		    .attach = pb_session_attach },
	  .values = { .handler = pb_graph_entry, .exit = pb_values_graph_exit,
		      .attach = pb_session_attach },
	  .typed = { .handler = pb_typed_graph_entry, .exit = pb_typed_exit,
		     .attach = pb_typed_attach } },
	{ .name = "function_graph", .events = 1, .depth = 1,
	  .attr = { .handler = pb_depth_graph_entry, .exit = pb_depth_exit,
		    .attach = pb_session_attach } },
	{ .name = "function", .events = 1, .sample = 1,
	  .attr = { .handler = pb_sample_function_entry,
		    .attach = pb_sample_attach },
	  .values = { .handler = pb_sample_function_values,
		      .attach = pb_sample_attach } },
	{ .name = "function_duration", .events = 1, .sample = 1,
	  .attr = { .handler = pb_sample_duration_entry,
		    .exit = pb_sample_exit, .attach = pb_sample_attach },
	  .values = { .handler = pb_sample_duration_entry,
		      .exit = pb_sample_values_exit,
		      .attach = pb_sample_attach } },
	{ .name = "function_graph", .events = 1, .sample = 1,
	  .attr = { .handler = pb_sample_graph_entry, .exit = pb_sample_exit,
		    .attach = pb_sample_attach },
	  .values = { .handler = pb_sample_graph_entry,
		      .exit = pb_sample_values_exit,
		      .attach = pb_sample_attach } },
	{ .name = "function_graph", .events = 1, .no_sleep_time = 1,
	  .attr = { .handler = pb_awake_graph_entry, .exit = pb_awake_exit,
		    .attach = pb_session_attach } },
};

static const struct tracer *tracer;
/* What no tracer is armed on, and what pb_tracer is not. */
static struct patchbay_filter notrace, not_plain, not_values;
struct patchbay_ops *pb_tracer, *pb_values_tracer, *pb_typed_tracer;
/* Of start_at and stop_at. */
static struct patchbay_ops *triggers[2];

static const struct tracer *find_tracer(const char *name, int histogram,
					int depth, int no_sleep_time, int sample)
{
	for (size_t i = 0; i < sizeof(tracers) / sizeof(tracers[0]); i++)
		if (name && !strcmp(tracers[i].name, name) &&
		    tracers[i].histogram == histogram &&
		    tracers[i].depth == depth &&
		    tracers[i].no_sleep_time == no_sleep_time &&
		    tracers[i].sample == sample)
			return &tracers[i];
	return NULL;
}

void pb_note(int result)
{
	pb_sigset signals;

	if (result >= 0)
		return;
	pb_signal_lock(&pb_session->lock, &signals);
	if (!pb_session_file())
		pb_data_note(&pb_session->file, result);
	pb_signal_unlock(&pb_session->lock, signals);
}

static struct patchbay_filter without(const struct patchbay_filter *which,
				      const struct patchbay_filter *except)
{
	struct patchbay_filter filter = *which;

	filter.notrace = except->glob ? except : NULL;
	return filter;
}

/*
 * Some functions cannot have exits, and some sites are not what the compiler made
 * of them, because of a breakpoint or llvm-bolt. As with functions without a
 * site, that is no reason not to trace the others; both are written down. Who
 * asks for functions later is told at once.
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
	/* As it was armed: filters for modules to come are known by all of it. */
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

/* In modules that come later, too. */
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

/* What they name the command has found: that is in no other module. */
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

/* Before the tracer: handlers run in the order in which they were armed. */
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
 * The longer between two moments, the better known is the rate: unless there is
 * one of a while ago, wait.
 */
static double ticks_per_ns(void)
{
	const struct timespec wait = { .tv_nsec = 1000000 };
	const struct pbd_session *chunk = pb_session->chunk;
	const struct pbd_moment *last;
	pb_sigset signals;

	last = &chunk->last[chunk->nr_last % 2];
	if (last->monotonic_ns - chunk->first.monotonic_ns <
	    (uint64_t)wait.tv_nsec)
		nanosleep(&wait, NULL);
	pb_signal_lock(&pb_session->lock, &signals);
	pb_session_tick();
	pb_signal_unlock(&pb_session->lock, signals);
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

int pb_tracer_set_threshold(uint64_t ns)
{
	uint64_t ticks, old;
	pb_sigset signals;
	int error;

	if (!tracer->attr.exit)
		return -EOPNOTSUPP;
	/* A forked child that has recorded nothing has no chunk yet. */
	pb_signal_lock(&pb_session->lock, &signals);
	error = pb_session_events();
	pb_signal_unlock(&pb_session->lock, signals);
	if (error)
		return error;
	pb_options.threshold_ns = ns;
	pb_session->chunk->threshold_ns = ns;
	ticks = threshold_ticks();
	__atomic_store_n(&pb_threshold_when_recording, ticks, __ATOMIC_RELAXED);
	/* Unless a trigger has just ended recording, which must stay so. */
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

	/* Also if it was waited in vain: then the first has been stopped. */
	if (pb_values_tracer)
		other = stop_or_go_on(pb_values_tracer, stop);
	error = error ? error : other;
	if (pb_typed_tracer)
		other = stop_or_go_on(pb_typed_tracer, stop);
	return error ? error : other;
}

int pb_tracer_is_recording(void)
{
	return !tracer->events ||
	       __atomic_load_n(&pb_recording, __ATOMIC_RELAXED);
}

static int start_events(void)
{
	pb_sigset signals;
	int error;

	pb_waiting = pb_options.nr_start_at != 0;
	pb_under_waiting = pb_options.nr_under != 0;
	pb_signal_lock(&pb_session->lock, &signals);
	error = pb_session_events();
	pb_signal_unlock(&pb_session->lock, signals);
	if (error)
		return error;
	pb_threshold_when_recording = threshold_ticks();
	if (pb_options.no_sleep_time)
		pb_own_clock_rate = (uint64_t)(ticks_per_ns() * 4294967296.0);
	if (pb_options.why_ns) {
		pb_why_ns_per_tick =
			(uint64_t)(4294967296.0 / ticks_per_ns());
		__atomic_store_n(&pb_why_threshold,
				 pb_tracer_ticks(pb_options.why_ns),
				 __ATOMIC_RELAXED);
	}
	if (pb_options.nr_threads)
		pb_thread_look_ticks =
			(uint64_t)(ticks_per_ns() * PB_THREAD_LOOK_NS);
	arm_trigger(&triggers[0], pb_trigger_start, PBD_START_AT,
		    pb_options.start_at, pb_options.nr_start_at);
	arm_trigger(&triggers[1], pb_trigger_stop, PBD_STOP_AT,
		    pb_options.stop_at, pb_options.nr_stop_at);
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
	/* That of an earlier recording was emptied (visit.h). */
	if (pb_session) {
		pb_session_own();
		return 0;
	}
	pb_session = pb_session_alloc(sizeof(*pb_session), &error);
	/* Where it cannot be had, what threads leave behind is not used again. */
	if (!error) {
		pb_session_own();
		pb_private_at_thread_exit(pb_thread_leaves);
		pb_private_on_missed(pb_count_missed);
	}
	return error;
}

static int create(struct patchbay_ops_attr attr, struct patchbay_ops **ops)
{
	attr.size = sizeof(attr);
	attr.flags = PB_TRACER_FLAGS;
	/* Each function has its own. */
	if (attr.attach == pb_typed_attach)
		attr.flags &= ~PATCHBAY_OPS_MODULE_DATA;
	if (attr.exit)
		attr.check = pb_left_out_check;
	return patchbay_ops_create(&attr, ops);
}

/* What it takes to change code. libpatchbay would fail with each module. */
static int check_proc(char why[PB_WHY_MAX])
{
	int fd = open("/proc/thread-self/mem", O_RDWR | O_CLOEXEC);

	if (fd >= 0) {
		close(fd);
		return 0;
	}
	snprintf(why, PB_WHY_MAX,
		 "/proc/thread-self/mem, through which code is changed: %s%s",
		 strerror(errno), errno == ENOENT ? " (is /proc mounted?)" : "");
	return -EINVAL;
}

/* Before there is something to record: a program may have none. */
static int check_output(char why[PB_WHY_MAX])
{
	int fd, error = 0;

	if (!pb_options.output) {
		snprintf(why, PB_WHY_MAX,
			 "no output: give a directory, as in output=/tmp");
		return -EINVAL;
	}
	fd = open(pb_options.output, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || faccessat(AT_FDCWD, pb_options.output, W_OK | X_OK, 0))
		error = -errno;
	if (fd >= 0)
		close(fd);
	if (error)
		snprintf(why, PB_WHY_MAX, "output='%s': %s", pb_options.output,
			 strerror(-error));
	return error;
}

/* By events of calls that have ended, and of all the time that these took. */
static int can_say_why(void)
{
	return tracer->events && tracer->attr.exit && !tracer->histogram &&
	       !tracer->no_sleep_time;
}

/* Everything that PATCHBAY says, or what is wrong with it. */
int pb_start_read(const char *value, char why[PB_WHY_MAX])
{
	int error = pb_options_parse(&pb_options, value, why);

	if (error)
		return error;
	tracer = find_tracer(pb_options.tracer_name, pb_options.histogram,
			     pb_options.depth != 0, pb_options.no_sleep_time,
			     pb_options.sample != 0);
	pb_depth = (unsigned int)pb_options.depth;
	pb_sample = pb_options.sample;
	if (tracer && (pb_options.nr_args || pb_options.nr_typed) &&
	    !tracer->values.attach)
		snprintf(why, PB_WHY_MAX,
			 "args is for tracers of events, and not beside depth or sleep-time");
	else if (tracer && pb_options.nr_threads && !tracer->events)
		snprintf(why, PB_WHY_MAX,
			 "thread is for tracers of events, and for histogram=1");
	else if (tracer && !tracer->events &&
		 (pb_options_rotate(&pb_options) || pb_options.max_memory))
		snprintf(why, PB_WHY_MAX,
			 "rotate-size, rotate-every and max-memory are for tracers of events, and for histogram=1");
	else if (tracer && pb_options.has_context && !pb_options.nr_args)
		snprintf(why, PB_WHY_MAX,
			 "trace-context is for functions that args names");
	else if (tracer && pb_options.why_ns && !can_say_why())
		snprintf(why, PB_WHY_MAX,
			 "why is for function_duration and function_graph, and not beside sleep-time");
	else if (tracer && !pb_options.nr_filters && !pb_options.nr_args &&
		 !pb_options.nr_typed && !pb_options.live)
		snprintf(why, PB_WHY_MAX,
			 "no filter: give a glob for names, as in filter=*");
	else if (tracer && (pb_options.nr_typed || pb_options.why_ns) &&
		 (pb_options.sample || pb_options_rotate(&pb_options)))
		snprintf(why, PB_WHY_MAX,
			 "typed and why are not for use beside sample, rotate-size or rotate-every");
	else if (tracer && pb_typed_init())
		snprintf(why, PB_WHY_MAX,
			 "typed is not as this version's 'patchbay record' makes it");
	else if (tracer)
		return check_output(why) ? -EINVAL : check_proc(why);
	else if (pb_options.sample &&
		 find_tracer(pb_options.tracer_name, pb_options.histogram,
			     pb_options.depth != 0, pb_options.no_sleep_time, 0))
		snprintf(why, PB_WHY_MAX,
			 "sample is for tracers of events, and not beside depth or sleep-time");
	else if (pb_options.no_sleep_time &&
		 find_tracer(pb_options.tracer_name, pb_options.histogram,
			     pb_options.depth != 0, 0, pb_options.sample != 0))
		snprintf(why, PB_WHY_MAX,
			 "sleep-time is for tracers of durations, and not beside depth");
	else if (find_tracer(pb_options.tracer_name, 0, 0, 0, 0) && pb_options.depth)
		snprintf(why, PB_WHY_MAX,
			 "depth is for function_duration and function_graph");
	else if (pb_options.histogram)
		snprintf(why, PB_WHY_MAX,
			 "histogram=1 is for tracer=function_profile");
	else if (!pb_options.tracer_name)
		snprintf(why, PB_WHY_MAX,
			 "no tracer: give one, as in tracer=function_profile");
	else
		snprintf(why, PB_WHY_MAX,
			 "tracer='%s' is none of function_profile, function, function_duration, function_graph",
			 pb_options.tracer_name);
	return -EINVAL;
}

int pb_start_begin(void)
{
	int error = pb_globs_init();

	if (pb_options.no_sleep_time || pb_options.nr_typed || pb_options.why_ns)
		pb_sandbox_start();
	pb_tracer_needs_blocks = tracer->events;
	pb_tally_kind = tracer->sample ? PBD_SAMPLES : PBD_HISTOGRAMS;
	pb_tally_size = tracer->sample ? sizeof(struct pbd_sample) :
					 sizeof(struct pbd_histogram);
	/* Nothing is armed yet; most of it will be before main(). */
	if (!error && !pb_options.no_stores)
		error = patchbay_set_mode(PATCHBAY_MODE_STORES);
	if (!error)
		error = start_session();
	if (!error && tracer->events)
		error = start_events();
	if (!error)
		error = pb_under_begin();
	if (!error)
		error = create(pb_under_attr(PB_UNDER_PLAIN, &tracer->attr),
			       &pb_tracer);
	if (!error && pb_options.nr_args)
		error = create(pb_under_attr(PB_UNDER_VALUES, &tracer->values),
			       &pb_values_tracer);
	if (!error && pb_options.nr_typed)
		error = create(pb_under_attr(PB_UNDER_TYPED, &tracer->typed),
			       &pb_typed_tracer);
	if (!error)
		error = pb_budget_begin(tracer->attr.exit ? pb_left_out_check :
							    NULL);
	if (!error && tracer->attr.exit)
		pb_longjmp_start();
	return error;
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
	int error = pb_budget_undo(), last;

	/* Each of them, so that none is entered any more. */
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		int result = destroy(all[i]);

		error = error ? error : result;
	}
	last = pb_under_undo();
	return error ? error : last;
}

