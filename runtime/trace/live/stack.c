/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "stack.h"

#include "system/sys.h"

#include <core/system/maps_text.h>

#include <dlfcn.h>
#include <errno.h>
#include <sys/mman.h>

/* What this library needs: names, paths and frames of regexec(3) are the largest parts. */
#define SMALL (128u << 10)

/* The guard area becomes stack from above, except for its last part. */
#define GUARD (1u << 20)
#define GUARD_LEFT (64u << 10)

/* The C library's part of each stack: thread-local variables and its own data. */
typedef size_t least_stack(const pthread_attr_t *attr);

void pb_stack_describe(pthread_attr_t *attr)
{
	least_stack *const least = (least_stack *)dlsym(RTLD_DEFAULT, "__pthread_get_minstack");

	/* Other C libraries have no such function. */
	if (!least)
		return;
	pthread_attr_setstacksize(attr, SMALL + least(attr));
	pthread_attr_setguardsize(attr, GUARD);
}

/* The part of the guard area that became stack; 0: none. */
static __thread uintptr_t grown __attribute__((tls_model("initial-exec")));

int pb_stack_grow(void)
{
	static struct pb_maps_text maps;
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	uintptr_t guard_end = 0;
	int error = grown ? 0 : pb_maps_open(&maps);

	if (grown || error)
		return error;
	while (!guard_end && pb_maps_next(&maps)) {
		const struct pb_maps_line line = pb_maps_parts(&maps);

		if (here >= line.start && here < line.end)
			guard_end = line.start;
	}
	pb_maps_close(&maps);
	if (!guard_end)
		return -EFAULT;
	error = (int)pb_sys(SYS_mprotect, guard_end - (GUARD - GUARD_LEFT), GUARD - GUARD_LEFT,
			    PROT_READ | PROT_WRITE);
	if (!error)
		grown = guard_end - (GUARD - GUARD_LEFT);
	return error;
}

void pb_stack_shrink(void)
{
	if (grown)
		pb_sys(SYS_mprotect, grown, GUARD - GUARD_LEFT, PROT_NONE);
}
