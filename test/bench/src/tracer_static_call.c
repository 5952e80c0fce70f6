/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A static call that is updated: its first target is a function that counts, its second
 * target the timed function. With the option "tramp" the call uses the tramp; with "sites"
 * the call site itself is patched.
 */
#include "hot_form.h"
#include "worker.h"

#include <stdio.h>
#include <string.h>

extern struct static_call_site __start_static_call_sites[];
extern struct static_call_site __stop_static_call_sites[];

static uint64_t events;
static char message[64];

static unsigned int count_call(unsigned int x)
{
	events++;
	return x + 1;
}

/* Returns the target of the `call` or `jmp` at this address. */
static uintptr_t goes_to(uintptr_t place)
{
	int32_t displacement;

	memcpy(&displacement, (char *)place + 1, sizeof(displacement));
	return place + 5 + displacement;
}

/* Returns the only call site of the program. */
static uintptr_t site(void)
{
	struct static_call_site *first = __start_static_call_sites;

	if (first + 1 != __stop_static_call_sites)
		return 0;
	return (uintptr_t)&first->addr + first->addr;
}

static const char *update(hot_function *target)
{
	int error = static_call_update(hot, target);

	if (!error)
		return NULL;
	snprintf(message, sizeof(message), "static_call_update: %s",
		 strerror(-error));
	return message;
}

const char *tracer_count(const char *option)
{
	if (!strcmp(option, "sites") && static_call_patch_sites(1))
		return "static_call_patch_sites failed";
	return update(count_call);
}

/* Updates the call to the timed function, and checks the patched instructions. */
const char *tracer_empty(const char *option)
{
	uintptr_t tramp = (uintptr_t)STATIC_CALL_KEY(hot).tramp;
	uintptr_t want = strcmp(option, "sites") ? tramp : (uintptr_t)hot_callee;
	const char *error = update(hot_callee);

	if (error)
		return error;
	if (goes_to(tramp) != (uintptr_t)hot_callee ||
	    *(uint8_t *)tramp != PATCHBAY_X86_64_TRAMP_DIRECT)
		return "the tramp does not jump to the target";
	if (!site() || goes_to(site()) != want)
		return "the call is not in the state that is to be timed";
	return NULL;
}

uint64_t tracer_events(void)
{
	return events;
}
