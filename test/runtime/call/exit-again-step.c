/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A tracer's exit handler is called only if the same arming called its entry handler. A
 * tracer is alone on a function. After n instructions of a call, for each n, a second
 * tracer is added. The first tracer is then removed without a wait, and armed again
 * with other data. Handlers never get data of both armings. If the first tracer is
 * armed again too early, arming waits.
 *
 * The test also removes and arms the first tracer in one batch, with and without adding
 * another tracer. Such a batch needs no wait.
 */
// RUN: %build %s -o %t %link
// RUN: timeout -s KILL 600 %t | FileCheck %s
// CHECK: {{^}}waited: {{[1-9][0-9]*}} not: {{[1-9][0-9]*}}{{$}}

#include "../Inputs/check.h"

#include <patchbay/exit.h>

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#define NOT_TRACED __attribute__((no_profile_instrument_function))
#define FAST NOT_TRACED __attribute__((target("general-regs-only")))
#define TRAP_FLAG 0x100

OPAQUE int stepped(int a) { return a + 1; }

/* Calls seen with the data of each arming. Index 2: calls seen by the second tracer. */
static long entries[3], exits[3];
static long arming, waited, not_waited;
static int stepping;
static long change_at;
/*
 * How the first tracer is removed and armed again: in two batches or in one, with a
 * second tracer or without.
 */
static enum { APART, TOGETHER, WITH_OTHER, NR_WAYS } way;

static struct patchbay_ops *ops, *other;
static sem_t asked, answered, armed;

FAST static void entry(uintptr_t ip, uintptr_t parent_ip,
		       const struct patchbay_cell *cell,
		       struct patchbay_regs *regs)
{
	(void)ip, (void)parent_ip, (void)regs;
	++*((long *)cell->data);
}

FAST static void leave(uintptr_t ip, uintptr_t parent_ip,
		       const struct patchbay_cell *cell,
		       struct patchbay_regs *regs)
{
	(void)ip, (void)parent_ip, (void)regs;
	++exits[(long *)cell->data - entries];
}

static int attach(void *data, const struct patchbay_module_info *module,
		  struct patchbay_target *targets, size_t nr)
{
	(void)data, (void)module;
	for (size_t i = 0; i < nr; i++)
		targets[i].data = &entries[arming];
	return 0;
}

static const struct patchbay_filter filter = { .size = sizeof(filter),
					       .glob = "stepped" };

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

NOT_TRACED static void change_apart(struct patchbay_batch *batch)
{
	CHECK_EQ(patchbay_arm(other, "stepped", 0), 1);
	CHECK_EQ(patchbay_batch_disarm(batch, ops, &filter), 0);
	commit_without_waiting(batch, 1);
	arming = 1;
	CHECK_EQ(sem_post(&answered), 0);
	CHECK_EQ(patchbay_arm(ops, "stepped", 0), 1);
}

NOT_TRACED static void change_together(struct patchbay_batch *batch)
{
	const int with_other = way == WITH_OTHER;

	arming = 1;
	CHECK_EQ(patchbay_batch_disarm(batch, ops, &filter), 0);
	if (with_other)
		CHECK_EQ(patchbay_batch_arm(batch, other, &filter, 0), 0);
	CHECK_EQ(patchbay_batch_arm(batch, ops, &filter, 0), 0);
	commit_without_waiting(batch, 2 + with_other);
	CHECK_EQ(sem_post(&answered), 0);
}

NOT_TRACED static void *change_when_asked(void *arg)
{
	struct patchbay_batch *batch;

	CHECK_EQ(patchbay_batch_create(&batch), 0);
	while (sem_wait(&asked))
		;
	if (way == APART)
		change_apart(batch);
	else
		change_together(batch);
	patchbay_batch_destroy(batch);
	CHECK_EQ(sem_post(&armed), 0);
	return arg;
}

/* If the tracer is not armed soon, patchbay_arm() is waiting for this call. */
NOT_TRACED static void ask_for_change(void)
{
	struct timespec soon;

	CHECK_EQ(sem_post(&asked), 0);
	while (sem_wait(&answered))
		;
	CHECK_EQ(clock_gettime(CLOCK_REALTIME, &soon), 0);
	soon.tv_nsec += 20000000;
	if (soon.tv_nsec >= 1000000000) {
		soon.tv_sec++;
		soon.tv_nsec -= 1000000000;
	}
	if (sem_timedwait(&armed, &soon)) {
		waited++;
	} else {
		not_waited++;
		CHECK_EQ(sem_post(&armed), 0);
	}
}

NOT_TRACED static void trap(int number, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;

	(void)number, (void)info;
	if (!stepping)
		interrupted->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	else if (!--change_at)
		ask_for_change();
}

NOT_TRACED static int call_stepped(void)
{
	int result;

	stepping = 1;
	__asm__ volatile("pushf\n\torl %0, (%%rsp)\n\tpopf"
			 :
			 : "i"(TRAP_FLAG)
			 : "memory", "cc");
	result = stepped(1);
	stepping = 0;
	__asm__ volatile("nop" ::: "memory");
	return result;
}

static struct patchbay_ops *create(unsigned int flags)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.flags = flags,
						.handler = entry,
						.exit = leave,
						.attach = attach };
	struct patchbay_ops *created;

	CHECK_EQ(patchbay_ops_create(&attr, &created), 0);
	return created;
}

static struct patchbay_ops *create_other(unsigned int flags)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.flags = flags,
						.exit = leave,
						.data = &entries[2] };
	struct patchbay_ops *created;

	CHECK_EQ(patchbay_ops_create(&attr, &created), 0);
	return created;
}

/*
 * Changes tracers after @instructions of a call. Returns whether the call had that
 * many.
 */
NOT_TRACED static int change_after(long instructions, unsigned int flags)
{
	pthread_t thread;

	memset(entries, 0, sizeof(entries));
	memset(exits, 0, sizeof(exits));
	arming = 0;
	ops = create(flags);
	other = create_other(flags);
	CHECK_EQ(sem_init(&asked, 0, 0), 0);
	CHECK_EQ(sem_init(&answered, 0, 0), 0);
	CHECK_EQ(sem_init(&armed, 0, 0), 0);
	CHECK_EQ(patchbay_arm(ops, "stepped", 0), 1);
	CHECK_EQ(pthread_create(&thread, NULL, change_when_asked, NULL), 0);
	change_at = instructions;
	CHECK_EQ(call_stepped(), 2);
	instructions = change_at;
	if (instructions > 0)
		CHECK_EQ(sem_post(&asked), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	CHECK(exits[0] <= entries[0]);
	CHECK_EQ(exits[1], entries[1]);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	CHECK_EQ(patchbay_ops_destroy(other), 0);
	return instructions <= 0;
}

int main(void)
{
	const struct sigaction action = { .sa_sigaction = trap,
					  .sa_flags = SA_SIGINFO };

	CHECK_EQ(sigaction(SIGTRAP, &action, NULL), 0);
	for (way = APART; way < NR_WAYS; way++)
		for (unsigned int flags = 0; flags <= PATCHBAY_OPS_FAST; flags++)
			for (long i = 1; change_after(i, flags); i++)
				;
	printf("waited: %ld not: %ld\n", waited, not_waited);
	return 0;
}
