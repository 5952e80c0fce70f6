/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What happens in a program that `patchbay record` starts: the constructor
 * below arms the functions that PATCHBAY names, in every module that is there
 * and that will come.
 *
 * Nothing is reported from here. The first failure is left in the data file for
 * `patchbay` to tell; a process without a data file could not even make one.
 */
#include "session.h"
#include "start.h"
#include "tracers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>

static const struct tracer {
	const char *name;
	int events; /* which triggers can start and stop */
	struct patchbay_ops_attr attr;
} tracers[] = {
	{ "function_profile", 0,
	  { .handler = pb_profile_call, .attach = pb_profile_attach } },
	{ "function", 1,
	  { .handler = pb_function_entry, .attach = pb_session_attach } },
	{ "function_duration", 1,
	  { .exit = pb_duration_exit, .threshold = &pb_threshold,
	    .attach = pb_session_attach } },
	{ "function_graph", 1,
	  { .handler = pb_graph_entry, .exit = pb_graph_exit,
	    .attach = pb_session_attach } },
};

static const struct tracer *tracer;
static struct patchbay_filter notrace = { .size = sizeof(notrace) };
struct patchbay_ops *pb_tracer;

static const struct tracer *find_tracer(const char *name)
{
	for (size_t i = 0; i < sizeof(tracers) / sizeof(tracers[0]); i++)
		if (name && !strcmp(tracers[i].name, name))
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

/* Append @glob, a pattern of fnmatch(3), to @to as a regular expression. */
static char *glob_to_regex(char *to, const char *glob)
{
	for (; *glob; glob++) {
		if (*glob == '*') {
			*to++ = '.';
			*to++ = '*';
		} else if (*glob == '?') {
			*to++ = '.';
		} else if (*glob == '[' && strchr(glob + 1, ']')) {
			const char *end = strchr(glob + 1, ']');

			*to++ = *glob++;
			if (*glob == '!')
				*to++ = '^', glob++;
			while (glob < end)
				*to++ = *glob++;
			*to++ = ']';
		} else {
			if (*glob == '\\' && glob[1])
				glob++;
			if (strchr(".[\\()*+?{|^$", *glob))
				*to++ = '\\';
			*to++ = *glob;
		}
	}
	return to;
}

/* A filter leaves out what one pattern selects: all of notrace= in one. */
static char *notrace_regex(void)
{
	size_t length = 5;
	char *regex, *to;

	for (size_t i = 0; i < pb_options.nr_notrace; i++)
		length += 2 * strlen(pb_options.notrace[i]) + 1;
	regex = to = malloc(length);
	if (!regex)
		return NULL;
	*to++ = '^';
	for (size_t i = 0; i < pb_options.nr_notrace; i++) {
		*to++ = i ? '|' : '(';
		to = glob_to_regex(to, pb_options.notrace[i]);
	}
	strcpy(to, ")$");
	return regex;
}

/*
 * Some functions cannot have exits; as with those without a site, that is no
 * reason not to trace the others.
 */
int pb_tracer_arm(const char *glob, unsigned int flags)
{
	const struct patchbay_filter filter = {
		.size = sizeof(filter),
		.glob = glob,
		.notrace = notrace.regex ? &notrace : NULL,
	};

	if (tracer->attr.exit)
		flags |= PATCHBAY_ARM_SKIP;
	return patchbay_arm_filter(pb_tracer, &filter, flags);
}

int pb_tracer_disarm(const char *glob)
{
	return patchbay_disarm(pb_tracer, glob);
}

static void arm(void)
{
	if (pb_options.nr_notrace) {
		notrace.regex = notrace_regex();
		if (!notrace.regex) {
			pb_note(-ENOMEM);
			return;
		}
	}
	for (size_t i = 0; i < pb_options.nr_filters; i++)
		pb_note(pb_tracer_arm(pb_options.filters[i],
				      PATCHBAY_ARM_FUTURE));
}

/* Before the tracer: handlers run in the order in which they were armed. */
static void arm_trigger(patchbay_handler handler, const char *function)
{
	const struct patchbay_ops_attr attr = {
		.size = sizeof(attr),
		.flags = PATCHBAY_OPS_FAST,
		.handler = handler,
	};
	const struct patchbay_filter filter = {
		.size = sizeof(filter), .syms = &function, .cnt = 1,
	};
	struct patchbay_ops *ops;
	int error;

	if (!function)
		return;
	error = patchbay_ops_create(&attr, &ops);
	if (!error)
		error = patchbay_arm_filter(ops, &filter, PATCHBAY_ARM_FUTURE);
	pb_note(error);
}

/* In ticks. The longer between two moments, the better known is the rate. */
static uint64_t threshold_ticks(void)
{
	const struct timespec wait = { .tv_nsec = 1000000 };
	const struct pbd_session *chunk = pb_session->chunk;
	const struct pbd_moment *last;
	pb_sigset signals;

	if (!pb_options.threshold_ns)
		return 0;
	nanosleep(&wait, NULL);
	pb_signal_lock(&pb_session->lock, &signals);
	pb_session_tick();
	pb_signal_unlock(&pb_session->lock, signals);
	last = &chunk->last[chunk->nr_last % 2];
	return (uint64_t)((double)pb_options.threshold_ns *
			  (double)(last->ticks - chunk->first.ticks) /
			  (double)(last->monotonic_ns -
				   chunk->first.monotonic_ns));
}

int pb_tracer_set_threshold(uint64_t ns)
{
	uint64_t ticks, old;

	if (!tracer->attr.exit)
		return -EOPNOTSUPP;
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

int pb_tracer_is_recording(void)
{
	return !tracer->events ||
	       __atomic_load_n(&pb_recording, __ATOMIC_RELAXED);
}

static int start_events(void)
{
	pb_sigset signals;
	int error;

	pb_signal_lock(&pb_session->lock, &signals);
	error = pb_session_events();
	pb_signal_unlock(&pb_session->lock, signals);
	if (error)
		return error;
	pb_threshold_when_recording = threshold_ticks();
	arm_trigger(pb_trigger_start, pb_options.start_at);
	arm_trigger(pb_trigger_stop, pb_options.stop_at);
	if (!pb_options.start_at) {
		pb_recording = 1;
		pb_threshold = pb_threshold_when_recording;
	}
	return 0;
}

static int start_session(void)
{
	int error;

	pb_page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	pb_session = pb_session_alloc(sizeof(*pb_session), &error);
	return error;
}

/*
 * This library is initialized first (-z initfirst), so glibc has not set environ
 * yet; it gives constructors what it will be. Other C libraries do the opposite.
 */
static const char *from_environment(char **envp)
{
	static const char name[] = "PATCHBAY=";

	if (environ)
		envp = environ;
	if (getauxval(AT_SECURE) || !envp)
		return NULL;
	for (; *envp; envp++)
		if (!strncmp(*envp, name, sizeof(name) - 1))
			return *envp + sizeof(name) - 1;
	return NULL;
}

/*
 * In programs with ThreadSanitizer: it stands in for functions of the C library,
 * and initializes itself only before the executable's constructors.
 */
void __tsan_init(void) __attribute__((weak));

__attribute__((constructor)) static void start(int argc, char **argv,
					       char **envp)
{
	const char *value = from_environment(envp);
	struct patchbay_ops_attr attr;

	(void)argc;
	(void)argv;
	if (value && __tsan_init)
		__tsan_init();
	if (!value || pb_options_parse(&pb_options, value))
		return;
	tracer = find_tracer(pb_options.tracer_name);
	if (!tracer || !pb_options.output || start_session() ||
	    (tracer->events && start_events()))
		return;
	attr = tracer->attr;
	attr.size = sizeof(attr);
	attr.flags = PATCHBAY_OPS_FAST;
	if (patchbay_ops_create(&attr, &pb_tracer))
		return;
	arm();
	if (pb_options.live)
		pb_note(pb_control_start());
}

/* The later the second moment, the better the clock's rate is known. */
__attribute__((destructor)) static void end(void)
{
	pb_sigset signals;

	if (!pb_session)
		return;
	pb_signal_lock(&pb_session->lock, &signals);
	if (pb_session->chunk)
		pb_session_tick();
	pb_signal_unlock(&pb_session->lock, signals);
}
