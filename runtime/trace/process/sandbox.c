/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Handles programs that restrict their own system calls (seccomp(2)). Under the restriction
 * any system call of this library may kill the process. So when a program requests a
 * restriction, this library first prepares all resources that the recording will need.
 * Afterwards traced calls cause no system calls:
 *
 *  - Blocks and histograms come from a pool (pool.h): space of the file that is already
 *    allocated, in the arena or mapped. Objects of threads that begin later come from a
 *    pool, too. The names and ids of such threads are unknown.
 *  - Recording takes no lock and blocks no signals. A signal handler may interrupt the
 *    recording of a call, record another call, and leave by siglongjmp(3).
 *  - Seccomp's strict mode forbids x86-64 threads to read the counter. So recording ends in
 *    all threads, which the file notes (PBD_SESSION_ENDED_STRICT). Tracers that only count
 *    calls continue.
 *  - The same happens if the program forbids itself to read the counter by prctl(2)
 *    (PR_SET_TSC). New threads and executed programs inherit that restriction. If a filter
 *    is already in force, recording ends without a system call.
 *  - Syscall user dispatch (PR_SET_SYSCALL_USER_DISPATCH) sends the program a signal for
 *    each system call of a thread, including calls of this library, and is treated like a
 *    filter.
 *  - The thread that listens for `patchbay live` ends (control.h), and starts again if the
 *    restriction fails.
 *  - Events without space are lost and counted (PBD_LOST_SANDBOX), and so are events that
 *    need system calls: durations without off-CPU time, and events of threads that are
 *    chosen by name. A forked child cannot make a file, so its losses are counted in the
 *    file of its parent.
 *
 * To detect restrictions, this library wraps prctl() and syscall(), through which programs
 * and libseccomp install filters. The wrappers cannot see system call instructions of the
 * program itself, so in such a program this library continues to make system calls. Asking
 * the kernel is impossible, because a filter may kill the process for prctl(PR_GET_SECCOMP)
 * and for reading /proc. A helper thread for system calls is no alternative. A filter may
 * cover all threads (SECCOMP_FILTER_FLAG_TSYNC), and the kernel refuses
 * unshare(CLONE_NEWUSER), a sandbox's usual first step, in a process with two threads.
 *
 * A filter that exists when the program begins (containers, systemd units) is ignored,
 * because it allows the system calls that the loader and this library make at the start,
 * which are nearly all. This library only avoids perf_event_open(2) (own_clock.h).
 */
#include "exec.h"
#include "exit.h"
#include "session/pool.h"
#include "session/recording.h"
#include "session/session.h"
#include "session/syscalls.h"
#include "start/live_part.h"
#include "start/start.h"
#include "threads/ring.h"
#include "threads/tally.h"
#include "threads/thread.h"
#include "threads/thread_choice.h"
#include "user.h"

#include <core/system/private.h>
#include <counter.h>
#include <core/system/raw_syscall.h>

#include <fcntl.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <stdarg.h>

/*
 * Prepare for a restriction. Also makes the calling thread's object, while reading the
 * thread's name is allowed. Notes failures, which will cause lost events, in the file.
 */
static void prepare(void)
{
	int error;

	pb_private_restrict(1);
	/* Tracers that only count calls need no preparation: all counters exist. */
	if (!pb_tracer_needs_blocks) {
		__atomic_fetch_add(&pb_sandboxed, 1, __ATOMIC_SEQ_CST);
		return;
	}
	pb_guard(&pb_session->lock);
	error = pb_session_events();
	if (!error)
		error = pb_pool_make();
	if (!error && pb_thread_is_chosen(!pb_self || !pb_self->number))
		pb_thread_begin(&error);
	if (!error)
		error = pb_threads_make_spare();
	if (!error && (pb_options.histogram || pb_options.sample))
		error = pb_tallies_make_spare();
	pb_sys(SYS_prctl, PR_GET_NAME, pb_session->comm);
	if (pb_session->chunk) {
		pb_session_flag(PBD_SESSION_SANDBOX);
		pb_session_tick();
	}
	if (pb_session->file.header)
		pb_data_note(&pb_session->file, error);
	__atomic_fetch_add(&pb_sandboxed, 1, __ATOMIC_SEQ_CST);
}

/*
 * Wait for threads that called pb_syscalls_begin() before @pb_sandboxed was incremented,
 * because they may still make system calls. The wait is limited: a thread whose signal
 * handler has left by siglongjmp(3) never calls pb_syscalls_end().
 */
static void wait_for_others(void)
{
	for (int i = 0; i < 1000; i++) {
		if (!__atomic_load_n(&pb_session->in_syscalls, __ATOMIC_SEQ_CST))
			return;
		pb_pause_ns(100000);
	}
}

/*
 * pb_session->turn is a lock that serializes restrictions. SLOW: a thread prepares or takes
 * back a restriction, while no restriction is in force. BRIEF: held for a few instructions,
 * perhaps under a filter.
 */
enum { FREE, BRIEF, SLOW };

static void end_turn(void)
{
	__atomic_store_n(&pb_session->turn, FREE, __ATOMIC_SEQ_CST);
}

/*
 * Returns 0 if the lock does not become free, for example in a signal handler that has
 * interrupted the lock's holder.
 */
static int take_turn(void)
{
	/*
	 * @i counts roughly microseconds. The longest wait is for the end of a listening
	 * thread.
	 */
	for (int i = 0; i < (PB_LISTEN_END_SECONDS + 1) * 1000000; i++) {
		uint32_t turn = FREE;

		if (__atomic_compare_exchange_n(&pb_session->turn, &turn, BRIEF,
						0, __ATOMIC_SEQ_CST,
						__ATOMIC_SEQ_CST))
			return 1;
		/* Tell wait_for_sleepers() that this thread may sleep. */
		__atomic_fetch_add(&pb_session->waiting, 1, __ATOMIC_SEQ_CST);
		if (__atomic_load_n(&pb_session->turn, __ATOMIC_SEQ_CST) == SLOW) {
			pb_pause_ns(100000);
			i += 100;
		}
		__atomic_fetch_sub(&pb_session->waiting, 1, __ATOMIC_SEQ_CST);
	}
	return 0;
}

/*
 * Threads that wait in take_turn() sleep for 100 us between two checks. This thread's
 * filter may apply to them, so wait until they have left nanosleep(2). Makes no system
 * call.
 */
static void wait_for_sleepers(void)
{
	for (int i = 0; i < 100000000; i++)
		if (!__atomic_load_n(&pb_session->waiting, __ATOMIC_SEQ_CST))
			return;
}

/*
 * Note in the file whether timing has stopped. Timing stops in all threads, because each
 * timed function reads the counter, which is forbidden now. Counting continues.
 */
static void say_timing(int stop)
{
	if (!pb_session->chunk)
		return;
	if (stop)
		pb_session_flag(PBD_SESSION_ENDED_STRICT);
	else
		pb_session_unflag(PBD_SESSION_ENDED_STRICT);
}

static void stop_timing(int stop)
{
	pb_note(pb_tracer_stop(stop));
	say_timing(stop);
}

/* Makes no system call if @sandboxed. */
static void stop_timing_by(int sandboxed, int stop)
{
	if (!sandboxed) {
		stop_timing(stop);
		return;
	}
	pb_tracer_pause(stop);
	say_timing(stop);
}

struct request {
	int strict;
	long flags; /* SECCOMP_FILTER_FLAG_* */
};

/*
 * Does the call restrict system calls? Returns 0 for calls that cannot succeed, such as
 * strict mode with flags, or a null filter. Some programs make such calls to find out what
 * the kernel supports.
 */
static int restricts(long number, const long arg[6], struct request *request)
{
	*request = (struct request){ 0, 0 };
	if (number == SYS_prctl && (int)arg[0] == PR_SET_SYSCALL_USER_DISPATCH)
		return arg[1] != PR_SYS_DISPATCH_OFF;
	if (number == SYS_prctl) {
		request->strict = arg[1] == SECCOMP_MODE_STRICT;
		return (int)arg[0] == PR_SET_SECCOMP &&
		       (request->strict ||
			(arg[1] == SECCOMP_MODE_FILTER && arg[2]));
	}
	if (number != SYS_seccomp)
		return 0;
	request->strict = (int)arg[0] == SECCOMP_SET_MODE_STRICT;
	request->flags = arg[1];
	return request->strict ? !arg[1] && !arg[2] :
				 (int)arg[0] == SECCOMP_SET_MODE_FILTER && arg[2];
}

/*
 * Did the call fail? With TSYNC and without NEW_LISTENER a positive result is also a
 * failure: the id of a thread that could not get the filter.
 */
static int was_in_vain(const struct request *request, long result)
{
	return result < 0 ||
	       (result > 0 && request->flags & SECCOMP_FILTER_FLAG_TSYNC &&
		!(request->flags & SECCOMP_FILTER_FLAG_NEW_LISTENER));
}

/* Set if the first restriction has stopped timing, or ended the listening thread. */
static int stopped_timing, ended_listener;

/*
 * Begin a restriction. The preparation for the first restriction suffices for later ones.
 */
static int begin_restriction(const struct request *request)
{
	if (!take_turn())
		return 0;
	if (__atomic_load_n(&pb_sandboxed, __ATOMIC_SEQ_CST)) {
		__atomic_fetch_add(&pb_sandboxed, 1, __ATOMIC_SEQ_CST);
		end_turn();
		wait_for_sleepers();
		return 1;
	}
	__atomic_store_n(&pb_session->turn, SLOW, __ATOMIC_SEQ_CST);
	ended_listener = pb_listen_end();
	prepare();
	stopped_timing = request->strict && PB_COUNTER_NOT_IN_STRICT_MODE &&
			 pb_tracer_needs_blocks;
	if (stopped_timing)
		stop_timing(1);
	wait_for_others();
	end_turn();
	wait_for_sleepers();
	return 1;
}

/* Take back a failed restriction. If no restriction is left, restore the previous state. */
static void take_back_restriction(void)
{
	if (!take_turn())
		return;
	if (__atomic_load_n(&pb_sandboxed, __ATOMIC_SEQ_CST) > 1) {
		__atomic_fetch_sub(&pb_sandboxed, 1, __ATOMIC_SEQ_CST);
		end_turn();
		return;
	}
	__atomic_store_n(&pb_session->turn, SLOW, __ATOMIC_SEQ_CST);
	pb_private_restrict(0);
	__atomic_store_n(&pb_sandboxed, 0, __ATOMIC_SEQ_CST);
	if (stopped_timing)
		stop_timing(0);
	if (ended_listener)
		pb_note(pb_listen_start(0));
	end_turn();
}

/* A child of vfork(2) restricts only itself, but shares its parent's memory. */
static int is_vforked(void)
{
	int vforked = 0;

	if (pb_syscalls_begin()) {
		vforked = pb_session_is_vforked();
		pb_syscalls_end();
	}
	return vforked;
}

static long restrict_calls(long number, const long arg[6],
			   const struct request *request)
{
	int saved_errno = errno;
	long result;

	if (!pb_session || pb_locked || is_vforked() ||
	    !begin_restriction(request))
		return pb_raw_syscall(number, arg);
	result = pb_raw_syscall(number, arg);
	if (was_in_vain(request, result))
		take_back_restriction();
	errno = saved_errno;
	return result;
}

/*
 * Timing stays stopped even if the thread allows the counter again, because threads that
 * were created in between have inherited the restriction.
 */
static long forbid_counter(const long arg[6])
{
	int saved_errno = errno, sandboxed, stopped, ended;
	long result;

	if (!pb_session || pb_locked || pb_counter_is_forbidden || is_vforked() ||
	    !take_turn())
		return pb_raw_syscall(SYS_prctl, arg);
	__atomic_store_n(&pb_session->turn, SLOW, __ATOMIC_SEQ_CST);
	sandboxed = __atomic_load_n(&pb_sandboxed, __ATOMIC_SEQ_CST);
	stopped = pb_tracer_needs_blocks && !stopped_timing;
	ended = stopped && !sandboxed && pb_listen_end();
	if (stopped)
		stop_timing_by(sandboxed, 1);
	pb_counter_is_forbidden = 1;
	result = pb_raw_syscall(SYS_prctl, arg);
	if (result < 0) {
		pb_counter_is_forbidden = 0;
		if (stopped)
			stop_timing_by(sandboxed, 0);
		if (ended)
			pb_note(pb_listen_start(0));
	}
	end_turn();
	wait_for_sleepers();
	errno = saved_errno;
	return result;
}

/* Landlock restricts which files the process may open. Open files stay usable. */
static long landlock(const long arg[6])
{
	int saved_errno = errno;
	long result;

	pb_root_changes();
	result = pb_raw_syscall(SYS_landlock_restrict_self, arg);

	if (!result && pb_session && !pb_locked && pb_syscalls_begin()) {
		if (!pb_session_is_vforked())
			pb_listen_end();
		pb_syscalls_end();
	}
	errno = saved_errno;
	return result;
}

/* Make a call after which the caller may be unable to open files. */
static long with_files_kept(long number, const long arg[6])
{
	if (number == SYS_chroot || number == SYS_pivot_root)
		pb_root_changes();
	else if (number == SYS_setns || number == SYS_unshare)
		pb_namespace_changes((int)arg[number == SYS_setns]);
	else if (number == SYS_setuid || number == SYS_setfsuid)
		pb_user_changes((uid_t)arg[0]);
	else if (number == SYS_setreuid || number == SYS_setresuid)
		pb_user_changes((uid_t)arg[1]);
	else if (number == SYS_prctl && (int)arg[0] == PR_SET_DUMPABLE &&
		 !arg[1])
		pb_dumpable_changes();
	else if (number == SYS_prlimit64)
		pb_limit_changes((pid_t)arg[0], (int)arg[1],
				 (const struct rlimit *)arg[2]);
	else if (number == SYS_mlockall)
		pb_memory_locks((int)arg[0]);
	return pb_raw_syscall(number, arg);
}

static long exit_group(const long arg[6])
{
	pb_ending_write();
	return pb_raw_syscall(SYS_exit_group, arg);
}

static long call(long number, const long arg[6])
{
	struct request request;
	long result;

	if (restricts(number, arg, &request))
		result = restrict_calls(number, arg, &request);
	else if (PB_COUNTER_NOT_IN_STRICT_MODE && number == SYS_prctl &&
		 (int)arg[0] == PR_SET_TSC && (int)arg[1] == PR_TSC_SIGSEGV)
		result = forbid_counter(arg);
	else if (number == SYS_landlock_restrict_self)
		result = landlock(arg);
	else if (number == SYS_execve || number == SYS_execveat)
		result = pb_exec_call(number, arg);
	else if (number == SYS_exit_group)
		result = exit_group(arg);
	else
		result = with_files_kept(number, arg);
	if (result >= 0 || result < -4095)
		return result;
	errno = (int)-result;
	return -1;
}

/* The wrapper of syscall(2). */
__attribute__((visibility("default"))) long syscall(long number, ...)
{
	long arg[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		arg[i] = va_arg(args, long);
	va_end(args);
	return call(number, arg);
}

int prctl(int option, ...) __attribute__((visibility("default")));

int prctl(int option, ...)
{
	long arg[6];
	va_list args;

	arg[0] = option;
	va_start(args, option);
	for (int i = 1; i < 5; i++)
		arg[i] = va_arg(args, long);
	va_end(args);
	arg[5] = 0;
	return (int)call(SYS_prctl, arg);
}
