/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* May this library make system calls? sandbox.c describes programs that forbid them. */
#ifndef PB_TRACE_SYSCALLS_H
#define PB_TRACE_SYSCALLS_H

#include "session.h"

/*
 * The number of system call restrictions that are in force or about to take
 * effect. In memory that fork() copies, since a child has its parent's filter.
 */
extern int pb_sandboxed;

/* Would reading the processor's counter kill the process? */
extern int pb_counter_is_forbidden;

/* Does the kernel allow reading the counter? Detects inherited restrictions, too. */
int pb_may_read_counter(void);

/* Did the process have a filter when it began? */
extern int pb_filtered_at_start;

/* Call at the start: sets pb_filtered_at_start. */
void pb_sandbox_start(void);

/*
 * May this thread make system calls? If so, no filter of another thread takes
 * effect for it until pb_syscalls_end().
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
