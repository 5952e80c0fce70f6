/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Patchbay's sites with calls of the minimal trampoline: the lower bound for tracers with
 * such sites. No library is linked. The sites are written once, before the calls.
 */
#include "floor_trampoline.h"
#include "worker.h"

#include <patchbay/abi.h>

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

extern const struct patchbay_record __start_patchbay_sites[],
	__stop_patchbay_sites[];

static uint64_t events;

static void count_event(void)
{
	events++;
}

static void ignore_event(void)
{
}

static int arm(int text, const struct patchbay_record *record)
{
	const uintptr_t site =
		(uintptr_t)&record->site + (uintptr_t)(intptr_t)record->site;
	const intptr_t far = (intptr_t)((uintptr_t)floor_trampoline - site -
					PATCHBAY_X86_64_SITE_BRANCH_SIZE);
	uint8_t code[PATCHBAY_X86_64_SITE_BRANCH_SIZE] = {
		PATCHBAY_X86_64_SITE_CALL
	};
	const int32_t rel = (int32_t)far;

	memcpy(code + 1, &rel, sizeof(rel));
	return rel == far &&
	       *(const uint8_t *)site == PATCHBAY_X86_64_SITE_DISARMED &&
	       pwrite(text, code, sizeof(code), (off_t)site) == sizeof(code);
}

const char *tracer_count(const char *option)
{
	int text = open("/proc/self/mem", O_RDWR), done = 1;

	(void)option;
	floor_handler = count_event;
	for (const struct patchbay_record *r = __start_patchbay_sites;
	     r < __stop_patchbay_sites; r++)
		done &= arm(text, r);
	close(text);
	return done ? NULL : "cannot write the sites";
}

const char *tracer_empty(const char *option)
{
	(void)option;
	floor_handler = ignore_event;
	return NULL;
}

uint64_t tracer_events(void)
{
	return events;
}
