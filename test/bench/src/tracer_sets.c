/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Patchbay, with many tracers. The option is "R/I": R tracers are armed on the function of
 * the hot loop, I tracers on other functions, whose counts detect wrong calls.
 */
#include "handlers.h"
#include "others.h"
#include "worker.h"

#include <stdio.h>
#include <string.h>

#define MAX_RELEVANT 1000

static struct patchbay_ops *relevant[MAX_RELEVANT];
static char message[64];

static const char *arm(patchbay_handler handler, const char *function,
		       struct patchbay_ops **ops)
{
	const struct patchbay_ops_attr attr = {
		.size = sizeof(attr),
		.flags = PATCHBAY_OPS_FAST,
		.handler = handler,
	};
	int error = patchbay_ops_create(&attr, ops);

	if (!error)
		error = patchbay_arm(*ops, function, 0);
	if (error == 1)
		return NULL;
	snprintf(message, sizeof(message), "arming %s: %s", function,
		 error < 0 ? strerror(-error) : "not one function");
	return message;
}

static const char *arm_relevant(const char *option, patchbay_handler handler)
{
	const char *error = NULL;
	unsigned int nr = 0;

	if (sscanf(option, "%u", &nr) != 1 || nr > MAX_RELEVANT)
		return "how many tracers?";
	for (unsigned int i = 0; i < nr && !error; i++)
		error = arm(handler, "hot_callee", &relevant[i]);
	return error;
}

const char *tracer_count(const char *option)
{
	const char *error = NULL;
	unsigned int nr = 0;

	sscanf(option, "%*u/%u", &nr);
	for (unsigned int i = 0; i < nr && !error; i++) {
		struct patchbay_ops *ops;
		char other[16];

		snprintf(other, sizeof(other), "other_%u", i % NR_OTHERS);
		error = arm(count_call, other, &ops);
	}
	return error ? error : arm_relevant(option, count_call);
}

const char *tracer_empty(const char *option)
{
	for (unsigned int i = 0; i < MAX_RELEVANT; i++)
		if (patchbay_ops_destroy(relevant[i]))
			return "patchbay_ops_destroy failed";
	return arm_relevant(option, ignore_call);
}

uint64_t tracer_events(void)
{
	return counted_calls;
}
