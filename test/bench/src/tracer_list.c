/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A reimplementation of ftrace's method for sites without CALL_OPS: all sites call one
 * function, which checks the filter of every tracer (ftrace_ops_list_func(),
 * ftrace_ops_test()). The function has a list, a guard against recursion, and a hash table
 * per tracer. The path from the site to the list, the handlers and the options equal
 * tracer_sets.c.
 */
#include "handlers.h"
#include "list_walk.h"
#include "others.h"
#include "worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned int hot_callee(unsigned int x);

static struct list_tracer *relevant;

static const char *add(patchbay_handler handler, uintptr_t ip,
		       struct list_tracer **tracer)
{
	*tracer = list_tracer_new(handler, ip);
	if (!*tracer)
		return "out of memory";
	(*tracer)->next = list_tracers;
	list_tracers = *tracer;
	return NULL;
}

const char *tracer_count(const char *option)
{
	const struct patchbay_ops_attr attr = {
		.size = sizeof(attr),
		.flags = PATCHBAY_OPS_FAST,
		.handler = list_walk,
	};
	unsigned int nr = 0, irrelevant = 0;
	struct list_tracer *tracer;
	struct patchbay_ops *ops;
	const char *error = NULL;

	if (sscanf(option, "%u/%u", &nr, &irrelevant) != 2)
		return "how many tracers?";
	for (unsigned int i = 0; i < irrelevant && !error; i++)
		error = add(count_call, (uintptr_t)others[i % NR_OTHERS],
			    &tracer);
	for (unsigned int i = 0; i < nr && !error; i++)
		error = add(count_call, (uintptr_t)hot_callee, &relevant);
	if (error || patchbay_ops_create(&attr, &ops) ||
	    (irrelevant && patchbay_arm(ops, "other_*", 0) != NR_OTHERS) ||
	    (nr && patchbay_arm(ops, "hot_callee", 0) != 1))
		return error ? error : "arming failed";
	return NULL;
}

const char *tracer_empty(const char *option)
{
	unsigned int nr = (unsigned int)atoi(option);
	struct list_tracer *tracer = list_tracers;

	/* The relevant tracers were added last, so they are first in the list. */
	for (; nr; nr--, tracer = tracer->next)
		tracer->handler = ignore_call;
	return NULL;
}

uint64_t tracer_events(void)
{
	return counted_calls;
}
