/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Prepares a forked child: claims the session, which is all zeros in a child, and starts a
 * listening thread.
 *
 * With live=1 commands can control every process of a process tree, for example a server's
 * workers. fork(2) copies only the calling thread, so each child needs its own listening
 * thread.
 *
 * A handler of pthread_atfork(3) cannot start the thread. In a child, handlers run in the
 * order of registration. This library is initialized first, so its handler would run while
 * allocators still hold their locks, and pthread_create(3) allocates memory. So this
 * library wraps fork() and similar functions, and starts the thread when they have
 * returned. POSIX forbids that in the child of a threaded program, but glibc and musl
 * support it.
 */
#include "session/recording.h"
#include "session/syscalls.h"
#include "start/live_part.h"
#include "start/start.h"
#include "system/fork_lock.h"
#include "system/wrap.h"

#include <pty.h>
#include <unistd.h>

static struct {
	pid_t (*fork)(void);
	int (*daemon)(int nochdir, int noclose);
	int (*forkpty)(int *terminal, char *name, const struct termios *attr,
		       const struct winsize *size);
} real;

/* Runs in untraced processes, too, because the program calls the wrappers in any case. */
__attribute__((constructor)) static void find(void)
{
	PB_FIND(fork);
	PB_FIND(daemon);
	PB_FIND(forkpty);
}

static void listen_in_child(void)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	if (!pb_options.live || !pb_tracer)
		return;
	/*
	 * A process without traceable modules, such as a shell, needs no thread. Shells
	 * also fork often.
	 */
	if (patchbay_get_stats(&stats) || !stats.modules)
		return;
	pb_budget_forked();
	pb_note(pb_listen_start(1));
}

static void begin_in_child(void)
{
	int saved_errno = errno;

	pb_fork_child();
	if (!pb_session)
		return;
	/* The child inherits restrictions of system calls. */
	if (pb_syscalls_begin()) {
		pb_session_own();
		pb_data_forget();
		listen_in_child();
		pb_syscalls_end();
	} else {
		pb_listen_never();
	}
	errno = saved_errno;
}

static pid_t forked(pid_t pid)
{
	if (!pid)
		begin_in_child();
	else
		pb_fork_parent();
	return pid;
}

PB_PUBLIC pid_t fork(void)
{
	pb_fork_prepare();
	return forked(PB_REAL(fork)());
}

/* daemon() of the C library returns in the child, or in the parent on error. */
PB_PUBLIC int daemon(int nochdir, int noclose)
{
	const pid_t parent = getpid();
	int error;

	pb_fork_prepare();
	error = PB_REAL(daemon)(nochdir, noclose);
	forked(getpid() == parent ? parent : 0);
	return error;
}

PB_PUBLIC int forkpty(int *terminal, char *name, const struct termios *attr,
		   const struct winsize *size)
{
	pb_fork_prepare();
	return forked(PB_REAL(forkpty)(terminal, name, attr, size));
}
