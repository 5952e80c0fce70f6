/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * After siglongjmp() has left a tracer's handler, patchbay_jump() lets the thread be
 * traced again. Signal handlers call patchbay_jump() before the jump, as the library
 * preloaded by `patchbay record` does. The thread then counts as outside of handlers
 * although its stack is unchanged, and may call the library. Other handlers stay
 * active, even if their coroutine's stack lies between the stacks of the signal handler
 * and of the frames that are left.
 */
// RUN: %build %s -o %t %link
// RUN: %t | FileCheck %s
// CHECK:      {{^}}entry: seen again, and with another stack
// CHECK-NEXT: {{^}}entry, any: seen again, and with another stack
// CHECK-NEXT: {{^}}exit: seen again, and with another stack
// CHECK-NEXT: {{^}}exit, any: seen again, and with another stack
// CHECK-NEXT: {{^}}timed: seen again, and with another stack
// CHECK-NEXT: {{^}}sets: seen again, and with another stack
// CHECK-NEXT: {{^}}by the handler itself: left
// CHECK-NEXT: {{^}}one that goes on: not left
// CHECK-NEXT: {{^}}one between two stacks: not left
// CHECK-NEXT: {{^}}not told: missed
// CHECK-NEXT: {{^}}done

#include "../Inputs/check.h"

#include <patchbay/exit.h>

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { CALLS = 1000, STACK = 256 * 1024 };

OPAQUE int traced(int a) { return a + 1; }
OPAQUE int other(int a) { return a + 2; }

#define NOT_TRACED                                                             \
	__attribute__((noinline, no_profile_instrument_function))
#define FAST NOT_TRACED GENERAL_REGS
#define HANDLER(name)                                                          \
	static void name(uintptr_t ip, uintptr_t parent_ip,                    \
			 const struct patchbay_cell *cell,                     \
			 struct patchbay_regs *regs)
#define IGNORE_ARGUMENTS (void)ip, (void)parent_ip, (void)cell, (void)regs

static sigjmp_buf back;
static uintptr_t target; /* an address in the frame of sigsetjmp()'s caller */
static volatile int leave_it, say_so, seen;

static void leave(int signal)
{
	(void)signal;
	if (say_so)
		patchbay_jump(target);
	siglongjmp(back, 1);
}

FAST HANDLER(see)
{
	IGNORE_ARGUMENTS;
	seen++;
	if (!leave_it)
		return;
	leave_it = 0;
	raise(SIGUSR1);
}

FAST HANDLER(enter) { IGNORE_ARGUMENTS; }
NOT_TRACED HANDLER(see_any) { see(ip, parent_ip, cell, regs); }
NOT_TRACED HANDLER(enter_any) { enter(ip, parent_ip, cell, regs); }

static const uint64_t at_once = 0;

struct kind {
	const char *name;
	unsigned int flags;
	patchbay_handler handler, exit;
	const uint64_t *threshold;
	int nr;
};

static struct patchbay_ops *create(const struct kind *kind, const char *function)
{
	const struct patchbay_ops_attr attr = {
		.size = sizeof(attr),
		.flags = kind->flags,
		.handler = kind->handler,
		.exit = kind->exit,
		.threshold = kind->threshold,
	};
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_arm(ops, function, 0), 1);
	return ops;
}

static uint64_t missed(const struct patchbay_ops *ops)
{
	struct patchbay_ops_info info = { .size = sizeof(info) };

	CHECK_EQ(patchbay_ops_get_info(ops, &info), 0);
	return info.nmissed;
}

static uint64_t left(void)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	CHECK_EQ(patchbay_get_stats(&stats), 0);
	return stats.left;
}

#define USE(room) __asm__ volatile("" : : "r"(room) : "memory")

/*
 * Calls from a much deeper stack address than other code, so the rest of the stack
 * stays unchanged.
 */
NOT_TRACED static void call_deep(void)
{
	char room[100000];

	USE(room);
	traced(1);
	USE(room);
}

NOT_TRACED static void use_stack(void)
{
	char room[150000];

	memset(room, 0x55, sizeof(room));
	USE(room);
}

NOT_TRACED static void be_left(void)
{
	volatile char here;

	target = (uintptr_t)&here;
	if (!sigsetjmp(back, 1)) {
		leave_it = 1;
		call_deep();
		CHECK(0);
	}
}

static int call_often(void)
{
	const int before = seen;

	for (int i = 0; i < CALLS; i++)
		CHECK_EQ(traced(i), i + 1);
	return seen - before;
}

static void handle(int flags)
{
	const struct sigaction action = { .sa_handler = leave,
					  .sa_flags = flags };

	CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);
}

static void leave_and_go_on(const struct kind *kind, int flags)
{
	const uint64_t before = left();
	struct patchbay_ops *ops[2];
	uint64_t misses;

	handle(flags);
	for (int i = 0; i < kind->nr; i++)
		ops[i] = create(kind, "traced");
	be_left();
	CHECK_EQ(left() - before, 1);
	misses = missed(ops[0]);
	CHECK_EQ(call_often(), CALLS * kind->nr);
	CHECK_EQ(missed(ops[0]), misses);
	for (int i = 0; i < kind->nr; i++)
		CHECK_EQ(patchbay_ops_destroy(ops[i]), 0);
	CHECK_EQ(left() - before, 1);
}

/* What the program's signal handler does within a tracer's handler. */
static void (*in_handler)(void);

NOT_TRACED HANDLER(call_back)
{
	IGNORE_ARGUMENTS;
	if (in_handler)
		in_handler();
}

static const struct kind calling_back = { "", 0, call_back, NULL, NULL, 1 };

static void leave_here(void)
{
	raise(SIGUSR1);
	CHECK(0);
}

static void by_itself(void)
{
	struct patchbay_ops *outer = create(&calling_back, "other");
	const uint64_t before = left();
	volatile char here;

	in_handler = leave_here;
	target = (uintptr_t)&here;
	if (!sigsetjmp(back, 1))
		other(1);
	in_handler = NULL;
	CHECK_EQ(left() - before, 1);
	CHECK_EQ(patchbay_synchronize(), 0);
	CHECK_EQ(patchbay_ops_destroy(outer), 0);
	puts("by the handler itself: left");
}

static void be_left_here(void)
{
	volatile char here;

	CHECK_EQ(patchbay_synchronize(), -EDEADLK);
	target = (uintptr_t)&here;
	if (!sigsetjmp(back, 1))
		leave_here();
	CHECK_EQ(patchbay_synchronize(), -EDEADLK);
}

static void goes_on(void)
{
	struct patchbay_ops *outer = create(&calling_back, "other");
	const uint64_t before = left();

	in_handler = be_left_here;
	CHECK_EQ(other(1), 3);
	in_handler = NULL;
	CHECK_EQ(left() - before, 0);
	CHECK_EQ(patchbay_synchronize(), 0);
	CHECK_EQ(patchbay_ops_destroy(outer), 0);
	puts("one that goes on: not left");
}

static ucontext_t first, with_handler, with_jump;

/*
 * Is entered while the thread is outside of handlers. A jump in a signal handler leaves
 * it.
 */
OPAQUE void be_left_later(void)
{
	swapcontext(&with_jump, &with_handler);
	raise(SIGUSR1);
}

NOT_TRACED static void change_coroutine(void)
{
	swapcontext(&with_handler, &with_jump);
}

NOT_TRACED static void run_handler(void) { CHECK_EQ(other(1), 3); }

/* The handler of other() still runs in another coroutine, and stays active. */
NOT_TRACED static void run_jump(void)
{
	const uint64_t before = left();
	volatile char here;

	target = (uintptr_t)&here;
	if (!sigsetjmp(back, 1))
		be_left_later();
	CHECK_EQ(left(), before);
	CHECK_EQ(patchbay_synchronize(), -EDEADLK);
}

static void make(ucontext_t *coroutine, char *stack, void (*run)(void),
		 ucontext_t *next)
{
	getcontext(coroutine);
	coroutine->uc_stack.ss_sp = stack;
	coroutine->uc_stack.ss_size = STACK;
	coroutine->uc_link = next;
	makecontext(coroutine, run, 0);
}

/*
 * The stacks of the signal handler, the tracer's handler, and the frames that are left,
 * in ascending order.
 */
static void between_stacks(void)
{
	static const struct kind exits = { "", 0, enter_any, see_any, NULL, 1 };
	struct patchbay_ops *outer = create(&calling_back, "other");
	struct patchbay_ops *ops = create(&exits, "be_left_later");
	char *stacks = mmap(NULL, 3 * STACK, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const stack_t alternate = { .ss_sp = stacks, .ss_size = STACK };
	stack_t saved;

	CHECK(stacks != MAP_FAILED);
	CHECK_EQ(sigaltstack(&alternate, &saved), 0);
	handle(SA_ONSTACK);
	in_handler = change_coroutine;
	make(&with_handler, stacks + STACK, run_handler, &first);
	make(&with_jump, stacks + 2 * STACK, run_jump, &with_handler);
	swapcontext(&first, &with_jump);
	in_handler = NULL;
	handle(0);
	CHECK_EQ(sigaltstack(&saved, NULL), 0);
	CHECK_EQ(patchbay_synchronize(), 0);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	CHECK_EQ(patchbay_ops_destroy(outer), 0);
	puts("one between two stacks: not left");
}

/*
 * The same test without patchbay_jump(). This test is last, because the thread keeps
 * the state.
 */
static void not_told(void)
{
	const struct kind kind = { "", 0, see_any, NULL, NULL, 1 };
	struct patchbay_ops *ops = create(&kind, "traced");

	say_so = 0;
	be_left();
	CHECK_EQ(call_often(), 0);
	CHECK_EQ(missed(ops), CALLS);
	CHECK_EQ(patchbay_ops_destroy(ops), -EDEADLK);
	use_stack();
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	puts("not told: missed");
}

int main(void)
{
	static char stack[STACK];
	const stack_t alternate = { .ss_sp = stack, .ss_size = STACK };
	static const struct kind kinds[] = {
		{ "entry", PATCHBAY_OPS_FAST | PATCHBAY_OPS_RECURSION, see, NULL,
		  NULL, 1 },
		{ "entry, any", 0, see_any, NULL, NULL, 1 },
		{ "exit", PATCHBAY_OPS_FAST, enter, see, NULL, 1 },
		{ "exit, any", 0, enter_any, see_any, NULL, 1 },
		{ "timed", PATCHBAY_OPS_FAST, NULL, see, &at_once, 1 },
		{ "sets", PATCHBAY_OPS_FAST, enter, see, NULL, 2 },
	};

	setvbuf(stdout, NULL, _IOLBF, 0);
	alarm(patience(600)); /* a hang is a failure */
	CHECK_EQ(sigaltstack(&alternate, NULL), 0);
	say_so = 1;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		leave_and_go_on(&kinds[i], 0);
		leave_and_go_on(&kinds[i], SA_ONSTACK);
		printf("%s: seen again, and with another stack\n",
		       kinds[i].name);
	}
	handle(0);
	by_itself();
	goes_on();
	between_stacks();
	not_told();
	puts("done");
	return 0;
}
