/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* May this library make system calls? sandbox.c describes programs that forbid them. */
#ifndef PB_TRACE_SYSCALLS_H
#define PB_TRACE_SYSCALLS_H

#include "session.h"

/*
 * The number of system call filters that are in force or being installed. In memory that
 * fork() copies, because a child inherits its parent's filters.
 */
extern int pb_sandboxed;

/* Would reading the processor's counter kill the process? */
extern int pb_counter_is_forbidden;

/*
 * Does the kernel allow this process to read the counter? Detects inherited restrictions,
 * too.
 */
int pb_may_read_counter(void);

/* Did the process have a filter at its start? */
extern int pb_filtered_at_start;

/* Call at the start: sets pb_filtered_at_start. */
void pb_sandbox_start(void);

/*
 * May this thread make system calls? If so, another thread's filter does not apply to this
 * thread before pb_syscalls_end().
 */
static inline int pb_syscalls_begin(void)
{
	__atomic_fetch_add(&pb_session->in_syscalls, 1, __ATOMIC_SEQ_CST);
	if (__builtin_expect(!__atomic_load_n(&pb_sandboxed, __ATOMIC_SEQ_CST), 1))
		return 1;
	__atomic_fetch_sub(&pb_session->in_syscalls, 1, __ATOMIC_SEQ_CST);
	return 0;
}

static inline void pb_syscalls_end(void)
{
	__atomic_fetch_sub(&pb_session->in_syscalls, 1, __ATOMIC_SEQ_CST);
}

#endif /* PB_TRACE_SYSCALLS_H */
