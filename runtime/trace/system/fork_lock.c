/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "fork_lock.h"

#include "sys.h"

#include <time.h>

#define NAP_NS 100000
#define SHORT_NAPS 1000 /* a tenth of a second */
#define LONG_NAPS 10000 /* a second */

enum { CHANGES = 1, WORKS = 2 };

/*
 * @busy:    CHANGES: a thread begins or ends the recording; WORKS: the listening thread
 *           works
 * @forking: threads between pb_fork_prepare() and pb_fork_parent()
 * Each side writes its own word before it reads the other one.
 */
static int busy, forking;

/* Forks of this thread that are counted in @forking; handlers of signals may fork, too. */
static __thread int counted __attribute__((tls_model("initial-exec")));

static void nap(void)
{
	const struct timespec pause = { .tv_nsec = NAP_NS };

	pb_sys(SYS_nanosleep, &pause, NULL);
}

static void begin(int what, int naps)
{
	__atomic_fetch_or(&busy, what, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&forking, __ATOMIC_SEQ_CST) && naps--)
		nap();
}

static void end(int what)
{
	__atomic_fetch_and(&busy, ~what, __ATOMIC_SEQ_CST);
}

void pb_fork_change(void)
{
	begin(CHANGES, LONG_NAPS);
}

void pb_fork_changed(void)
{
	end(CHANGES);
}

void pb_fork_work(void)
{
	begin(WORKS, SHORT_NAPS);
}

void pb_fork_worked(void)
{
	end(WORKS);
}

void pb_fork_prepare(void)
{
	for (int i = 0; i < SHORT_NAPS; i++) {
		__atomic_fetch_add(&forking, 1, __ATOMIC_SEQ_CST);
		if (!__atomic_load_n(&busy, __ATOMIC_SEQ_CST)) {
			counted++;
			return;
		}
		__atomic_fetch_sub(&forking, 1, __ATOMIC_SEQ_CST);
		nap();
	}
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

	/* The child has neither of these threads. */
	busy = forking = counted = 0;
	return was_changing;
}
