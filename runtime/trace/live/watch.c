/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "watch.h"

#include "format/control.h"
#include "options/option_table.h"
#include "program.h"
#include "start/start.h"
#include "tracers/tracers.h"
#include "tracers/watched_call.h"

#include <errno.h>
#include <unistd.h>

static int watching = -1;
static int was_recording;

int pb_watch(int client, const char *text)
{
	uint64_t ns = 0;
	int error = *text ? pb_parse_time(text, &ns) : 0;

	if (error)
		return error;
	if (*text && !pb_tracer_has_durations())
		return -EOPNOTSUPP;
	if (watching >= 0)
		return -EBUSY;
	watching = client;
	was_recording = pb_tracer_is_recording();
	__atomic_store_n(&pb_watch_seen, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&pb_watch_slow,
			 *text ? pb_tracer_ticks(ns) : UINT64_MAX,
			 __ATOMIC_RELAXED);
	pb_tracer_update_long_call();
	return 0;
}

int pb_watch_client(void)
{
	return watching;
}

void pb_watch_forget(void)
{
	__atomic_store_n(&pb_watch_slow, UINT64_MAX, __ATOMIC_RELAXED);
	pb_tracer_update_long_call();
	watching = -1;
}

void pb_watch_end(void)
{
	if (watching >= 0)
		close(watching);
	pb_watch_forget();
}

void pb_watch_look(void)
{
	int is_recording;

	if (watching < 0)
		return;
	if (__atomic_exchange_n(&pb_watch_seen, 0, __ATOMIC_RELAXED))
		pb_say(watching, "%s", PB_CONTROL_SLOW);
	is_recording = pb_tracer_is_recording();
	if (was_recording && !is_recording)
		pb_say(watching, "%s", PB_CONTROL_STOPPED);
	was_recording = is_recording;
}
