/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "patcher.h"

#include <stddef.h>
#include <xray/xray_interface.h>

#ifdef ENTRIES_ONLY
const unsigned int patcher_events_per_call = 1;
#else
const unsigned int patcher_events_per_call = 2;
#endif

const int patcher_has_names = 0;

static uint64_t events;
static int last;

static void count_first(int32_t function, enum XRayEntryType type)
{
	(void)function, (void)type;
	events++;
	last = 0;
}

static void count_second(int32_t function, enum XRayEntryType type)
{
	(void)function, (void)type;
	events++;
	last = 1;
}

const char *patcher_init(void)
{
	return __xray_set_handler(count_first) ? NULL
					       : "__xray_set_handler failed";
}

const char *patcher_arm_all(void)
{
	return __xray_patch() == SUCCESS ? NULL : "__xray_patch failed";
}

const char *patcher_disarm_all(void)
{
	return __xray_unpatch() == SUCCESS ? NULL : "__xray_unpatch failed";
}

/*
 * Finds XRay's number of a function by binary search: numbers are in the order of
 * addresses.
 */
static int32_t number_of(uintptr_t entry)
{
	size_t low = 1, high = __xray_max_function_id();

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (__xray_function_address((int32_t)middle) < entry)
			low = middle + 1;
		else
			high = middle;
	}
	return (int32_t)low;
}

const char *patcher_arm_one(uintptr_t entry)
{
	return __xray_patch_function(number_of(entry)) == SUCCESS ?
		       NULL : "__xray_patch_function failed";
}

const char *patcher_arm_hot_callee(void)
{
	return "XRay does not know names";
}

const char *patcher_retarget(void)
{
	static int second;

	second = !second;
	return __xray_set_handler(second ? count_second : count_first) ?
		       NULL : "__xray_set_handler failed";
}

uint64_t patcher_events(int *handler)
{
	uint64_t result = events;

	*handler = last;
	events = 0;
	return result;
}
