/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The listening thread ends when the program restricts itself (seccomp, Landlock): the
 * thread would stay unrestricted, or a system call filter would kill the program.
 * Clients then get an error, and the program is not affected.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link
// DEFINE: %{mode} =
// DEFINE: %{env} = env LD_PRELOAD=%patchbay_lib/libpatchbay-live.so PATCHBAY=tracer=function,filter=step,output=%t,live=1
// DEFINE: %{about} = sh -c '%patchbay live PID; grep -E "State|Threads" /proc/PID/status | tr "\t" " "; grep -h NoNewPrivs /proc/PID/task/*/status | tr "\t" " "'
// DEFINE: %{state} = %{about}
// DEFINE: %{live} = timeout 600 %python %S/../Inputs/while-running.py %{env} %t/prog %{mode} -- %{state} 2>&1
//
// The program installs a filter for all threads, for the calling thread, or first for
// one and then for all.
// REDEFINE: %{mode} = all
// RUN: %{live} | FileCheck %s
// REDEFINE: %{mode} = one
// RUN: %{live} | FileCheck %s
// REDEFINE: %{mode} = twice
// RUN: %{live} | FileCheck %s
//      CHECK: {{^}}patchbay: error: process {{[0-9]+}}: it no longer listens: it has restricted its system calls (seccomp) or files (Landlock){{$}}
// CHECK-NEXT: State: {{[RS]}}
// CHECK-NEXT: Threads: 1{{$}}
//
// A child inherits its parent's filter.
// REDEFINE: %{mode} = child
// REDEFINE: %{state} = sh -c '%patchbay live $(cat /proc/PID/task/PID/children); true'
// RUN: %{live} | FileCheck %s --check-prefix=CHILD
// CHILD: error: process {{[0-9]+}}: it no longer listens: it has restricted
// REDEFINE: %{state} = %{about}
//
// A client in the caller's network namespace cannot wake a thread in another one.
// REDEFINE: %{mode} = net
// RUN: %t/prog lacks-net || %{live} | FileCheck %s
//
// REDEFINE: %{mode} = landlock
// RUN: %t/prog lacks-landlock || %{live} | FileCheck %s
//
// If the restriction fails, the process listens again. The listening thread never gains
// privileges, so it continues after prctl(PR_SET_NO_NEW_PRIVS).
// REDEFINE: %{mode} = vain
// RUN: %{live} | FileCheck %s --check-prefix=HEARS
// HEARS: {{^}}tracer     entry
// HEARS: Threads: 2{{$}}
// HEARS-COUNT-2: NoNewPrivs: 1
//
// A filter never takes effect while the listening thread is being created.
// RUN: sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do timeout 600 %{env} %t/prog at-once || exit 1; done'
//
// The same is true while other threads install filters for themselves or for all threads.
// RUN: sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do timeout 600 %{env} %t/prog crowd || exit 1; done'
#include "../Inputs/check.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

OPAQUE void step(void) {}

#define ALLOW(name)                                                            \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1),                 \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static int restrict_to_little(unsigned int flags)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		ALLOW(write), ALLOW(exit_group), ALLOW(futex),
		ALLOW(clock_nanosleep), ALLOW(seccomp), ALLOW(exit),
		ALLOW(madvise), ALLOW(munmap), ALLOW(rt_sigprocmask),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };

	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags,
			    &program);
}

/* Installs a filter that allows all system calls. */
static int restrict_to_all(void)
{
	struct sock_filter filter = BPF_STMT(BPF_RET | BPF_K,
					     SECCOMP_RET_ALLOW);
	struct sock_fprog program = { 1, &filter };

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Declared as in linux/landlock.h, which may be older than the kernel. */
static int make_rules(void)
{
	const uint64_t make_character_devices = 1 << 6;

	return (int)syscall(SYS_landlock_create_ruleset,
			    &make_character_devices,
			    sizeof(make_character_devices), 0);
}

static void go_on(void)
{
	static const char line[] = "restricted\n";
	int word = 0;

	step();
	if (write(STDOUT_FILENO, line, strlen(line)) < 0)
		return;
	for (;;)
		syscall(SYS_futex, &word, 0 /* FUTEX_WAIT */, 0, NULL, NULL, 0);
}

static void pause_ms(long ms)
{
	const struct timespec time = { .tv_nsec = ms * 1000000 };

	nanosleep(&time, NULL);
}

/* Returns 0, or 1 if the restriction had no effect. */
static int restrict_as(const char *mode)
{
	if (!strcmp(mode, "all"))
		return restrict_to_little(SECCOMP_FILTER_FLAG_TSYNC);
	if (!strcmp(mode, "one"))
		return restrict_to_all();
	if (!strcmp(mode, "twice"))
		return restrict_to_all() ||
		       restrict_to_little(SECCOMP_FILTER_FLAG_TSYNC);
	if (!strcmp(mode, "child"))
		return restrict_to_all() || fork() < 0;
	if (!strcmp(mode, "net"))
		return unshare(CLONE_NEWNET) ||
		       restrict_to_little(SECCOMP_FILTER_FLAG_TSYNC);
	if (!strcmp(mode, "landlock"))
		return (int)syscall(SYS_landlock_restrict_self, make_rules(), 0);
	/* The filter's address is invalid, so the call fails. */
	if (!strcmp(mode, "vain"))
		return !syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
				SECCOMP_FILTER_FLAG_TSYNC, 1);
	return 1;
}

static int begun;

/* Restricts all threads or the calling thread. If @kind is 3, the system call fails. */
static void *restrict_one_of(void *kind)
{
	int n = *(int *)kind;

	__atomic_fetch_add(&begun, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&begun, __ATOMIC_SEQ_CST) < 4)
		;
	if (n == 3)
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, 1);
	else
		restrict_to_little(n % 2 ? SECCOMP_FILTER_FLAG_TSYNC : 0);
	for (int i = 0; i < 3000; i++)
		step();
	return NULL;
}

static void crowd(void)
{
	int kinds[] = { 0, 1, 2, 3 };
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		CHECK(!pthread_create(&threads[i], NULL, restrict_one_of,
				      &kinds[i]));
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

/* Returns the exit code, which is 0 if the restriction is unavailable. */
static int lacks(const char *what, int result)
{
	if (result >= 0)
		return 1;
	printf("skipped: %s: %s\n", what, strerror(errno));
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	if (!strcmp(mode, "lacks-net"))
		return lacks("unshare(CLONE_NEWNET)", unshare(CLONE_NEWNET));
	if (!strcmp(mode, "lacks-landlock"))
		return lacks("Landlock", make_rules());
	/* In the other modes, wait until the listening thread runs. */
	if (!strcmp(mode, "at-once")) {
		CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
		CHECK_EQ(restrict_to_little(SECCOMP_FILTER_FLAG_TSYNC), 0);
		pause_ms(100);
		_exit(0);
	}
	if (!strcmp(mode, "crowd")) {
		CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
		crowd();
		_exit(0);
	}
	pause_ms(300);
	CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	CHECK_EQ(restrict_as(mode), 0);
	go_on();
	return 0;
}
