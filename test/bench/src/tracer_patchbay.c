/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Patchbay. With the option "fast" the handler may use general registers only; with "any"
 * the runtime saves the vector registers. Both options use the same handler, so the
 * difference is the cost of saving.
 */
#include "handlers.h"
#include "worker.h"

#include <errno.h>
#include <string.h>

/* The functions to arm: the hot loop's callee, or all functions of a sweep. */
#ifndef ARM
#define ARM "hot_callee"
#endif

static struct patchbay_ops *ops;
static char message[64];

static const char *failure(const char *what, int error)
{
	strcpy(message, what);
	return strncat(message, strerror(-error), sizeof(message) / 2);
}

static const char *arm(const char *option, patchbay_handler handler)
{
	const struct patchbay_ops_attr attr = {
		.size = sizeof(attr),
		.flags = strcmp(option, "fast") ? 0 : PATCHBAY_OPS_FAST,
		.handler = handler,
	};
	int error = patchbay_ops_create(&attr, &ops);

	if (error)
		return failure("patchbay_ops_create: ", error);
	error = patchbay_arm(ops, ARM, 0);
	return error < 0 ? failure("patchbay_arm: ", error) : NULL;
}

const char *tracer_count(const char *option)
{
	return arm(option, count_call);
}

const char *tracer_empty(const char *option)
{
	int error = patchbay_ops_destroy(ops);

	if (error)
		return failure("patchbay_ops_destroy: ", error);
	return arm(option, ignore_call);
}

uint64_t tracer_events(void)
{
	return counted_calls;
}
