/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A system that cannot arm functions. */
#include "patcher.h"

#include <stddef.h>

const unsigned int patcher_events_per_call = 0;
const int patcher_has_names = 0;

const char *patcher_init(void)
{
	return "nothing can be armed";
}

const char *patcher_arm_all(void)
{
	return NULL;
}

const char *patcher_disarm_all(void)
{
	return NULL;
}

const char *patcher_arm_one(uintptr_t entry)
{
	(void)entry;
	return NULL;
}

const char *patcher_arm_hot_callee(void)
{
	return NULL;
}

const char *patcher_retarget(void)
{
	return NULL;
}

uint64_t patcher_events(int *handler)
{
	*handler = 0;
	return 0;
}
