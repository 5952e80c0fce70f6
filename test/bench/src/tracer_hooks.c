/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The hooks that -finstrument-functions and -finstrument-function-entry-bare call. Hooks
 * cannot be replaced at run time, so a program with empty hooks is timed, and the same
 * program compiled with COUNT proves that the hooks are called.
 */
#include "worker.h"

#include <stddef.h>

void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);
void __cyg_profile_func_enter_bare(void);

static uint64_t events;

static inline void event(void)
{
#ifdef COUNT
	events++;
#endif
}

void __cyg_profile_func_enter(void *function, void *call_site)
{
	(void)function, (void)call_site;
	event();
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
	(void)function, (void)call_site;
	event();
}

void __cyg_profile_func_enter_bare(void)
{
	event();
}

const char *tracer_count(const char *option)
{
	(void)option;
	return NULL;
}

const char *tracer_empty(const char *option)
{
	(void)option;
	return NULL;
}

uint64_t tracer_events(void)
{
	return events;
}
