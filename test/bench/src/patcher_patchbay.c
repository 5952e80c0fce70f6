/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "patcher.h"

#include <patchbay/patchbay.h>

#include <stddef.h>
#include <string.h>

const unsigned int patcher_events_per_call = 1;
const int patcher_has_names = 1;

static uint64_t events;
static int last;
static struct patchbay_ops *ops, *second_ops;

static void count_first(uintptr_t ip, uintptr_t parent_ip,
			const struct patchbay_cell *cell,
			struct patchbay_regs *regs)
{
	(void)ip, (void)parent_ip, (void)cell, (void)regs;
	events++;
	last = 0;
}

static void count_second(uintptr_t ip, uintptr_t parent_ip,
			 const struct patchbay_cell *cell,
			 struct patchbay_regs *regs)
{
	(void)ip, (void)parent_ip, (void)cell, (void)regs;
	events++;
	last = 1;
}

/* The handler of the second tracer. */
static void count_too(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs)
{
	(void)ip, (void)parent_ip, (void)cell, (void)regs;
	events++;
}

static const char *failure(int error)
{
	return error < 0 ? strerror(-error) : NULL;
}

const char *patcher_init(void)
{
	struct patchbay_ops_attr attr = {
		.size = sizeof(attr),
		.flags = PATCHBAY_OPS_FAST,
		.handler = count_first,
	};
	int error = patchbay_ops_create(&attr, &ops);

	attr.handler = count_too;
	return failure(error ? error : patchbay_ops_create(&attr, &second_ops));
}

const char *patcher_arm_all(void)
{
	return failure(patchbay_arm(ops, "*", 0));
}

const char *patcher_disarm_all(void)
{
	return failure(patchbay_disarm(ops, "*"));
}

const char *patcher_arm_second(void)
{
	return failure(patchbay_arm(second_ops, "*", 0));
}

const char *patcher_disarm_second(void)
{
	return failure(patchbay_disarm(second_ops, "*"));
}

const char *patcher_arm_one(uintptr_t entry)
{
	const struct patchbay_filter filter = {
		.size = sizeof(filter),
		.addrs = &entry,
		.cnt = 1,
	};

	return failure(patchbay_arm_filter(ops, &filter, 0));
}

const char *patcher_arm_hot_callee(void)
{
	return failure(patchbay_arm(ops, "hot_callee", 0));
}

const char *patcher_retarget(void)
{
	static int second;

	second = !second;
	return failure(patchbay_ops_update(ops, second ? count_second :
							 count_first));
}

uint64_t patcher_events(int *handler)
{
	uint64_t result = events;

	*handler = last;
	events = 0;
	return result;
}
