/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Stubs for libpatchbay-trace.so, which has no listening thread. In libpatchbay-live.so,
 * live/ replaces these functions.
 */
#include "live_part.h"
#include "options/options.h"
#include "session/recording.h"

#include <errno.h>
#include <stdio.h>

static int nothing(void)
{
	return 0;
}

static void nothing_to_do(void)
{
}

static int no_thread(int wait)
{
	(void)wait;
	return -EOPNOTSUPP;
}

static int no_budget(int (*check)(void *arg, const struct patchbay_target *target))
{
	(void)check;
	return 0;
}

static void no_arm(const struct patchbay_filter *which, unsigned int flags)
{
	(void)which;
	(void)flags;
}

static void no_disarm(const struct patchbay_filter *which)
{
	(void)which;
}

__attribute__((weak)) const struct pb_live_part pb_live = {
	.is_missing = 1,
	.listen_start = no_thread,
	.listen_end = nothing,
	.listen_await = nothing_to_do,
	.listen_never = nothing_to_do,
	.budget_begin = no_budget,
	.budget_arm = no_arm,
	.budget_disarm = no_disarm,
	.budget_forked = nothing_to_do,
	.budget_undo = nothing,
};

/* `patchbay record -p` finds the library in a process by this function: live/visit.h. */
__attribute__((weak, visibility("default"))) int
patchbay_trace_visit(const char *options, char *why, size_t size);

int patchbay_trace_visit(const char *options, char *why, size_t size)
{
	(void)options;
	snprintf(why, size, "%s",
		 pb_tracer ? "it has been recorded since its start" :
			     "it was started with libpatchbay-trace.so, which only "
			     "records from the start: preload libpatchbay-live.so instead");
	return -EALREADY;
}
