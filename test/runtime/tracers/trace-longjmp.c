/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls left by longjmp() are recorded with their durations and marked as left, even if
 * longjmp() is called in a signal handler with its own stack. If a program only
 * switches to another stack, a call on the old stack continues, and is recorded once.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link
// DEFINE: %{count} = %patchbay dump --csv %t/patchbay.data 2>%t/err | %python %S/../Inputs/count-depths.py | FileCheck %s --match-full-lines
// RUN: cd %t && %patchbay record -t function_duration -- ./prog
// RUN: %{count}
// RUN: FileCheck %s --check-prefix=SAID --implicit-check-not="cut off" < %t/err
/* The same is tested with an entry handler, with two tracers, and with vector results. */
// RUN: cd %t && %patchbay record -t function_graph -- ./prog
// RUN: %{count}
// RUN: cd %t && %patchbay record -t function_duration --depth 60 -- ./prog
// RUN: %{count}
//      CHECK:0 main returned 1
// CHECK-NEXT:1 guarded returned 400
// CHECK-NEXT:1 handles jumped 100
// CHECK-NEXT:1 resumes returned 1
// CHECK-NEXT:1 survives returned 100
// CHECK-NEXT:2 between jumped 400
// CHECK-NEXT:2 coroutine returned 1
// CHECK-NEXT:2 interrupted jumped 100
// CHECK-NEXT:3 fails jumped 400
//  CHECK-NOT:{{.}}
// SAID: {{^}}patchbay: {{.*}}patchbay.data: 1000 calls of 4 functions (between 400, fails 400, handles 100, interrupted 100) were left by longjmp(){{$}}
/* Histograms count the calls left by longjmp(), too. */
// RUN: cd %t && %patchbay record -t function_profile --histogram -- ./prog
// RUN: %patchbay report -f calls,name %t/patchbay.data | FileCheck %s --check-prefix=COUNTED
// COUNTED-DAG: 400 between
// COUNTED-DAG: 400 fails
// COUNTED-DAG: 100 handles
/* Without exit handlers longjmp() does nothing special. */
// RUN: cd %t && %patchbay record -t function -- ./prog
// RUN: %patchbay report -f calls,name %t/patchbay.data | FileCheck %s --check-prefix=COUNTED
#include "../Inputs/check.h"

#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

/* _FORTIFY_SOURCE replaces longjmp() by this function. */
_Noreturn void __longjmp_chk(jmp_buf env, int value);

static sigjmp_buf target;

OPAQUE void fails(int how)
{
	switch (how % 4) {
	case 0:
		longjmp(target, 1);
	case 1:
		_longjmp(target, 1);
	case 2:
		siglongjmp(target, 1);
	default:
		__longjmp_chk(target, 1);
	}
}

/* The result is in a vector register. */
OPAQUE double between(int how)
{
	fails(how);
	return 1.5;
}

OPAQUE int guarded(int how)
{
	if (sigsetjmp(target, 1))
		return 1;
	return (int)between(how);
}

OPAQUE void handles(int number)
{
	(void)number;
	siglongjmp(target, 1);
}

OPAQUE void interrupted(void)
{
	raise(SIGUSR1);
}

OPAQUE int survives(void)
{
	if (sigsetjmp(target, 1))
		return 1;
	interrupted();
	return 0;
}

static jmp_buf outside, inside;
static int steps;

OPAQUE void coroutine(void)
{
	for (volatile int i = 0; i < 10; i = i + 1) {
		steps++;
		if (!_setjmp(inside))
			_longjmp(outside, 1);
	}
}

__attribute__((no_profile_instrument_function)) static void run(void)
{
	coroutine();
	_longjmp(outside, 2);
}

OPAQUE void resumes(void)
{
	char stack[65536];
	ucontext_t context;

	getcontext(&context);
	context.uc_stack.ss_sp = stack;
	context.uc_stack.ss_size = sizeof(stack);
	makecontext(&context, run, 0);
	switch (_setjmp(outside)) {
	case 0:
		setcontext(&context);
		break;
	case 1:
		_longjmp(inside, 1);
	}
}

int main(void)
{
	/*
	 * The signal stack is above the frames of main()'s callees, so that a call on
	 * the signal stack cannot be taken for their caller.
	 */
	char stack[65536];
	const stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = handles,
				    .sa_flags = SA_ONSTACK };
	volatile int left = 0;

	CHECK(!sigaltstack(&other, NULL));
	CHECK(!sigaction(SIGUSR1, &action, NULL));
	for (volatile int i = 0; i < 400; i = i + 1)
		left = left + guarded(i);
	for (volatile int i = 0; i < 100; i = i + 1)
		left = left + survives();
	CHECK_EQ(left, 500);
	resumes();
	CHECK_EQ(steps, 10);
	return 0;
}
