/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "stack.h"

#include "system/sys.h"

#include <core/system/maps_text.h>

#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Needs of this library: names, paths and frames of regexec(3) are the largest parts. */
#define SMALL (128u << 10)

/* pb_stack_grow() makes the guard area stack, from above, except for its last part. */
#define GUARD (1u << 20)
#define GUARD_LEFT (64u << 10)

/* The C library's part of each stack: thread-local variables and its own data. */
typedef size_t least_stack(const pthread_attr_t *attr);

static int is_small;

/*
 * From 2.42 on glibc makes guard areas by madvise(2). Their protection is that of the
 * stack, so they cannot become stack by mprotect(2).
 */
static int has_protected_guards(void)
{
	const char *version = gnu_get_libc_version();

	return !strncmp(version, "2.", 2) && strtol(version + 2, NULL, 10) < 42;
}

void pb_stack_describe(pthread_attr_t *attr)
{
	least_stack *const least = (least_stack *)dlsym(RTLD_DEFAULT, "__pthread_get_minstack");

	/* Other C libraries have no such function. */
	is_small = least && has_protected_guards();
	if (!is_small)
		return;
	pthread_attr_setstacksize(attr, SMALL + least(attr));
	pthread_attr_setguardsize(attr, GUARD);
}

/* The part of the guard area that became stack; 0: none. */
static __thread uintptr_t grown __attribute__((tls_model("initial-exec")));

/*
 * Find the end of the guard area below @here. Returns 0 if the stack is large already: the
 * C library may reuse the stack of an ended thread, in a forked child also one that has
 * grown. Returns -EFAULT if there is no guard area: do not touch what is below the stack.
 */
static int find_guard(struct pb_maps_text *maps, uintptr_t here, uintptr_t *guard_end)
{
	struct pb_maps_line guard = { 0 };

	while (pb_maps_next(maps)) {
		const struct pb_maps_line line = pb_maps_parts(maps);

		if (here >= line.start && here < line.end) {
			if (here - line.start >= GUARD / 2)
				return 0;
			*guard_end = line.start;
			return guard.end == line.start &&
					       guard.end - guard.start >= GUARD ?
				       0 : -EFAULT;
		}
		/* A guard area that was stack for a while may have two lines. */
		if (memcmp(line.access, "---p", 4))
			guard.end = 0;
		else if (guard.end == line.start)
			guard.end = line.end;
		else
			guard = line;
	}
	return -EFAULT;
}

int pb_stack_grow(void)
{
	static struct pb_maps_text maps;
	uintptr_t guard_end = 0;
	int error = is_small && !grown ? pb_maps_open(&maps) : 0;

	if (!is_small || grown || error)
		return error;
	error = find_guard(&maps, (uintptr_t)__builtin_frame_address(0), &guard_end);
	pb_maps_close(&maps);
	if (error || !guard_end)
		return error;
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
