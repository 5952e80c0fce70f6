/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Programs that restrict their own system calls (seccomp(2)): from then on any
 * call that is made for them may end the process. So when the program asks for
 * that, everything is made that a recording will need, and from then on nothing
 * here makes a system call for a traced call:
 *
 *  - Blocks and histograms come from a pool (pool.h), pages of the file that are
 *    allocated and mapped already. So do objects of threads that begin later;
 *    what they are called, and their ids, is not known.
 *  - No lock is taken and no signal blocked. Instead all that is done there is
 *    such that a signal handler may come in between and do the same, and may
 *    leave by siglongjmp(3).
 *  - In seccomp's strict mode an x86-64 thread may not read the clock. So recording
 *    ends there, in all threads, and the file says so (PBD_SESSION_ENDED_STRICT).
 *    What only counts calls goes on.
 *  - The same is so where the program forbids itself the counter by prctl(2)
 *    (PR_SET_TSC), which threads and programs that it starts inherit; also behind a
 *    filter, when that is done without a system call.
 *  - Syscall user dispatch (PR_SET_SYSCALL_USER_DISPATCH) shows the program the system
 *    calls of a thread, ours, too: it is prepared for as a filter is.
 *  - Nobody listens for `patchbay live` any more (control.h), unless the restriction
 *    turns out to be in vain.
 *  - What there is no room for is lost and counted, PBD_LOST_SANDBOX. So is all that
 *    cannot be had without the kernel: durations without the time asleep, and
 *    events of threads whose name would decide. A forked child can have no file:
 *    what it loses is counted in the file of its parent.
 *
 * How do we know? The kernel cannot be asked: prctl(PR_GET_SECCOMP) and reading
 * /proc are system calls that a filter may answer by killing. Neither helps it to
 * have another thread do all system calls: a filter may be for all threads
 * (SECCOMP_FILTER_FLAG_TSYNC), and a program with two threads is refused what
 * sandboxes do first, unshare(CLONE_NEWUSER). But to restrict itself a program
 * calls the C library, prctl() or syscall(), as libseccomp does: these two are
 * in this library, too, which is loaded before the C library. They do what those
 * of the C library do, and see such a call before the kernel does. Not seen is
 * one that is made by an instruction of the program's own; in such a program
 * the next block is made as anywhere else.
 *
 * A filter that is there already when the program begins (containers, units of
 * systemd) says nothing: it lets pass what the loader and this library have done
 * by then, which is nearly all that is done later. perf_event_open(2) alone is
 * not tried (own_clock.h).
 */
#ifndef PB_TRACE_SANDBOX_H
#define PB_TRACE_SANDBOX_H

#include "session.h"

/*
 * How many restrictions of system calls are in force, or about to come into force.
 * Not in memory that fork() wipes: a child has its parent's filter.
 */
extern int pb_sandboxed;

/* The processor's counter may not be read any more: that ends the process. */
extern int pb_counter_is_forbidden;

/* May it be read now, as far as the kernel says? What a process inherits counts, too. */
int pb_may_read_counter(void);

/* Had it when it began? */
extern int pb_filtered_at_start;

/* Does the tracer record anything but counters that are all there? */
extern int pb_tracer_needs_blocks;

/* At the start: find out about the latter. */
void pb_sandbox_start(void);

/*
 * May this thread make system calls now? If so, until pb_syscalls_end() no filter
 * comes into force for it because of another thread.
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

#endif /* PB_TRACE_SANDBOX_H */
