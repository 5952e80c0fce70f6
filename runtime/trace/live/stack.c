/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "stack.h"

#include "system/sys.h"

#include <call_on_stack.h>
#include <valgrind.h>

#include <dlfcn.h>
#include <sys/mman.h>

/* The need of this library: mostly names, paths and frames of regexec(3). */
#define SMALL (128u << 10)

#define LARGE (1u << 20)
#define GUARD (64u << 10) /* the lowest bytes of LARGE, inaccessible */

/*
 * Returns the size of the C library's data on each stack, including thread-local variables.
 */
typedef size_t least_stack(const pthread_attr_t *attr);

void pb_stack_describe(pthread_attr_t *attr)
{
	least_stack *const least = (least_stack *)dlsym(RTLD_DEFAULT, "__pthread_get_minstack");

	/* Only glibc has this function. */
	if (least)
		pthread_attr_setstacksize(attr, SMALL + least(attr));
}

int pb_on_large_stack(void (*call)(void *arg), void *arg)
{
	const long stack = pb_sys(SYS_mmap, NULL, LARGE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0ul);
	uint64_t id;
	long error;

	if (stack < 0 && stack > -4096)
		return (int)stack;
	error = pb_sys(SYS_mprotect, stack, GUARD, PROT_NONE);
	if (!error) {
		/*
		 * Tell Valgrind about the stack. Otherwise Valgrind would treat the memory
		 * between the two stacks as freed.
		 */
		id = pb_valgrind_request(PB_VALGRIND_STACK_REGISTER, (uintptr_t)stack + GUARD,
					 (uintptr_t)stack + LARGE - 1);
		pb_call_on_stack((char *)stack + LARGE, call, arg);
		pb_valgrind_request(PB_VALGRIND_STACK_DEREGISTER, id, 0);
	}
	pb_sys(SYS_munmap, stack, LARGE);
	return (int)error;
}
