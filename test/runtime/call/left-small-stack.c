/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * patchbay_synchronize() in a handler with little stack left is refused, as with more
 * stack.
 */
// RUN: %build %s -o %t %link
// RUN: %t | FileCheck %s
// CHECK: {{^}}in a handler: Resource deadlock avoided{{$}}

#include "../Inputs/check.h"

#include <patchbay/patchbay.h>

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { STACK = 65536, GUARD = 65536, LEFT = 6144 };

static char *stack;
static int result;

OPAQUE int traced(int a) { return a + 1; }

static __attribute__((noinline)) void ask(volatile char *used)
{
	used[0] = 0;
	result = patchbay_synchronize();
}

static void handler(uintptr_t ip, uintptr_t parent_ip, const struct patchbay_cell *cell,
		    struct patchbay_regs *regs)
{
	volatile char used[(char *)__builtin_frame_address(0) - stack - LEFT];

	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	ask(used);
	used[0] = 1;
}

static void call(void)
{
	CHECK_EQ(traced(1), 2);
}

int main(void)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr), .handler = handler };
	struct patchbay_ops *ops;
	ucontext_t here, there;

	stack = mmap(NULL, GUARD + STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	CHECK(stack != MAP_FAILED);
	CHECK_EQ(mprotect(stack, GUARD, PROT_NONE), 0);
	stack += GUARD;
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_arm(ops, "traced", 0), 1);
	CHECK_EQ(getcontext(&there), 0);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = STACK;
	there.uc_link = &here;
	makecontext(&there, call, 0);
	CHECK_EQ(swapcontext(&here, &there), 0);
	printf("in a handler: %s\n", strerror(-result));
	return 0;
}
