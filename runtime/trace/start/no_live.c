/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Stubs for libpatchbay-trace.so, which has no listening thread. In libpatchbay-live.so,
 * live/ and budget/ replace these weak functions.
 */
#include "live_part.h"
#include "options/options.h"
#include "session/recording.h"

#include <errno.h>
#include <stdio.h>

#define WEAK __attribute__((weak))
#define UNUSED __attribute__((unused))

WEAK const int pb_can_listen = 0;

WEAK int pb_listen_start(UNUSED int wait) { return -EOPNOTSUPP; }
WEAK int pb_listen_end(void) { return 0; }
WEAK void pb_listen_await(void) {}
WEAK void pb_listen_never(void) {}

WEAK int pb_budget_begin(UNUSED int (*check)(void *arg, const struct patchbay_target *target))
{
	return 0;
}

WEAK void pb_budget_arm(UNUSED const struct patchbay_filter *which, UNUSED unsigned int flags) {}
WEAK void pb_budget_disarm(UNUSED const struct patchbay_filter *which) {}
WEAK void pb_budget_forked(void) {}
WEAK int pb_budget_undo(void) { return 0; }

/* `patchbay record -p` looks for this function in the process: live/visit.h. */
WEAK __attribute__((visibility("default"))) int
patchbay_trace_visit(const char *options, char *why, size_t size);

int patchbay_trace_visit(UNUSED const char *options, char *why, size_t size)
{
	snprintf(why, size, "%s",
		 pb_tracer ? "it has been recorded since its start" :
			     "it was started with libpatchbay-trace.so, which only "
			     "records from the start: preload libpatchbay-live.so instead");
	return -EALREADY;
}
