/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tracers with exit handlers stay correct if a thread or a signal interrupts a call
 * between any two instructions. A trap, as in a debugger, arrives at each instruction.
 * The trap's handler calls the same function, or changes the function's tracers.
 */
// RUN: %build %s -o %t %link
// RUN: %t | FileCheck %s
// CHECK: {{^}}calls: {{[1-9][0-9]+}} changes: {{[1-9][0-9]+}}
// CHECK-SAME: {{ }}waited: {{[1-9][0-9]*}}{{$}}

#include "../Inputs/check.h"

#include <patchbay/exit.h>

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define NOT_TRACED __attribute__((no_profile_instrument_function))
#define FAST NOT_TRACED __attribute__((target("general-regs-only")))
#define TRAP_FLAG 0x100

OPAQUE int stepped(int a) { return a + 1; }

/*
 * Calls that a tracer has seen. @wrong counts session words and times of another call.
 */
struct seen {
	long entries, exits, wrong;
};

static struct seen seen[3];
static uint64_t called; /* start of the current call */
static long made, traps;
static int stepping;
static void (*at_trap)(void);

FAST static uint64_t word(uintptr_t ip, const struct patchbay_cell *cell,
			  const struct patchbay_regs *regs)
{
	return ip ^ (uintptr_t)cell->data ^ (uintptr_t)regs;
}

FAST static void entry(uintptr_t ip, uintptr_t parent_ip,
		       const struct patchbay_cell *cell,
		       struct patchbay_regs *regs)
{
	struct seen *s = cell->data;

	(void)parent_ip;
	s->entries++;
	*patchbay_session_word(cell, regs) = word(ip, cell, regs);
}

FAST static void leave(uintptr_t ip, uintptr_t parent_ip,
		       const struct patchbay_cell *cell,
		       struct patchbay_regs *regs)
{
	struct seen *s = cell->data;

	(void)parent_ip;
	s->exits++;
	s->wrong += *patchbay_session_word(cell, regs) != word(ip, cell, regs);
}

/* The only handler of a tracer: its entry handler or its exit handler. */
FAST static void both(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs)
{
	struct seen *s = cell->data;

	(void)ip;
	(void)parent_ip;
	(void)regs;
	s->entries++;
	s->exits++;
}

/* A handler of a tracer with a threshold. */
FAST static void timed(uintptr_t ip, uintptr_t parent_ip,
		       const struct patchbay_cell *cell,
		       struct patchbay_regs *regs)
{
	uint64_t start = *patchbay_session_word(cell, regs);
	struct seen *s = cell->data;

	both(ip, parent_ip, cell, regs);
	s->wrong += start < called ||
		    patchbay_duration(regs) > patchbay_clock() - start;
}

NOT_TRACED static void on_trap(int number, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;

	(void)number;
	(void)info;
	traps++;
	if (stepping)
		at_trap();
	else
		interrupted->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

NOT_TRACED static void step(void)
{
	stepping = 1;
	__asm__ volatile("pushf\n\torl %0, (%%rsp)\n\tpopf"
			 :
			 : "i"(TRAP_FLAG)
			 : "memory", "cc");
}

NOT_TRACED static void stop(void)
{
	stepping = 0;
	__asm__ volatile("nop" ::: "memory");
}

static struct patchbay_ops *create(int which, patchbay_handler handler,
				   patchbay_handler leaving, unsigned int flags)
{
	static const uint64_t all;
	const struct patchbay_ops_attr attr = {
		.size = sizeof(attr),
		.handler = handler,
		.exit = leaving,
		.flags = flags,
		.data = &seen[which],
		.threshold = leaving == timed ? &all : NULL,
	};
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	return ops;
}

static void arm(struct patchbay_ops *ops)
{
	CHECK_EQ(patchbay_arm(ops, "stepped", 0), 1);
}

NOT_TRACED static void call(void)
{
	uint64_t before = called;

	made++;
	called = patchbay_clock();
	CHECK_EQ(stepped(7), 8);
	called = before;
}

/*
 * The tracer has either seen both entry and exit of a call, or has counted the call as
 * missed.
 */
static void check_missed(const struct patchbay_ops *ops, const struct seen *s)
{
	struct patchbay_ops_info info = { .size = sizeof(info) };

	CHECK_EQ(patchbay_ops_get_info(ops, &info), 0);
	CHECK_EQ(s->entries + (long)info.nmissed, made);
	CHECK_EQ(s->exits, s->entries);
	CHECK_EQ(s->wrong, 0);
}

NOT_TRACED static void step_call(patchbay_handler handler, patchbay_handler leaving,
				 unsigned int flags, int second)
{
	struct patchbay_ops *ops = create(0, handler, leaving, flags);
	struct patchbay_ops *other = create(1, entry, leave, flags);
	int result;

	memset(seen, 0, sizeof(seen));
	made = 1;
	arm(ops);
	if (second)
		arm(other);
	at_trap = call;
	called = patchbay_clock();
	step();
	result = stepped(3);
	stop();
	CHECK_EQ(result, 4);
	check_missed(ops, &seen[0]);
	if (second)
		check_missed(other, &seen[1]);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	CHECK_EQ(patchbay_ops_destroy(other), 0);
}

static void step_calls(void)
{
	for (unsigned int flags = 0; flags <= PATCHBAY_OPS_FAST; flags++)
		for (int second = 0; second < 2; second++) {
			step_call(entry, leave, flags, second);
			step_call(NULL, both, flags, second);
			step_call(both, patchbay_no_exit, flags, second);
			step_call(NULL, timed, flags, second);
		}
}

/* May the exit of a call be missing because the tracer is being removed? */
enum { NEVER, ALLOWED };
static int entry_only;

NOT_TRACED static void call_and_compare(void)
{
	struct seen before[2];

	memcpy(before, seen, sizeof(before));
	call();
	for (int i = 0; i < 2; i++) {
		long entries = seen[i].entries - before[i].entries;
		long exits = seen[i].exits - before[i].exits;

		CHECK(exits == entries || (entry_only && !exits));
		CHECK_EQ(seen[i].wrong, 0);
	}
}

#define STEP_CHANGE(call_, result_, entry_only_)                               \
	do {                                                                   \
		int result;                                                    \
		entry_only = entry_only_;                                      \
		step();                                                        \
		result = call_;                                                \
		stop();                                                        \
		CHECK_EQ(result, result_);                                     \
	} while (0)

NOT_TRACED static void step_changes(patchbay_handler handler,
				    patchbay_handler leaving,
				    unsigned int flags, int second)
{
	struct patchbay_ops *ops = create(0, handler, leaving, flags);
	struct patchbay_ops *other = create(1, entry, leave, flags);

	at_trap = call_and_compare;
	if (second)
		arm(other);
	STEP_CHANGE(patchbay_arm(ops, "stepped", 0), 1, NEVER);
	STEP_CHANGE(patchbay_ops_disable(ops), 0, ALLOWED);
	STEP_CHANGE(patchbay_ops_enable(ops), 0, NEVER);
	STEP_CHANGE(patchbay_ops_update_both(ops, handler, leaving), 0, NEVER);
	if (second)
		STEP_CHANGE(patchbay_disarm(other, "stepped"), 1, NEVER);
	STEP_CHANGE(patchbay_ops_destroy(ops), 0, NEVER);
	CHECK_EQ(patchbay_ops_destroy(other), 0);
}

/*
 * A second tracer is added after n instructions of a call. If the thread is in a
 * handler, the library returns an error.
 */
static struct patchbay_ops *joining;
static long join_at;

NOT_TRACED static void join(void)
{
	int nr;

	if (--join_at)
		return;
	nr = patchbay_arm(joining, "stepped", 0);
	CHECK(nr == 1 || nr == -EDEADLK);
}

/*
 * Adds the second tracer after @instructions of a call. Returns whether the call had
 * that many.
 */
NOT_TRACED static int join_after(long instructions, unsigned int flags)
{
	memset(seen, 0, sizeof(seen));
	joining = create(1, entry, leave, flags);
	join_at = instructions;
	at_trap = join;
	step();
	CHECK_EQ(stepped(1), 2);
	stop();
	CHECK_EQ(seen[0].entries, 1);
	for (int i = 0; i < 2; i++) {
		CHECK_EQ(seen[i].exits, seen[i].entries);
		CHECK_EQ(seen[i].wrong, 0);
	}
	CHECK_EQ(patchbay_ops_destroy(joining), 0);
	return join_at <= 0;
}

NOT_TRACED static void step_joins(unsigned int flags)
{
	struct patchbay_ops *ops = create(0, entry, leave, flags);

	arm(ops);
	for (long i = 1; join_after(i, flags); i++)
		;
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
}

/*
 * Another thread adds or removes a tracer after n instructions of a call. The call may
 * be stopped in the trampoline or in a handler, so adding or removing does not wait for
 * handlers.
 */
static sem_t asked, answered;
static struct patchbay_batch *asked_for;

/*
 * Commit @batch of @nr changes without waiting: the stopped thread may be in a handler.
 * The changes take effect even if the commit returns a timeout.
 */
NOT_TRACED static void commit_without_waiting(struct patchbay_batch *batch, int nr)
{
	int done;

	patchbay_set_wait_limit(0);
	done = patchbay_batch_commit(batch);
	patchbay_set_wait_limit(PATCHBAY_WAIT_LIMIT);
	CHECK(done == nr || done == -ETIMEDOUT);
}

NOT_TRACED static void *change_when_asked(void *arg)
{
	for (;;) {
		while (sem_wait(&asked))
			;
		if (!asked_for)
			return arg;
		commit_without_waiting(asked_for, 1);
		CHECK_EQ(sem_post(&answered), 0);
	}
}

NOT_TRACED static void ask_for_change(void)
{
	if (--join_at)
		return;
	CHECK_EQ(sem_post(&asked), 0);
	while (sem_wait(&answered))
		;
}

static const struct patchbay_filter filter = { .size = sizeof(filter),
					       .glob = "stepped" };

/*
 * Changes tracers after @instructions of a call. Returns whether the call had that
 * many.
 */
NOT_TRACED static int change_after(long instructions, struct patchbay_ops *leaving,
				   unsigned int flags)
{
	struct patchbay_ops *ops = leaving;

	memset(seen, 0, sizeof(seen));
	CHECK_EQ(patchbay_batch_create(&asked_for), 0);
	if (leaving) {
		CHECK_EQ(patchbay_batch_disarm(asked_for, ops, &filter), 0);
	} else {
		ops = create(2, entry, leave, flags);
		CHECK_EQ(patchbay_batch_arm(asked_for, ops, &filter, 0), 0);
	}
	join_at = instructions;
	at_trap = ask_for_change;
	called = patchbay_clock();
	step();
	CHECK_EQ(stepped(1), 2);
	stop();
	patchbay_batch_destroy(asked_for);
	CHECK_EQ(seen[0].entries, 1);
	CHECK_EQ(seen[0].exits, 1);
	CHECK(seen[1].exits <= seen[1].entries);
	CHECK(leaving || seen[1].exits == seen[1].entries);
	CHECK_EQ(seen[2].exits, seen[2].entries);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(seen[i].wrong, 0);
	if (!leaving)
		CHECK_EQ(patchbay_ops_destroy(ops), 0);
	else if (join_at <= 0)
		arm(leaving);
	return join_at <= 0;
}

NOT_TRACED static void step_changes_of_others(patchbay_handler handler,
					      patchbay_handler leaving,
					      unsigned int flags, int second)
{
	struct patchbay_ops *ops = create(0, handler, leaving, flags);
	struct patchbay_ops *other = create(1, handler, leaving, flags);

	arm(ops);
	if (second)
		arm(other);
	for (int leaves = 0; leaves <= second; leaves++)
		for (long i = 1; change_after(i, leaves ? other : NULL, flags);
		     i++)
			;
	CHECK_EQ(patchbay_ops_destroy(other), 0);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
}

static void step_with_another_thread(void)
{
	pthread_t thread;

	CHECK_EQ(sem_init(&asked, 0, 0), 0);
	CHECK_EQ(sem_init(&answered, 0, 0), 0);
	CHECK_EQ(pthread_create(&thread, NULL, change_when_asked, NULL), 0);
	for (unsigned int flags = 0; flags <= PATCHBAY_OPS_FAST; flags++)
		for (int second = 0; second < 2; second++) {
			step_changes_of_others(entry, leave, flags, second);
			step_changes_of_others(NULL, both, flags, second);
		}
	asked_for = NULL;
	CHECK_EQ(sem_post(&asked), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
}

/*
 * Removing a tracer waits for its handler, even if the handler runs in a signal handler
 * that interrupted a call just before its return.
 */
OPAQUE int held(int a) { return a; }

static struct patchbay_ops *going;
static atomic_int is_held, is_gone;
static long hold_at, waited;

NOT_TRACED static void *destroy_it(void *arg)
{
	while (!is_held)
		usleep(100);
	CHECK_EQ(patchbay_ops_destroy(going), 0);
	is_gone = 1;
	return arg;
}

/* This handler is FAST: it uses no vector registers and calls no traced function. */
NOT_TRACED static void hold(uintptr_t ip, uintptr_t parent_ip,
			    const struct patchbay_cell *cell,
			    struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	is_held = 1;
	usleep(3000);
	CHECK(!is_gone);
	waited++;
}

NOT_TRACED static void call_held(void)
{
	if (!--hold_at)
		CHECK_EQ(held(5), 5);
}

/* Holds the next call after @instruction instructions, unless the call has fewer. */
NOT_TRACED static int step_to(long instruction)
{
	pthread_t thread;

	is_held = is_gone = 0;
	hold_at = instruction;
	going = create(1, hold, NULL, PATCHBAY_OPS_FAST);
	CHECK_EQ(patchbay_arm(going, "held", 0), 1);
	CHECK_EQ(pthread_create(&thread, NULL, destroy_it, NULL), 0);
	at_trap = call_held;
	step();
	CHECK_EQ(stepped(1), 2);
	stop();
	instruction = is_held;
	is_held = 1;
	CHECK_EQ(pthread_join(thread, NULL), 0);
	return (int)instruction;
}

NOT_TRACED static void step_until_gone(void)
{
	struct patchbay_ops *ops = create(0, entry, leave, 0);

	arm(ops);
	for (long i = 1; step_to(i); i++)
		;
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
}

int main(void)
{
	const struct sigaction action = { .sa_sigaction = on_trap,
					  .sa_flags = SA_SIGINFO };
	long calls;

	CHECK_EQ(sigaction(SIGTRAP, &action, NULL), 0);
	CHECK_EQ(stepped(1), 2);
	step_calls();
	calls = traps;
	for (unsigned int flags = 0; flags <= PATCHBAY_OPS_FAST; flags++)
		for (int second = 0; second < 2; second++) {
			step_changes(entry, leave, flags, second);
			step_changes(NULL, timed, flags, second);
		}
	step_joins(0);
	step_joins(PATCHBAY_OPS_FAST);
	step_with_another_thread();
	printf("calls: %ld changes: %ld", calls, traps - calls);
	step_until_gone();
	printf(" waited: %ld\n", waited);
	return 0;
}
