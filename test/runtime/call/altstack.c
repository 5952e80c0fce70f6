/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Measures how much of an alternate signal stack (sigaltstack(2)) a traced call and
 * patchbay_jump() use. The measurement excludes the stack of handlers and of signal
 * delivery. The public headers document the limits.
 */
// RUN: %build %s -o %t %link
// RUN: %t | FileCheck %s
// CHECK:      {{^}}entry: {{[1-9][0-9]*}} bytes
// CHECK-NEXT: {{^}}entry, any: {{[1-9][0-9]*}} bytes
// CHECK-NEXT: {{^}}exit: {{[1-9][0-9]*}} bytes
// CHECK-NEXT: {{^}}exit, any: {{[1-9][0-9]*}} bytes
// CHECK-NEXT: {{^}}sets: {{[1-9][0-9]*}} bytes
// CHECK-NEXT: {{^}}jump: {{[1-9][0-9]*}} bytes

#include "../Inputs/check.h"

#include <patchbay/exit.h>

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>

enum { STACK = 256 * 1024, UNUSED = 0xaa };

/*
 * The limits in <patchbay/patchbay.h> and, for patchbay_jump(), in <patchbay/exit.h>.
 */
enum { CALL_TAKES = 1536, JUMP_TAKES = 6 * 1024 };

OPAQUE int traced(int a) { return a + 1; }
OPAQUE void left(void) { raise(SIGUSR1); }

#define NOT_TRACED                                                             \
	__attribute__((noinline, no_profile_instrument_function))
#define FAST NOT_TRACED __attribute__((target("general-regs-only")))
#define HANDLER(name)                                                          \
	static void name(uintptr_t ip, uintptr_t parent_ip,                    \
			 const struct patchbay_cell *cell,                     \
			 struct patchbay_regs *regs)
#define IGNORE_ARGUMENTS (void)ip, (void)parent_ip, (void)cell, (void)regs

FAST HANDLER(fast) { IGNORE_ARGUMENTS; }
NOT_TRACED HANDLER(any) { IGNORE_ARGUMENTS; }

static unsigned char stack[STACK];
static sigjmp_buf back;
static uintptr_t target;

static void do_nothing(int signal) { (void)signal; }
static void call(int signal) { (void)signal, traced(1); }
static void jump(int signal)
{
	(void)signal;
	patchbay_jump(target);
	siglongjmp(back, 1);
}

/* A new thread makes the call, because a thread's first call uses the most stack. */
NOT_TRACED static void *interrupt(void *handler)
{
	const stack_t alternate = { .ss_sp = stack, .ss_size = STACK };
	struct sigaction action = { .sa_flags = SA_ONSTACK };
	volatile char here;

	action.sa_handler = (void (*)(int))handler;
	CHECK_EQ(sigaltstack(&alternate, NULL), 0);
	CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);
	target = (uintptr_t)&here;
	if (!sigsetjmp(back, 1))
		left();
	return NULL;
}

static size_t measure(void (*handler)(int))
{
	size_t unused = 0;
	pthread_t thread;

	memset(stack, UNUSED, STACK);
	CHECK_EQ(pthread_create(&thread, NULL, interrupt, (void *)handler), 0);
	pthread_join(thread, NULL);
	while (unused < STACK && stack[unused] == UNUSED)
		unused++;
	return STACK - unused;
}

static void check(const char *what, void (*handler)(int), size_t most)
{
	const size_t before = measure(do_nothing), used = measure(handler);

	printf("%s: %zu bytes of %zu, beside %zu\n", what, used - before, most,
	       before);
	CHECK(used > before && used - before <= most);
}

struct kind {
	const char *name;
	unsigned int flags;
	patchbay_handler handler, exit;
	int nr;
};

static void check_armed(const struct kind *kind, const char *function,
			void (*handler)(int), size_t most)
{
	const struct patchbay_ops_attr attr = {
		.size = sizeof(attr),
		.flags = kind->flags,
		.handler = kind->handler,
		.exit = kind->exit,
	};
	struct patchbay_ops *ops[8];

	for (int i = 0; i < kind->nr; i++) {
		CHECK_EQ(patchbay_ops_create(&attr, &ops[i]), 0);
		CHECK_EQ(patchbay_arm(ops[i], function, 0), 1);
	}
	check(kind->name, handler, most);
	for (int i = 0; i < kind->nr; i++)
		CHECK_EQ(patchbay_ops_destroy(ops[i]), 0);
}

int main(void)
{
	static const struct kind kinds[] = {
		{ "entry", PATCHBAY_OPS_FAST, fast, NULL, 1 },
		{ "entry, any", 0, any, NULL, 1 },
		{ "exit", PATCHBAY_OPS_FAST, fast, fast, 1 },
		{ "exit, any", 0, any, any, 1 },
		{ "sets", 0, any, any, 8 },
	};
	static const struct kind jumps = { "jump", 0, any, any, 8 };

	measure(do_nothing);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		check_armed(&kinds[i], "traced", call, CALL_TAKES);
	check_armed(&jumps, "left", jump, JUMP_TAKES);
	return 0;
}
