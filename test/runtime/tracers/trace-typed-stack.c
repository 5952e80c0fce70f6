/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Named arguments, including strings, are recorded on stacks of 4 KB with unmapped
 * memory below. The help states the maximum stack use of a call. A process's first
 * call, which creates the file, may also be on such a stack.
 */
// RUN: %build %s -o %t
// RUN: %patchbay record -t function --args 'leaf(x,text)' -o %t.data -- %t | FileCheck %s
// RUN: %patchbay replay -i %t.data | FileCheck %s --check-prefix=ARGS
// RUN: %patchbay record -t function_duration --args 'leaf(x,text)' -o %t.data -- %t | FileCheck %s
// RUN: %patchbay replay -i %t.data | FileCheck %s --check-prefix=ARGS
// RUN: %patchbay record -t function_graph --args 'leaf(x,text,retval)' -o %t.data -- %t 2>&1 | FileCheck %s
// RUN: %patchbay replay -i %t.data | FileCheck %s --check-prefix=ARGS
// RUN: %patchbay record -t function -F leaf -o %t.data -- %t first | FileCheck %s --check-prefix=FIRST
// RUN: %patchbay record -t function_duration -F leaf --max-size 10M -o %t.data -- %t first | FileCheck %s --check-prefix=FIRST
// RUN: %patchbay record -t function_graph -F leaf -o %t.data -- %t first | FileCheck %s --check-prefix=FIRST
// FIRST: {{^}}16, of a child, too{{$}}
// CHECK-NOT: lost
// CHECK: {{^}}16, less than 1536 bytes of the stack{{$}}
// ARGS: leaf(x=1, text="a text of more than eight bytes")

#include "../Inputs/check.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>

#define SIZE 4096

static ucontext_t here, fiber;
static long sum;

OPAQUE long leaf(long x, const char *text)
{
	return x + (text[0] == 'a');
}

static void body(void)
{
	for (long i = 1; i <= 16; i++)
		sum = leaf(i, "a text of more than eight bytes") - 1;
	swapcontext(&fiber, &here);
}

/* Returns the number of bytes of the stack that were never written. */
__attribute__((no_profile_instrument_function)) static size_t
unused(const unsigned char *stack)
{
	size_t size = 0;

	while (size < SIZE && stack[size] == 0xa5)
		size++;
	return size;
}

/* Parent and child have not made a traced call before. */
__attribute__((no_profile_instrument_function)) static int first_calls(void)
{
	int status, child = !fork();

	CHECK_EQ(swapcontext(&here, &fiber), 0);
	CHECK_EQ(sum, 16);
	if (child)
		_exit(0);
	wait(&status);
	CHECK_EQ(status, 0);
	printf("%ld, of a child, too\n", sum);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned char *stack = mmap(NULL, 2 * SIZE, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t taken;

	CHECK(stack != MAP_FAILED && !mprotect(stack, SIZE, PROT_NONE));
	stack += SIZE;
	memset(stack, 0xa5, SIZE);
	CHECK_EQ(getcontext(&fiber), 0);
	fiber.uc_stack.ss_sp = stack;
	fiber.uc_stack.ss_size = SIZE;
	makecontext(&fiber, body, 0);
	if (argc > 1)
		return first_calls();
	/* The first call of a thread uses another amount of stack. */
	leaf(0, "b");
	CHECK_EQ(swapcontext(&here, &fiber), 0);
	taken = SIZE - unused(stack);
	printf("%ld, %s than 1536 bytes of the stack\n", sum,
	       taken < 1536 ? "less" : "more");
	if (taken >= 1536)
		printf("%zu\n", taken);
	return 0;
}
