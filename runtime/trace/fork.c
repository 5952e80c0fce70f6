/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a forked child needs, whose memory of the session is zeros: it is told whose
 * that is, and it listens.
 *
 * With live=1 every process of a tree can be controlled: workers of a server, and a
 * server that went into the background. A thread does not survive fork(2), so each
 * child needs one of its own that listens.
 *
 * It cannot be started by a handler of pthread_atfork(3). In a child these run in the
 * order of their registration, and ours, of a library that is initialized before
 * all others, would be the first: an allocator that has its own ones still has its
 * locks, and pthread_create(3) allocates. So the functions of the C library are
 * wrapped, and the thread is started when they have returned: POSIX does not promise
 * that a child of a program with threads can do so, glibc and musl let it.
 */
#include "budget.h"
#include "listen.h"
#include "sandbox.h"
#include "start.h"
#include "wrap.h"

#include <pty.h>
#include <unistd.h>

static struct {
	pid_t (*fork)(void);
	int (*daemon)(int nochdir, int noclose);
	int (*forkpty)(int *terminal, char *name, const struct termios *attr,
		       const struct winsize *size);
} real;

/* Before anybody calls them; also where nothing is traced. */
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
	/* A shell has nothing to control, and starts many programs. */
	if (patchbay_get_stats(&stats) || !stats.modules)
		return;
	pb_budget_forked();
	pb_note(pb_listen_start(1));
}

static void begin_in_child(void)
{
	int saved_errno = errno;

	if (!pb_session)
		return;
	/* Its parent may have restricted its system calls. */
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

PB_PUBLIC pid_t fork(void)
{
	pid_t pid = PB_REAL(fork)();

	if (!pid)
		begin_in_child();
	return pid;
}

/* Returns in the child only. */
PB_PUBLIC int daemon(int nochdir, int noclose)
{
	pid_t parent = getpid();
	int error = PB_REAL(daemon)(nochdir, noclose);

	if (getpid() != parent)
		begin_in_child();
	return error;
}

PB_PUBLIC int forkpty(int *terminal, char *name, const struct termios *attr,
		   const struct winsize *size)
{
	pid_t pid = PB_REAL(forkpty)(terminal, name, attr, size);

	if (!pid)
		begin_in_child();
	return pid;
}
