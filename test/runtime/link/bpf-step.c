/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * No call waits for the lock of a map that an interrupted BPF program holds. Calls that
 * the program missed are counted. A signal arrives at each instruction of a program,
 * and the signal handler calls the traced function.
 */
// REQUIRES: bpf
// RUN: %clang_bpf %S/../Inputs/programs.bpf.c -o %t.o
// RUN: %build %s -o %t -lpatchbay-bpf -lpatchbay-link %link
// RUN: %t %t.o | FileCheck %s
// CHECK: {{^}}made: [[#%u,MADE:]] counted: [[#%u,COUNTED:]]
// CHECK-SAME: {{ }}missed: [[#MADE - COUNTED]]{{$}}

#include "../Inputs/link.h"

#include <patchbay/bpf.h>

#include <signal.h>
#include <ucontext.h>

#define TRAP_FLAG 0x100

OPAQUE int fern_one(int a) { return a; }

static long made;
static int stepping;

NOT_TRACED static void on_trap(int number, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;

	(void)number, (void)info;
	if (stepping) {
		made++;
		CHECK_EQ(fern_one(2), 2);
	} else {
		interrupted->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	}
}

/* Steps through two calls: the first one creates a map element, the second one finds it. */
NOT_TRACED static void step_call(void)
{
	stepping = 1;
	__asm__ volatile("pushf\n\torl %0, (%%rsp)\n\tpopf"
			 :
			 : "i"(TRAP_FLAG)
			 : "memory", "cc");
	made++;
	CHECK_EQ(fern_one(1), 1);
	stepping = 0;
	__asm__ volatile("nop" ::: "memory");
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_sigaction = on_trap,
					  .sa_flags = SA_SIGINFO };
	struct patchbay_link_info info = { .size = sizeof(info) };
	uint64_t key = (uintptr_t)fern_one, counted = 0;
	struct patchbay_bpf_object *object;
	struct patchbay_bpf_program *count;
	struct patchbay_bpf_map *calls;

	CHECK_EQ(argc, 2);
	CHECK_EQ(sigaction(SIGTRAP, &action, NULL), 0);
	CHECK_EQ(patchbay_bpf_open(argv[1], NULL, &object), 0);
	count = patchbay_bpf_find_program(object, "count");
	calls = patchbay_bpf_find_map(object, "calls");
	CHECK(count && calls);
	CHECK_EQ(patchbay_bpf_attach(count, NULL), 1);

	step_call();
	step_call();
	CHECK_EQ(patchbay_bpf_map_lookup(calls, &key, &counted), 0);
	CHECK_EQ(patchbay_link_get_info(patchbay_bpf_link(count), &info), 0);
	printf("made: %ld counted: %ld missed: %ld\n", made, (long)counted,
	       (long)info.nmissed);
	CHECK_EQ(patchbay_bpf_close(object), 0);
	return 0;
}
