/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "user.h"

#include "file/arena.h"
#include "file/spare_files.h"
#include "session/recording.h"
#include "session/syscalls.h"
#include "start/live_part.h"
#include "start/start.h"
#include "system/probe.h"
#include "system/wrap.h"

#include <sched.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static struct {
	int (*setuid)(uid_t uid);
	int (*seteuid)(uid_t uid);
	int (*setreuid)(uid_t real, uid_t effective);
	int (*setresuid)(uid_t real, uid_t effective, uid_t saved);
	int (*setfsuid)(uid_t uid);
	int (*chroot)(const char *path);
	int (*unshare)(int flags);
	int (*setns)(int fd, int type);
	int (*setrlimit)(int resource, const struct rlimit *limit);
	int (*prlimit)(pid_t pid, int resource, const struct rlimit *limit,
		       struct rlimit *old);
	int (*mlockall)(int flags);
} real;

__attribute__((constructor)) static void find(void)
{
	PB_FIND(setuid);
	PB_FIND(seteuid);
	PB_FIND(setreuid);
	PB_FIND(setresuid);
	PB_FIND(setfsuid);
	PB_FIND(chroot);
	PB_FIND(unshare);
	PB_FIND(setns);
	PB_FIND(setrlimit);
	PB_FIND(prlimit);
	PB_FIND(mlockall);
}

/*
 * Does the program have traceable functions? Programs without, such as su(1), need no file.
 */
static int has_functions(void)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	return !patchbay_get_stats(&stats) && stats.modules;
}

/*
 * Make the file that later events will need. Existing counters of count stay in the
 * parent's file; only functions that are armed later need a new file.
 */
static int make_file(void)
{
	if (pb_tracer_needs_blocks)
		return pb_session_events();
	return pb_options.live ? pb_session_file() : 0;
}

/*
 * Keep the data file open. @spare: also make spare files for children, which cannot make
 * files afterwards.
 */
static void keep_file(int spare)
{
	const int make = has_functions();
	int error;

	pb_guard(&pb_session->lock);
	error = make ? make_file() : 0;
	/* Errors are ignored: events that need the descriptor will be lost and counted. */
	if (!error && pb_session->file.header) {
		pb_data_keep(&pb_session->file);
		pb_session->file.stays |= spare;
	}
	if (make && spare && (pb_tracer_needs_blocks || pb_options.live))
		pb_spare_files_make(pb_options.output);
}

/*
 * Wait until the listening thread has opened its files. @file: also call keep_file(@spare).
 */
static void keep(int file, int spare)
{
	int saved_errno = errno;

	if (!pb_session || pb_locked || !pb_syscalls_begin())
		return;
	if (!pb_session_is_vforked()) {
		pb_listen_await();
		if (file && pb_tracer)
			keep_file(spare);
	}
	pb_syscalls_end();
	errno = saved_errno;
}

void pb_dumpable_changes(void)
{
	keep(0, 0);
}

void pb_root_changes(void)
{
	keep(1, 1);
}

void pb_namespace_changes(int flags)
{
	if (!flags || flags & CLONE_NEWNS)
		pb_root_changes();
}

/*
 * May this library make system calls? In a sandbox the filter may allow only the program's
 * own call.
 */
static int may_ask(void)
{
	return pb_session && !__atomic_load_n(&pb_sandboxed, __ATOMIC_SEQ_CST);
}

void pb_user_changes(uid_t effective)
{
	if (effective != (uid_t)-1 && may_ask() && effective != geteuid())
		pb_root_changes();
}

/*
 * Stop using the arena, whose mapping is many times larger than the memory of a small
 * program.
 */
static void leave_arena(void)
{
	const int saved_errno = errno;

	if (pb_locked || !pb_syscalls_begin())
		return;
	if (!pb_session_is_vforked()) {
		pb_guard(&pb_session->lock);
		pb_arena_leave(&pb_session->file);
	}
	pb_syscalls_end();
	errno = saved_errno;
}

void pb_memory_locks(int flags)
{
	if (flags & MCL_FUTURE)
		pb_data_unlocks = 1;
	if (flags & MCL_CURRENT && may_ask())
		leave_arena();
}

void pb_limit_changes(pid_t pid, int resource, const struct rlimit *limit)
{
	struct rlimit now;

	if ((resource != RLIMIT_NOFILE && resource != RLIMIT_AS) || !may_ask() ||
	    !pb_is_readable(&(struct pb_probe){ 0 }, limit, sizeof(*limit)) ||
	    (pid && pid != getpid()) || pb_sys(SYS_prlimit64, 0, resource, NULL, &now) ||
	    limit->rlim_cur >= now.rlim_cur)
		return;
	if (resource == RLIMIT_NOFILE)
		keep(1, 0);
	else
		leave_arena();
}

PB_PUBLIC int setuid(uid_t uid)
{
	pb_user_changes(uid);
	return PB_REAL(setuid)(uid);
}

PB_PUBLIC int seteuid(uid_t uid)
{
	pb_user_changes(uid);
	return PB_REAL(seteuid)(uid);
}

PB_PUBLIC int setreuid(uid_t uid, uid_t effective)
{
	pb_user_changes(effective);
	return PB_REAL(setreuid)(uid, effective);
}

PB_PUBLIC int setresuid(uid_t uid, uid_t effective, uid_t saved)
{
	pb_user_changes(effective);
	return PB_REAL(setresuid)(uid, effective, saved);
}

/* After setfsuid(2) the calling thread has the file permissions of another user. */
PB_PUBLIC int setfsuid(uid_t uid)
{
	pb_user_changes(uid);
	return PB_REAL(setfsuid)(uid);
}

PB_PUBLIC int chroot(const char *path)
{
	pb_root_changes();
	return PB_REAL(chroot)(path);
}

PB_PUBLIC int unshare(int flags)
{
	pb_namespace_changes(flags);
	return PB_REAL(unshare)(flags);
}

PB_PUBLIC int setns(int fd, int type)
{
	pb_namespace_changes(type);
	return PB_REAL(setns)(fd, type);
}

/*
 * These functions have other names in C, because the C library's headers declare @resource
 * with different types. The functions for large files are aliases.
 */
PB_PUBLIC int pb_setrlimit(int resource, const struct rlimit *limit)
	__asm__("setrlimit");
PB_PUBLIC int pb_prlimit(pid_t pid, int resource, const struct rlimit *limit,
			 struct rlimit *old) __asm__("prlimit");
PB_PUBLIC int pb_setrlimit64(int resource, const struct rlimit *limit)
	__asm__("setrlimit64") __attribute__((alias("setrlimit")));
PB_PUBLIC int pb_prlimit64(pid_t pid, int resource, const struct rlimit *limit,
			   struct rlimit *old)
	__asm__("prlimit64") __attribute__((alias("prlimit")));

int pb_setrlimit(int resource, const struct rlimit *limit)
{
	pb_limit_changes(0, resource, limit);
	return PB_REAL(setrlimit)(resource, limit);
}

int pb_prlimit(pid_t pid, int resource, const struct rlimit *limit,
	       struct rlimit *old)
{
	pb_limit_changes(pid, resource, limit);
	return PB_REAL(prlimit)(pid, resource, limit, old);
}

PB_PUBLIC int mlockall(int flags)
{
	pb_memory_locks(flags);
	return PB_REAL(mlockall)(flags);
}
