/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * No event is lost or recorded twice if a signal arrives between any two instructions
 * of recording an event, and the signal handler calls traced functions. The CPU's trap
 * flag causes the signals, so they arrive everywhere, also at the end of a block. There
 * the handler's calls are counted as lost, because the new block is being set up.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link
// RUN: cd %t && %patchbay record -t function -F leaf -F in_trap -- ./prog 5500 > %t/said
// RUN: %patchbay dump --csv %t/patchbay.data > %t/csv
// RUN: %python %S/../Inputs/trace-counts.py --missed in_trap %t/said < %t/csv | FileCheck %s
// RUN: cd %t && %patchbay record -t function -F leaf -F in_trap -- ./prog 0 > %t/said
// RUN: %patchbay dump --csv %t/patchbay.data > %t/csv
// RUN: %python %S/../Inputs/trace-counts.py --missed in_trap --lost %t/said < %t/csv | FileCheck %s
// CHECK: counts agree

#include "../Inputs/check.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

OPAQUE void leaf(void) {}
OPAQUE void in_trap(void) {}

/*
 * Interrupt only some instructions of each call: a call that is always interrupted before
 * it reserves space never gets any. Each instruction is interrupted within PERIOD calls.
 */
#define PERIOD 13
static long instructions, calls;

__attribute__((no_profile_instrument_function)) static void on_trap(int signal)
{
	if (instructions++ % PERIOD)
		return;
	in_trap();
	calls++;
}

/* Single-steps a call; bit 8 of the flags is the trap flag. */
static void step(void)
{
	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "cc", "memory");
	leaf();
	__asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "cc",
							      "memory");
}

int main(int argc, char **argv)
{
	int before = atoi(argv[1]), steps = 4 * PERIOD;

	signal(SIGTRAP, on_trap);
	for (int i = 0; i < before; i++)
		leaf();
	for (int i = 0; i < steps; i++) {
		instructions = i;
		step();
	}
	CHECK(calls > 2 * steps);
	printf("%ld leaf %d\n", syscall(SYS_gettid), before + steps);
	printf("%ld in_trap %ld\n", syscall(SYS_gettid), calls);
	return 0;
}
