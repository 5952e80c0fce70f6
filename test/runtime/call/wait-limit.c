/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Three operations do not wait for a handler that runs for a long time: a request for
 * statistics (even if another thread is waiting), a batch with limit 0, and a change of
 * functions without this handler. All others wait up to the limit. After a timeout the
 * error says whether the change was made. A tracer whose destruction timed out is never
 * called again.
 */
// RUN: %build %s -o %t %link
// RUN: %t | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/check.h"
#include "../Inputs/count-calls.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

OPAQUE int slow(int a) { return a; }
OPAQUE int other(int a) { return a; }
OPAQUE int third(int a) { return a; }
OPAQUE int fourth(int a) { return a; }
OPAQUE int fifth(int a) { return a; }

static atomic_int arrived, let_go, waiting;
static pid_t caller_tid;
static struct patchbay_ops *to_destroy, *also_to_destroy;

__attribute__((no_profile_instrument_function)) static void
stay(uintptr_t ip, uintptr_t parent_ip, const struct patchbay_cell *cell,
     struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	arrived++;
	while (!let_go)
		usleep(1000);
}

static struct patchbay_ops *create(patchbay_handler func)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = func };
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	return ops;
}

static const struct patchbay_filter all = { .size = sizeof(all), .glob = "slow" };

static void disarm_without_waiting(struct patchbay_ops *ops)
{
	struct patchbay_batch *batch;

	patchbay_set_wait_limit(0);
	CHECK_EQ(patchbay_batch_create(&batch), 0);
	CHECK_EQ(patchbay_batch_disarm(batch, ops, &all), 0);
	CHECK_EQ(patchbay_batch_commit(batch), -ETIMEDOUT);
	patchbay_batch_destroy(batch);
}

static void *call(void *arg)
{
	caller_tid = (pid_t)syscall(SYS_gettid);
	CHECK_EQ(slow(3), 3);
	return arg;
}

static void *destroy(void *ops)
{
	waiting = 1;
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	waiting = 0;
	return NULL;
}

static int count(const struct patchbay_site_info *site, void *nr)
{
	*(size_t *)nr += site->nr_cells;
	return 0;
}

static size_t armed(const struct patchbay_ops *ops)
{
	struct patchbay_ops_info info = { .size = sizeof(info) };

	CHECK_EQ(patchbay_ops_get_info(ops, &info), 0);
	return info.armed;
}

/*
 * Returns the number of waits that timed out. The last one waited for the caller's
 * thread.
 */
static uint64_t timeouts(void)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	CHECK_EQ(patchbay_get_stats(&stats), 0);
	CHECK_EQ(stats.waited_for, caller_tid);
	return stats.timeouts;
}

/* A thread stays in the handler of another tracer. That tracer must not be freed. */
static void destroy_beside(void)
{
	struct patchbay_ops *ops = create(handler);
	uint64_t before = timeouts();

	calls = 0;
	CHECK_EQ(patchbay_arm(ops, "third", 0), 1);
	CHECK_EQ(third(5), 5);
	CHECK_EQ(calls, 1);
	CHECK_EQ(patchbay_ops_destroy(ops), -ETIMEDOUT);
	CHECK_EQ(timeouts(), before + 1);
	/* The change was made although the wait timed out. */
	CHECK_EQ(armed(ops), 0);
	CHECK_EQ(third(5), 5);
	CHECK_EQ(calls, 1);
	CHECK_EQ(patchbay_ops_destroy(ops), -ETIMEDOUT);
	to_destroy = ops;
}

/* Creates a batch that moves a tracer from one function to another. */
static struct patchbay_batch *exchange(struct patchbay_ops *ops,
				       const char *disarm, const char *arm)
{
	const struct patchbay_filter from = { .size = sizeof(from),
					      .glob = disarm };
	const struct patchbay_filter to = { .size = sizeof(to), .glob = arm };
	struct patchbay_batch *batch;

	CHECK_EQ(patchbay_batch_create(&batch), 0);
	CHECK_EQ(patchbay_batch_disarm(batch, ops, &from), 0);
	CHECK_EQ(patchbay_batch_arm(batch, ops, &to, 0), 0);
	return batch;
}

/* Was the batch carried out although its wait timed out? */
static void batches(void)
{
	struct patchbay_ops *ops = create(handler);
	struct patchbay_batch *batch;
	uint64_t before = timeouts();

	calls = 0;
	CHECK_EQ(patchbay_arm(ops, "fourth", 0), 1);
	batch = exchange(ops, "fourth", "slow");
	CHECK_EQ(patchbay_batch_commit(batch), -EAGAIN);
	CHECK_EQ(timeouts(), before + 1);
	CHECK_EQ(armed(ops), 1);
	CHECK_EQ(fourth(5), 5);
	CHECK_EQ(slow(5), 5);
	CHECK_EQ(calls, 1);
	patchbay_batch_destroy(batch);

	batch = exchange(ops, "fourth", "fifth");
	CHECK_EQ(patchbay_batch_commit(batch), -ETIMEDOUT);
	CHECK_EQ(timeouts(), before + 2);
	CHECK_EQ(armed(ops), 1);
	CHECK_EQ(fourth(5), 5);
	CHECK_EQ(calls, 1);
	CHECK_EQ(fifth(5), 5);
	CHECK_EQ(calls, 2);
	patchbay_batch_destroy(batch);
	CHECK_EQ(patchbay_disarm(ops, "fifth"), -ETIMEDOUT);
	CHECK_EQ(fifth(5), 5);
	CHECK_EQ(calls, 2);
	CHECK_EQ(patchbay_ops_destroy(ops), -ETIMEDOUT);
	also_to_destroy = ops;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Requests statistics while another thread waits for a long time. */
static void ask(const struct patchbay_ops *ops)
{
	struct patchbay_ops_info info = { .size = sizeof(info) };
	struct patchbay_stats stats = { .size = sizeof(stats) };
	double begin = now();
	size_t nr = 0;

	for (int i = 0; i < 100; i++) {
		CHECK_EQ(patchbay_get_stats(&stats), 0);
		CHECK_EQ(patchbay_ops_get_info(ops, &info), 0);
		CHECK_EQ(patchbay_for_each_site(count, &nr), 0);
	}
	CHECK_EQ(info.armed, 1);
	CHECK_EQ(stats.armed, 1);
	CHECK_EQ(nr, 100);
	CHECK(waiting && now() - begin < 10);
}

int main(void)
{
	struct patchbay_ops *staying = create(stay), *quick = create(handler);
	pthread_t caller, waiter;

	alarm(600); /* a hang is a failure */
	CHECK_EQ(patchbay_arm(staying, "slow", 0), 1);
	pthread_create(&caller, NULL, call, NULL);
	while (!arrived)
		usleep(100);
	disarm_without_waiting(staying);

	/*
	 * The destroyed tracer is never called again; other functions are unaffected.
	 */
	patchbay_set_wait_limit(50);
	CHECK_EQ(slow(4), 4);
	CHECK_EQ(arrived, 1);
	CHECK_EQ(patchbay_arm(quick, "other", 0), 1);
	CHECK_EQ(other(5), 5);
	CHECK_EQ(calls, 1);

	/* The handler of the removed tracer is still running. */
	CHECK_EQ(patchbay_synchronize(), -ETIMEDOUT);
	CHECK_EQ(patchbay_arm(quick, "slow", 0), -EAGAIN);
	CHECK_EQ(patchbay_ops_destroy(staying), -ETIMEDOUT);
	destroy_beside();
	batches();
	/* A tracer that was never armed can be destroyed without waiting. */
	CHECK_EQ(patchbay_ops_destroy(create(handler)), 0);
	calls = 1;

	patchbay_set_wait_limit(PATCHBAY_WAIT_FOREVER);
	pthread_create(&waiter, NULL, destroy, staying);
	while (!waiting)
		usleep(100);
	usleep(20000);
	ask(quick);
	let_go = 1;
	pthread_join(waiter, NULL);
	pthread_join(caller, NULL);

	/* slow() now has no tracer. */
	CHECK_EQ(patchbay_arm(quick, "slow", 0), 1);
	CHECK_EQ(slow(6), 6);
	CHECK_EQ(calls, 2);
	CHECK_EQ(patchbay_synchronize(), 0);
	CHECK_EQ(patchbay_ops_destroy(quick), 0);
	CHECK_EQ(patchbay_ops_destroy(to_destroy), 0);
	CHECK_EQ(patchbay_ops_destroy(also_to_destroy), 0);
	puts("done");
	return 0;
}
