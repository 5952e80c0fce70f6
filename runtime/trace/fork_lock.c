/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "fork_lock.h"

#include "sys.h"

#include <time.h>

#define NAP_NS 100000
#define FORK_NAPS 1000    /* a tenth of a second */
#define CHANGE_NAPS 10000 /* a second */

/*
 * @changing: a thread begins or ends the recording
 * @forking:  threads between pb_fork_prepare() and pb_fork_parent()
 * Each side writes its own word before it reads the other one.
 */
static int changing, forking;

/* Forks of this thread that are counted in @forking; handlers of signals may fork, too. */
static __thread int counted __attribute__((tls_model("initial-exec")));

static void nap(void)
{
	const struct timespec pause = { .tv_nsec = NAP_NS };

	pb_sys(SYS_nanosleep, &pause, NULL);
}

void pb_fork_change(void)
{
	__atomic_store_n(&changing, 1, __ATOMIC_SEQ_CST);
	for (int i = 0; i < CHANGE_NAPS; i++) {
		if (!__atomic_load_n(&forking, __ATOMIC_SEQ_CST))
			return;
		nap();
	}
}

void pb_fork_changed(void)
{
	__atomic_store_n(&changing, 0, __ATOMIC_SEQ_CST);
}

void pb_fork_prepare(void)
{
	for (int i = 0; i < FORK_NAPS; i++) {
		__atomic_fetch_add(&forking, 1, __ATOMIC_SEQ_CST);
		if (!__atomic_load_n(&changing, __ATOMIC_SEQ_CST)) {
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

int pb_fork_is_changing(void)
{
	const int was_changing = changing;

	/* The child has neither of these threads. */
	changing = forking = counted = 0;
	return was_changing;
}
