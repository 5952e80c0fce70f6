/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Programs that restrict their own system calls (seccomp(2)). After that any
 * system call of this library may end the process. So this library prepares
 * what a recording will need when the program asks for a restriction.
 * Afterwards it makes no system call for a traced call:
 *
 *  - Blocks and histograms come from a pool (pool.h): pages of the file that are
 *    allocated and mapped already. So do objects of threads that begin later;
 *    their names and ids are not known.
 *  - The code takes no lock and blocks no signal. A signal handler may interrupt
 *    it, do the same, and leave by siglongjmp(3).
 *  - In seccomp's strict mode an x86-64 thread may not read the clock. So
 *    recording ends there, in all threads, and the file says so
 *    (PBD_SESSION_ENDED_STRICT). Tracers that only count calls go on.
 *  - The same applies if the program forbids itself the counter by prctl(2)
 *    (PR_SET_TSC). Its threads and programs inherit that. After a filter this
 *    library reacts to it without a system call.
 *  - Syscall user dispatch (PR_SET_SYSCALL_USER_DISPATCH) shows the program the
 *    system calls of a thread, including ours. It is treated as a filter.
 *  - The thread that listens for `patchbay live` ends (control.h). It starts
 *    again if the restriction fails.
 *  - Events without room are lost and counted, PBD_LOST_SANDBOX. So are events
 *    that need the kernel: durations without off-CPU time, and events of threads
 *    that are chosen by name. A forked child cannot make a file: its losses
 *    are counted in the file of its parent.
 *
 * How does this library notice? It cannot ask the kernel: prctl(PR_GET_SECCOMP)
 * and reading /proc are system calls, and a filter may kill the process for
 * them. A helper thread for system calls would not help, either. A filter may
 * cover all threads (SECCOMP_FILTER_FLAG_TSYNC). And the kernel refuses
 * unshare(CLONE_NEWUSER), a sandbox's usual first step, to a program with two
 * threads. But programs restrict themselves through the C library's prctl() or
 * syscall(), as libseccomp does. This library has both functions, too, and is
 * loaded before the C library. They behave like the C library's, and see the
 * call before the kernel does. They do not see a system call instruction of the
 * program's own. In such a program the recorder goes on making system calls.
 *
 * A filter that exists when the program begins (containers, systemd units) is
 * no obstacle. It allows what the loader and this library have done by then,
 * which covers nearly all later calls. Only perf_event_open(2) is not tried
 * (own_clock.h).
 */
#ifndef PB_TRACE_SANDBOX_H
#define PB_TRACE_SANDBOX_H

#include "session.h"

/*
 * The number of system call restrictions that are in force, or about to come
 * into force. Not in memory that fork() wipes: a child has its parent's filter.
 */
extern int pb_sandboxed;

/* Reading the processor's counter would end the process. */
extern int pb_counter_is_forbidden;

/* Does the kernel allow reading it now? Covers inherited restrictions, too. */
int pb_may_read_counter(void);

/* Did the process have a filter when it began? */
extern int pb_filtered_at_start;

/* Call at the start: sets pb_filtered_at_start. */
void pb_sandbox_start(void);

/*
 * May this thread make system calls now? If so, no other thread can put a
 * filter into force for it until pb_syscalls_end().
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
