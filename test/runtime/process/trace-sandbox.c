/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Programs that restrict their system calls during a recording behave as if untraced.
 * Each call is recorded, or counted as lost with the reason. Restrictions: seccomp's
 * strict mode; a filter that kills, as sshd uses before authentication; a filter that
 * returns errors, as in systemd units. Threads start before or after the restriction. A
 * filter applies to one thread or to all.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link
// DEFINE: %{mode} =
// DEFINE: %{record} = cd %t && timeout 600 %patchbay record -F 'early*' -F late -F 'many*'
// DEFINE: %{events} = -- ./prog %{mode} > %t/said && %patchbay dump --csv %t/patchbay.data > %t/csv && %python %S/../Inputs/losses.py %t/said %t/csv %t/patchbay.data | FileCheck %s
// DEFINE: %{histograms} = -- ./prog %{mode} all > %t/said && %python %S/../Inputs/losses.py %t/said - %t/patchbay.data | FileCheck %s
// DEFINE: %{run} = %{record} -t function %{events} && %{record} -t function_duration %{events} && %{record} -t function_graph --threshold 1ns --overwrite %{events} && %{record} --histogram %{histograms}
// CHECK: calls in a sandbox, 0 missing
//
// REDEFINE: %{mode} = kill
// RUN: %{run}
// REDEFINE: %{mode} = kill-all-threads
// RUN: %{run}
// REDEFINE: %{mode} = errno
// RUN: %{run}
// REDEFINE: %{mode} = kill-beside
// RUN: %{run}
// REDEFINE: %{mode} = in-child
// RUN: %{run}
//
// In strict mode a thread cannot read the clock. Timing ends, and counting continues.
// REDEFINE: %{mode} = strict
// RUN: %{record} -t function %{events} --check-prefix=ENDED
// RUN: %{record} -t function_duration %{events} --check-prefix=ENDED
// RUN: %{record} -t function_graph %{events} --check-prefix=ENDED
// RUN: %{record} --histogram %{histograms} --check-prefix=ENDED
// ENDED: recording was ended
// RUN: %{record} -t function_profile -- ./prog strict > %t/said
// RUN: %patchbay report --json %t/patchbay.data | FileCheck %s --check-prefix=COUNTED
// COUNTED: "calls": 5000,
//
// The thread cannot query its sleep time, so its calls are lost and reported.
// REDEFINE: %{mode} = kill
// RUN: %{record} -t function_duration --no-sleep-time %{events} --check-prefix=UNKNOWN
// UNKNOWN: 29004 calls in a sandbox, {{[0-9]+}} missing, sandbox: {{[0-9]+$}}
//
// Events that exceed the reserved space are lost and reported. With --overwrite, a
// thread's newest calls replace its oldest calls.
// REDEFINE: %{mode} = kill 30000
// REDEFINE: %{record} = cd %t && timeout 600 prlimit --fsize=2500000 %patchbay record -F 'early*' -F late -F 'many*'
// RUN: %{record} -t function_duration %{events} --check-prefix=SOME
// SOME: 154004 calls in a sandbox, {{[1-9][0-9]+}} missing, sandbox: {{[1-9][0-9]+$}}
// RUN: %{record} -t function_duration --overwrite %{events} --check-prefix=NEWEST
// NEWEST: 154004 calls in a sandbox, {{[1-9][0-9]+}} missing, {{.*}}overwritten: {{[1-9][0-9]+}}
//
// A child that is forked after the restriction cannot create a file. The parent's file
// counts the child's losses.
// REDEFINE: %{mode} = child-later
// REDEFINE: %{record} = cd %t && timeout 600 %patchbay record -F 'early*' -F late -F 'many*'
// RUN: %{record} -t function %{events} --check-prefix=CHILD
// RUN: %{record} -t function_duration %{events} --check-prefix=CHILD
// RUN: %{record} --histogram %{histograms} --check-prefix=CHILD
// CHILD: calls in a sandbox, 5800 missing, child: 5800{{$}}
#include "../Inputs/check.h"
#include "../Inputs/take-time.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNTRACED __attribute__((no_profile_instrument_function))

OPAQUE void early(void) { take_time(); }
OPAQUE void late(void) { take_time(); }
/* The first call of these functions is after the restriction. */
#define MANY(n) OPAQUE void many_##n(void) { take_time(); }
MANY(0) MANY(1) MANY(2) MANY(3) MANY(4) MANY(5) MANY(6) MANY(7)
static void (*const many[])(void) = { many_0, many_1, many_2, many_3,
				      many_4, many_5, many_6, many_7 };

#define ALLOW(name)                                                            \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1),                 \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/*
 * Allows the system calls in sshd's sandbox-seccomp-filter.c that this program needs.
 * Threads also use clone3, rseq and similar ones.
 */
OPAQUE static int early_filter(unsigned int otherwise, unsigned int flags)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		ALLOW(read), ALLOW(write), ALLOW(exit), ALLOW(exit_group),
		ALLOW(brk), ALLOW(munmap), ALLOW(madvise),
		ALLOW(rt_sigprocmask), ALLOW(rt_sigreturn), ALLOW(futex),
		ALLOW(clone3), ALLOW(set_robust_list), ALLOW(rseq),
		ALLOW(mprotect), ALLOW(clone), ALLOW(wait4),
		BPF_STMT(BPF_RET | BPF_K, otherwise),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };

	CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	/*
	 * Pass invalid arguments, as libseccomp does to find out whether the call
	 * exists.
	 */
	CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 1, NULL) &&
	      errno == EINVAL);
	if (flags)
		return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags,
				    &program);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static char said[512];
static int all;
static long calls = 5000;

UNTRACED static void say(const char *name, long calls)
{
	int length = (int)strlen(said);

	snprintf(said + length, sizeof(said) - (size_t)length,
		 "%s %ld 0\n", name, calls);
}

UNTRACED static void make_calls(void)
{
	for (long i = 0; i < calls; i++)
		late();
	for (int i = 0; i < 800; i++)
		many[i % 8]();
}

static volatile int go;

UNTRACED static void *older(void *arg)
{
	early();
	__atomic_fetch_add(&go, 1, __ATOMIC_SEQ_CST);
	while (go != -1)
		;
	make_calls();
	return arg;
}

UNTRACED static void *newer(void *arg)
{
	make_calls();
	return arg;
}

/* Stacks for threads: malloc() may make system calls that a filter forbids. */
static char stacks[4][1 << 16] __attribute__((aligned(4096)));

UNTRACED static void begin(pthread_t *thread, void *(*run)(void *), int n)
{
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, stacks[n], sizeof(stacks[n]));
	CHECK(!pthread_create(thread, &attr, run, NULL));
	pthread_attr_destroy(&attr);
}

UNTRACED static void tell(long threads)
{
	if (all) {
		say("all", threads * (calls + 800) + 2);
	} else {
		say("late", threads * calls);
		for (int i = 0; i < 8; i++) {
			char name[] = "many_0";

			name[5] += (char)i;
			say(name, threads * 100);
		}
	}
}

/* This call is being timed when the clock becomes unavailable. */
OPAQUE static int early_strict(void)
{
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
}

UNTRACED static int strict(void)
{
	early();
	tell(1);
	if (early_strict())
		return 1;
	make_calls();
	if (write(STDOUT_FILENO, said, strlen(said)) < 0)
		return 1;
	syscall(SYS_exit, 0);
	return 1;
}

UNTRACED static int filtered(unsigned int otherwise, unsigned int flags)
{
	pthread_t thread[4];

	early();
	begin(&thread[0], older, 0);
	begin(&thread[1], older, 1);
	while (go != 2)
		;
	CHECK_EQ(early_filter(otherwise, flags), 0);
	go = -1;
	begin(&thread[2], newer, 2);
	begin(&thread[3], newer, 3);
	make_calls();
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	if (all) {
		say("all", 5 * (calls + 800) + 4);
	} else {
		say("early", 3);
		say("early_filter", 1);
		tell(5);
	}
	return write(STDOUT_FILENO, said, strlen(said)) < 0;
}

/* As in a server, the child has recorded nothing before the restriction. */
UNTRACED static int in_child(void)
{
	int status;
	pid_t pid;

	early();
	pid = fork();
	if (!pid) {
		CHECK_EQ(early_filter(SECCOMP_RET_KILL_PROCESS, 0), 0);
		make_calls();
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	tell(1);
	return write(STDOUT_FILENO, said, strlen(said)) < 0;
}

UNTRACED static int child_later(void)
{
	int status;
	pid_t pid;

	early();
	CHECK_EQ(early_filter(SECCOMP_RET_KILL_PROCESS, 0), 0);
	pid = fork();
	if (!pid) {
		make_calls();
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	tell(1);
	return write(STDOUT_FILENO, said, strlen(said)) < 0;
}

static volatile int all_done;

UNTRACED static void *fail(void *arg)
{
	while (!all_done) {
		CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, 1) < 0);
		go = 1;
	}
	return arg;
}

/*
 * Restricts one thread while another thread continually tries to restrict itself, and
 * fails.
 */
UNTRACED static int beside(void)
{
	pthread_t thread;

	early();
	begin(&thread, fail, 0);
	while (!go)
		;
	CHECK_EQ(early_filter(SECCOMP_RET_KILL_PROCESS, 0), 0);
	make_calls();
	all_done = 1;
	pthread_join(thread, NULL);
	if (all) {
		say("all", calls + 800 + 2);
	} else {
		say("early", 1);
		say("early_filter", 1);
		tell(1);
	}
	return write(STDOUT_FILENO, said, strlen(said)) < 0;
}

UNTRACED int main(int argc, char **argv)
{
	const char *mode = argv[1];

	if (argc > 2 && strcmp(argv[2], "all"))
		calls = atol(argv[2]);
	else
		all = argc > 2;
	if (!strcmp(mode, "strict"))
		return strict();
	if (!strcmp(mode, "kill"))
		return filtered(SECCOMP_RET_KILL_PROCESS, 0);
	if (!strcmp(mode, "kill-all-threads"))
		return filtered(SECCOMP_RET_KILL_PROCESS,
				SECCOMP_FILTER_FLAG_TSYNC);
	if (!strcmp(mode, "errno"))
		return filtered(SECCOMP_RET_ERRNO | EPERM,
				SECCOMP_FILTER_FLAG_TSYNC);
	if (!strcmp(mode, "in-child"))
		return in_child();
	if (!strcmp(mode, "child-later"))
		return child_later();
	if (!strcmp(mode, "kill-beside"))
		return beside();
	return 1;
}
