/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "start.h"

#include "functions/typed_program.h"
#include "options/option_table.h"
#include "session/session.h"
#include "session/syscalls.h"
#include "tracers/tracer_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* libpatchbay patches code through this file, so without the file arming always fails. */
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

/* Check the directory now, because the file is made only at the first event. */
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

static int refuse(char why[PB_WHY_MAX], const char *reason)
{
	snprintf(why, PB_WHY_MAX, "%s", reason);
	return -EINVAL;
}

int pb_start_check(const struct pb_tracer_kind *tracer, char why[PB_WHY_MAX])
{
	if (!pb_options.tracer_name)
		return refuse(why, "no tracer: give one, as in tracer=duration");
	if (!pb_tracer_find(pb_options.tracer_name, 0, 0, 0, 0)) {
		snprintf(why, PB_WHY_MAX,
			 "tracer='%s' is none of count, entry, duration, graph",
			 pb_options.tracer_name);
		return -EINVAL;
	}
	if (pb_options_conflict(&pb_options, /*is_command=*/0, why))
		return -EINVAL;
	if (!pb_options.nr_filters && !pb_options.nr_args && !pb_options.nr_typed &&
	    !pb_options.live)
		return refuse(why, "no filter: give a glob for names, as in filter=*");
	if (!pb_options.has_command &&
	    (pb_options.max_size || pb_options_rotate(&pb_options)))
		return refuse(why,
			      "max-size, rotate-size and rotate-every need 'patchbay record', which names and removes files");
	if (tracer->events && !pb_may_read_counter())
		return refuse(why,
			      "this process may not read the time stamp counter (PR_SET_TSC): use tracer=count without histogram=1");
	if (pb_typed_init())
		return refuse(why,
			      "typed= is not in this version's format: only its 'patchbay record' can set it");
	return !pb_options.idle && check_output(why) ? -EINVAL : check_proc(why);
}
