/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Since Linux 6.12 a kernel may be configured or booted so that only a ptrace(2) tracer of
 * PID can write through the protection of a mapping by /proc/PID/mem
 * (PROC_MEM_FORCE_PTRACE, the default of 7.2's configuration; fs/proc/base.c,
 * proc_mem_foll_force()). On such a kernel this file creates a helper process that shares
 * the program's memory. The helper makes the calling thread its tracer, opens its own
 * /proc/self/mem, which is the program's memory, and sleeps. No thread stops, and no thread
 * of the program is traced. The helper exists only while text is open.
 *
 * The helper shares the program's descriptors, to hand over its own, and blocks all
 * signals. pb_traced_mem_end() ends the helper by a pidfd, and so does the end of the thread
 * that created it. A process id would be unsafe: if the program waits for all children, another
 * process may have got the id. wait(2) does not report the helper, and its end sends no
 * SIGCHLD. But a program that waits for children of all kinds (__WALL) at that moment may see
 * the helper end. A debugger of the program does not see the helper.
 */
#include "system/linux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK 16384
#define ALL_SIGNALS 8 /* size of the kernel's signal set in bytes */

enum { BEGINS, FAILED, OPENED };

/*
 * The helper process. At most one exists.
 * @owner: the thread that created it; 0: none
 * @pidfd: a descriptor of the process
 * @state: as above; @fd and @error are valid in OPENED and FAILED
 */
static struct {
	pid_t owner;
	int pidfd;
	uint32_t state;
	int fd, error;
	char stack[STACK] __attribute__((aligned(16)));
} tracee;

int pb_mem_is_forced(int fd)
{
	static const volatile uint8_t constant = 1;
	const uint8_t same = constant;

	return pwrite(fd, &same, sizeof(same), (off_t)(uintptr_t)&constant) ==
	       sizeof(same);
}

/*
 * Does the thread have a seccomp filter? The filter may kill the process for system calls
 * that the program itself never makes. Returns 1 if unknown. A kernel without seccomp has
 * no line "Seccomp:" in /proc/thread-self/status.
 */
static int is_filtered(void)
{
	static const char name[] = "\nSeccomp:\t";
	char text[4096];
	int fd = open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	const char *at;

	if (fd >= 0)
		close(fd);
	if (size <= 0)
		return 1;
	text[size] = '\0';
	at = strstr(text, name);
	return at ? at[sizeof(name) - 1] != '0' : (size_t)size == sizeof(text) - 1;
}

/*
 * Runs in the helper, which shares thread-local storage, and so errno, with the thread that
 * created it. That is safe: the thread sleeps until the state changes, and no later call here
 * can fail.
 */
static int be_traced(void *arg)
{
	uint32_t state = FAILED;

	(void)arg;
	if (!syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) &&
	    !syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0)) {
		tracee.fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/mem",
					 O_RDWR | O_CLOEXEC);
		state = tracee.fd < 0 ? FAILED : OPENED;
	}
	tracee.error = state == FAILED ? errno : 0;
	__atomic_store_n(&tracee.state, state, __ATOMIC_RELEASE);
	syscall(SYS_futex, &tracee.state, FUTEX_WAKE_PRIVATE, 1);
	for (;;)
		syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0);
}

/* Create the helper. Its end sends no signal, and only __WALL or __WCLONE waits for it. */
static pid_t make_process(void)
{
	const int flags = CLONE_VM | CLONE_FILES | CLONE_UNTRACED | CLONE_PIDFD;
	uint64_t all = ~UINT64_C(0), before = 0;
	pid_t pid;

	/* By system call: the C library's sigprocmask() does not block its internal signals. */
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, ALL_SIGNALS);
	pid = clone(be_traced, tracee.stack + STACK, flags, NULL, &tracee.pidfd);
	while (pid > 0 &&
	       __atomic_load_n(&tracee.state, __ATOMIC_ACQUIRE) == BEGINS)
		syscall(SYS_futex, &tracee.state, FUTEX_WAIT_PRIVATE, BEGINS, NULL);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, ALL_SIGNALS);
	return pid;
}

static int begin_tracing(void)
{
	tracee.state = BEGINS;
	if (make_process() < 0) {
		int error = -errno;

		__atomic_store_n(&tracee.owner, 0, __ATOMIC_RELEASE);
		return error;
	}
	if (tracee.state == OPENED)
		return tracee.fd;
	pb_traced_mem_end();
	return -tracee.error;
}

int pb_traced_mem_begin(void)
{
	const pid_t self = (pid_t)syscall(SYS_gettid);
	const int saved = errno;
	pid_t owner = 0;
	int fd;

	if (is_filtered())
		fd = -EPERM;
	else if (__atomic_compare_exchange_n(&tracee.owner, &owner, self, 0,
					     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		fd = begin_tracing();
	else
		fd = -EBUSY;
	errno = saved;
	return fd;
}

void pb_traced_mem_end(void)
{
	const pid_t self = (pid_t)syscall(SYS_gettid);
	const int saved = errno;
	siginfo_t ended;

	if (__atomic_load_n(&tracee.owner, __ATOMIC_RELAXED) != self)
		return;
	syscall(SYS_pidfd_send_signal, tracee.pidfd, SIGKILL, NULL, 0);
	while (waitid(P_PIDFD, (id_t)tracee.pidfd, &ended, WEXITED | __WALL) < 0 &&
	       errno == EINTR)
		;
	close(tracee.pidfd);
	errno = saved;
	__atomic_store_n(&tracee.owner, 0, __ATOMIC_RELEASE);
}

void pb_traced_mem_forget(void)
{
	if (tracee.owner)
		close(tracee.pidfd);
	tracee.owner = 0;
}
