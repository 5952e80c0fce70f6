/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "fork_lock.h"

#include "moment.h"
#include "sys.h"

#include <time.h>

/*
 * A sleep of NAP_NS may take much longer (PR_SET_TIMERSLACK, a busy machine), so the
 * limits are times, not numbers of sleeps.
 */
#define NAP_NS 100000
#define SHORT_NS 100000000u /* a tenth of a second */
#define LONG_NS 1000000000u /* a second */

enum { CHANGES = 1, WORKS = 2 };

/*
 * @busy:    CHANGES: a thread begins or ends the recording; WORKS: the listening thread
 *           works
 * @process: the process of these threads, which a child of clone(2) does not have
 * @forking: threads between pb_fork_prepare() and pb_fork_parent()
 * @waiting: the time until which a thread waits in pb_fork_prepare(), or 0. A deadline,
 *           because a count would stay wrong if a signal handler left by siglongjmp()
 * Dekker's algorithm: a busy thread writes @busy before it reads @forking, a forking thread
 * writes @forking before it reads @busy, all with SEQ_CST.
 */
static int busy, process, forking;
static uint64_t waiting;

/*
 * This thread's forks that are counted in @forking. Exceeds 1 if a signal handler forks
 * during a fork.
 */
static __thread int counted __attribute__((tls_model("initial-exec")));

/*
 * Sleeps for NAP_NS and returns 1, or returns 0 if the time *@until has passed. If *@until
 * is 0, first sets *@until to @ns from now.
 */
static int nap(uint64_t *until, uint64_t ns)
{
	const uint64_t now = pb_now_ns(CLOCK_MONOTONIC);

	if (!*until)
		*until = now + ns;
	if (now >= *until)
		return 0;
	pb_pause_ns(NAP_NS);
	return 1;
}

static void become_busy(int what, uint64_t ns)
{
	uint64_t until = 0;

	__atomic_store_n(&process, (int)pb_sys(SYS_getpid), __ATOMIC_RELAXED);
	__atomic_fetch_or(&busy, what, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&forking, __ATOMIC_SEQ_CST) && nap(&until, ns))
		;
}

static void become_idle(int what)
{
	__atomic_fetch_and(&busy, ~what, __ATOMIC_SEQ_CST);
}

void pb_fork_change(void)
{
	become_busy(CHANGES, LONG_NS);
}

void pb_fork_changed(void)
{
	become_idle(CHANGES);
}

void pb_fork_work(void)
{
	uint64_t until = 0;

	/*
	 * Let a waiting thread fork first. Otherwise the waiting thread could miss the
	 * pauses of the listening thread, which may be shorter than NAP_NS.
	 */
	while (__atomic_load_n(&waiting, __ATOMIC_RELAXED) > pb_now_ns(CLOCK_MONOTONIC) &&
	       nap(&until, SHORT_NS))
		;
	become_busy(WORKS, SHORT_NS);
}

void pb_fork_worked(void)
{
	become_idle(WORKS);
}

static int is_busy(void)
{
	return __atomic_load_n(&busy, __ATOMIC_SEQ_CST) &&
	       __atomic_load_n(&process, __ATOMIC_RELAXED) == pb_sys(SYS_getpid);
}

/*
 * Returns 1 if no thread is busy. Threads that want to become busy then wait for
 * pb_fork_parent(), up to their time limit.
 */
static int try_fork(void)
{
	__atomic_fetch_add(&forking, 1, __ATOMIC_SEQ_CST);
	/*
	 * @counted: this fork interrupts another fork of the same thread, and busy threads
	 * already wait for the interrupted fork.
	 */
	if (counted || !is_busy()) {
		counted++;
		return 1;
	}
	__atomic_fetch_sub(&forking, 1, __ATOMIC_SEQ_CST);
	return 0;
}

void pb_fork_prepare(void)
{
	uint64_t until;

	if (try_fork())
		return;
	until = pb_now_ns(CLOCK_MONOTONIC) + SHORT_NS;
	__atomic_store_n(&waiting, until, __ATOMIC_RELAXED);
	while (nap(&until, SHORT_NS) && !try_fork())
		;
	__atomic_store_n(&waiting, 0, __ATOMIC_RELAXED);
}

void pb_fork_parent(void)
{
	if (!counted)
		return;
	counted--;
	__atomic_fetch_sub(&forking, 1, __ATOMIC_SEQ_CST);
}

int pb_fork_child(void)
{
	const int was_changing = busy & CHANGES;

	/* The child has none of the busy or forking threads. */
	busy = forking = counted = 0;
	waiting = 0;
	return was_changing;
}
