/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Memory of unloaded modules is freed even if a thread has left a handler by
 * siglongjmp() and then sleeps.
 */
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t.so
// RUN: %build %s -o %t %link -ldl
// RUN: %t %t.so | FileCheck %s
// RUN: %t %t.so left | FileCheck %s
// CHECK: memory: as before

#include "../Inputs/check.h"

#define EIGHT(what, n)                                                         \
	what(n##0) what(n##1) what(n##2) what(n##3)                            \
	what(n##4) what(n##5) what(n##6) what(n##7)

#ifdef LIBRARY
#define FUNCTION(n) OPAQUE int module_call_##n(void) { return n; }
EIGHT(FUNCTION, 1)
EIGHT(FUNCTION, 2)
EIGHT(FUNCTION, 3)
EIGHT(FUNCTION, 4)
#else

#include "../Inputs/count-calls.h"

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#define NOT_TRACED __attribute__((no_profile_instrument_function))

enum { LOADS = 400, SOME = 40 };

OPAQUE int traced(int a) { return a; }

static sigjmp_buf back;
static atomic_int idle;

NOT_TRACED static void leave(int signal)
{
	(void)signal;
	siglongjmp(back, 1);
}

NOT_TRACED static void raise_in_handler(uintptr_t ip, uintptr_t parent_ip,
					const struct patchbay_cell *cell,
					struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	raise(SIGUSR1);
}

/* Overwrites the handler's frame, which shows the library that the handler was left. */
NOT_TRACED static void use_stack(void)
{
	volatile char room[16384];

	memset((char *)room, 1, sizeof(room));
}

NOT_TRACED static void *leave_and_sleep(void *arg)
{
	if (!sigsetjmp(back, 1))
		traced(1);
	use_stack();
	idle = 1;
	for (;;)
		pause();
	return arg;
}

static struct patchbay_ops *create(patchbay_handler func)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = func };
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	return ops;
}

int main(int argc, char **argv)
{
	struct patchbay_ops *leaving = create(raise_in_handler);
	size_t before = 0, after;
	pthread_t thread;

	CHECK(argc > 1);
	CHECK(signal(SIGUSR1, leave) != SIG_ERR);
	CHECK_EQ(patchbay_arm(leaving, "traced", 0), 1);
	CHECK_EQ(patchbay_arm(create(handler), "module_call_*",
			      PATCHBAY_ARM_FUTURE), 0);
	if (argc > 2) {
		CHECK(!pthread_create(&thread, NULL, leave_and_sleep, NULL));
		while (!idle)
			usleep(1000);
	}
	for (int i = 0; i < LOADS; i++) {
		void *library = dlopen(argv[1], RTLD_NOW);

		CHECK(library);
		CHECK_EQ(((int (*)(void))dlsym(library, "module_call_17"))(), 17);
		CHECK_EQ(dlclose(library), 0);
		if (i == SOME)
			before = mallinfo2().uordblks;
	}
	CHECK_EQ(calls, LOADS);
	/* The library checks only periodically, so some blocks may still be allocated. */
	usleep(20000);
	dlclose(dlopen(argv[1], RTLD_NOW));
	after = mallinfo2().uordblks;
	printf("memory: %s: %zu bytes, then %zu\n",
	       after < before + 200000 ? "as before" : "more", before, after);
	return 0;
}
#endif
