/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "start_check.h"

#include "functions/typed_program.h"
#include "session/session.h"
#include "session/syscalls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Changing code needs this file. Without it libpatchbay would fail for each module. */
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

/* Check this before there are events: a program may have none. */
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

/* why= needs events of completed calls with their whole durations. */
static int can_say_why(const struct pb_tracer_kind *tracer)
{
	return tracer->events && tracer->attr.exit && !tracer->histogram &&
	       !tracer->no_sleep_time;
}

int pb_start_check(const struct pb_tracer_kind *tracer, char why[PB_WHY_MAX])
{
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
	else if (tracer && pb_options.keep && !pb_options_rotate(&pb_options))
		snprintf(why, PB_WHY_MAX,
			 "keep is for files that are rotated: add rotate-size or rotate-every");
	else if (tracer && pb_options.max_size &&
		 pb_options.rotate_size > pb_options.max_size / 2)
		snprintf(why, PB_WHY_MAX,
			 "max-size has no room for two files of rotate-size");
	else if (tracer && pb_options.has_context && !pb_options.nr_args &&
		 !pb_options.nr_typed)
		snprintf(why, PB_WHY_MAX,
			 "trace-context is for functions that args names");
	else if (tracer && pb_options.why_ns && !can_say_why(tracer))
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
	else if (tracer && tracer->events && !pb_may_read_counter())
		snprintf(why, PB_WHY_MAX,
			 "this process may not read the time stamp counter (PR_SET_TSC): only function_profile without histogram can be recorded");
	else if (tracer && pb_typed_init())
		snprintf(why, PB_WHY_MAX,
			 "typed is not as this version's 'patchbay record' makes it");
	else if (tracer)
		return !pb_options.idle && check_output(why) ? -EINVAL :
							    check_proc(why);
	else if (pb_options.sample &&
		 pb_tracer_find(pb_options.tracer_name, pb_options.histogram,
				pb_options.depth != 0, pb_options.no_sleep_time, 0))
		snprintf(why, PB_WHY_MAX,
			 "sample is for tracers of events, and not beside depth or sleep-time");
	else if (pb_options.no_sleep_time &&
		 pb_tracer_find(pb_options.tracer_name, pb_options.histogram,
				pb_options.depth != 0, 0, pb_options.sample != 0))
		snprintf(why, PB_WHY_MAX,
			 "sleep-time is for tracers of durations, and not beside depth");
	else if (pb_tracer_find(pb_options.tracer_name, 0, 0, 0, 0) && pb_options.depth)
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
