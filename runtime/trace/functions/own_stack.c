/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "own_stack.h"

#include "call_on_stack.h"
#include "system/lock.h"
#include "valgrind.h"

#include <core/system/memory.h>

#include <errno.h>
#include <stdint.h>

/*
 * Larger than the limit of demangle.cpp (64 KB), because called functions and the C library
 * need more: test/unit/demangle-stack.c measures how much.
 */
enum { SIZE = 256 << 10 };

int pb_on_own_stack(void (*call)(void *arg), void *arg)
{
	char *stack = pb_malloc(SIZE);
	pb_sigset signals;
	uint64_t id;

	if (!stack)
		return -ENOMEM;
	/*
	 * Tell Valgrind about the stack. Otherwise Valgrind would treat the memory between
	 * the two stacks as freed.
	 */
	id = pb_valgrind_request(PB_VALGRIND_STACK_REGISTER, (uintptr_t)stack,
				 (uintptr_t)stack + SIZE - 1);
	pb_sigmask(~((pb_sigset)1 << (PB_SIGTRAP - 1)), &signals);
	pb_call_on_stack(stack + SIZE, call, arg);
	pb_sigmask(signals, NULL);
	pb_valgrind_request(PB_VALGRIND_STACK_DEREGISTER, id, 0);
	pb_free(stack);
	return 0;
}
