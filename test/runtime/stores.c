/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * PATCHBAY_MODE_STORES: in a process with one thread code is changed by stores, so by
 * no system call that writes to text; it is as it was in /proc/PID/maps then, and was
 * never writable and executable. Where that cannot be, it is changed as ever.
 */
// RUN: %build %s -o %t %link
// RUN: %t alone | FileCheck %s --check-prefix=STORES
// RUN: %t traced | FileCheck %s --check-prefixes=STORES,TRACED
// RUN: %t traced-steps | FileCheck %s --check-prefixes=STORES,TRACED
// RUN: %t injected | FileCheck %s --check-prefixes=STORES,INJECTED
// RUN: %t injected-steps | FileCheck %s --check-prefixes=WRITES,INJECTED
// RUN: %t half | FileCheck %s --check-prefixes=WRITES,KEPT,HALF
// RUN: %t half-injected | FileCheck %s --check-prefixes=WRITES,HALF,REPLACED
// RUN: %t forks | FileCheck %s --check-prefix=FORKS
// RUN: %t off | FileCheck %s --check-prefix=WRITES
// RUN: %t strict | FileCheck %s --check-prefix=WRITES
// RUN: %t thread | FileCheck %s --check-prefix=WRITES
// RUN: %t clone | FileCheck %s --check-prefix=WRITES
// RUN: %t memory | FileCheck %s --check-prefix=WRITES
// RUN: %t mdwe | FileCheck %s --check-prefix=WRITES
// RUN: %t traced-mdwe | FileCheck %s --check-prefixes=WRITES,KEPT
// RUN: %t filter | FileCheck %s --check-prefix=WRITES
// RUN: %build %s -o %t.static %patchbay_lib/libpatchbay.a -lpthread
// RUN: %t.static alone | FileCheck %s --check-prefix=WRITES
//
/* What was allowed before is not any more, without a word to us. */
// RUN: %t later-thread | FileCheck %s --check-prefix=WRITES
// RUN: %t later-clone | FileCheck %s --check-prefix=WRITES
// RUN: %t later-mdwe | FileCheck %s --check-prefix=WRITES
// RUN: %t later-filter | FileCheck %s --check-prefix=WRITES
// RUN: %t later-moved | FileCheck %s --check-prefix=WRITES
//
/* Recorded, unless it is told not to. */
// RUN: rm -rf %t.data && %patchbay record -o %t.data -F 'f_*' -- %t recorded | FileCheck %s --check-prefix=STORES
// RUN: rm -rf %t.data && %patchbay record -o %t.data --no-stores -F 'f_*' -- %t recorded | FileCheck %s --check-prefix=WRITES
// STORES: {{^}}written by system calls: no{{$}}
// WRITES: {{^}}written by system calls: yes{{$}}
// FORKS-COUNT-2: {{^}}written by system calls: no{{$}}
// TRACED: {{^}}it was writable, and not executable, [[N:[1-9][0-9]*]] times of [[N]]{{$}}
// INJECTED: {{^}}it was writable, and not executable, [[N:[1-9][0-9]*]] times of [[N]]{{$}}
// KEPT: {{^}}it was writable, and not executable, 0 times of 0{{$}}
// INJECTED: {{^}}replaced: [[N]]{{$}}
// HALF: {{^}}a part was writable: [[N:[1-9][0-9]*]]{{$}}
// REPLACED: {{^}}replaced: [[N]]{{$}}
#include "Inputs/check.h"
#include "Inputs/repeat.h"

#include <patchbay/patchbay.h>

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNTRACED __attribute__((no_profile_instrument_function))

#define FUNCTION(n) OPAQUE static int f##n(int a) { return a + 1; }
X256(FUNCTION, _)

#define ADDRESS(n) f##n,
static int (*const functions[])(int) = { X256(ADDRESS, _) };
enum { NR = sizeof(functions) / sizeof(functions[0]) };

static long calls;

static UNTRACED void count(uintptr_t ip, uintptr_t parent_ip,
			   const struct patchbay_cell *cell,
			   struct patchbay_regs *regs)
{
	(void)ip, (void)parent_ip, (void)cell, (void)regs;
	calls++;
}

/* The line of /proc/PID/maps that @address is in. */
static UNTRACED int find_line(pid_t pid, uintptr_t address, char line[4096])
{
	unsigned long start, end;
	char name[64];
	int found = 0;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	maps = fopen(name, "r");
	CHECK(maps);
	while (!found && fgets(line, 4096, maps))
		found = sscanf(line, "%lx-%lx", &start, &end) == 2 &&
			address >= start && address < end;
	fclose(maps);
	return found;
}

static UNTRACED uint64_t writes(void)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	CHECK_EQ(patchbay_get_stats(&stats), 0);
	return stats.text_writes;
}

static UNTRACED void call_all(long armed)
{
	calls = 0;
	for (int i = 0; i < NR; i++)
		CHECK_EQ(functions[i](i), i + 1);
	CHECK_EQ(calls, armed);
}

/* @split: what the kernel has once counted as memory of the process stays a part. */
static UNTRACED void check_mapping(const char *before, const char *after, int split)
{
	if (split)
		CHECK(strstr(before, " r-xp ") && strstr(after, " r-xp "));
	else
		CHECK_EQ(strcmp(before, after), 0);
}

static UNTRACED int allow(void *arg, const struct patchbay_target *target)
{
	(void)arg, (void)target;
	return 0;
}

/* All are looked at before any is changed, as somebody is asked about each. */
static int in_steps;

static UNTRACED void run(unsigned int modes, int split)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.flags = PATCHBAY_OPS_FAST,
						.handler = count,
						.check = in_steps ? allow : NULL };
	char before[4096], after[4096];
	struct patchbay_ops *ops;

	CHECK(find_line(getpid(), (uintptr_t)functions[0], before));
	CHECK_EQ(patchbay_set_mode(modes), 0);
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	for (int i = 0; i < 3; i++) {
		CHECK_EQ(patchbay_arm(ops, "f_*", 0), NR);
		call_all(NR);
		CHECK_EQ(patchbay_disarm(ops, "f_*"), NR);
		call_all(0);
	}
	/* Others, and some of them. */
	CHECK_EQ(patchbay_arm(ops, "f_*0", 0), NR / 4);
	CHECK_EQ(patchbay_arm(ops, "f_*1", 0), NR / 4);
	call_all(NR / 2);
	CHECK_EQ(patchbay_disarm(ops, "f_*0"), NR / 4);
	call_all(NR / 4);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	call_all(0);
	CHECK(find_line(getpid(), (uintptr_t)functions[0], after));
	check_mapping(before, after, split);
}

static UNTRACED void say(void)
{
	/* Not to text: one tells the module of its runtime, two lead its stubs. */
	printf("written by system calls: %s\n", writes() > 3 ? "yes" : "no");
}

static UNTRACED void *sleep_in_thread(void *arg)
{
	pause();
	return arg;
}

static UNTRACED int sleep_in_clone(void *arg)
{
	(void)arg;
	for (;;)
		syscall(SYS_pause);
}

static UNTRACED pid_t start_clone(int flags)
{
	static char stack[65536] __attribute__((aligned(16)));
	const pid_t pid = clone(sleep_in_clone, stack + sizeof(stack), flags, NULL);

	CHECK(pid > 0);
	return pid;
}

/* Whoever asks by unshare(2) whether there are threads is killed. */
static UNTRACED void install_filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	CHECK_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

/* What was writable is not made executable again. */
static UNTRACED void deny_execution(void)
{
	CHECK_EQ(prctl(65 /* PR_SET_MDWE */, 1, 0, 0, 0), 0);
}

/* What is done to a child's calls of mprotect() for its text. */
enum change {
	STAYS = 1, /* nothing: the kernel refuses it to the child */
	FAILS = 2, /* each that makes it executable again */
	HALF = 4,  /* each that makes it writable does so to a part, and fails */
};

/* @child is at the end of a system call; it gets @registers, but for @result. */
static UNTRACED void end_call(pid_t child, struct user_regs_struct *registers,
			      int result)
{
	struct user_regs_struct regs = *registers;

	regs.rax = (unsigned long)result;
	CHECK_EQ(ptrace(PTRACE_SETREGS, child, 0, &regs), 0);
}

/* The system call that @child is at the begin of is another, and ends with ENOMEM. */
static UNTRACED void change_call(pid_t child, const struct user_regs_struct *other)
{
	struct user_regs_struct before;
	int status;

	CHECK_EQ(ptrace(PTRACE_GETREGS, child, 0, &before), 0);
	CHECK_EQ(ptrace(PTRACE_SETREGS, child, 0, other), 0);
	CHECK_EQ(ptrace(PTRACE_SYSCALL, child, 0, 0), 0);
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK(WIFSTOPPED(status));
	end_call(child, &before, -ENOMEM);
}

/*
 * Stop the child at its system calls; look at its text after each mprotect() of it,
 * and do what @how says. If the kernel refuses to make it executable again, that is not
 * to be tried on text.
 */
static UNTRACED void trace(int how)
{
	const uintptr_t address = (uintptr_t)functions[0];
	int status, inside = 0, writable = 0, changes = 0, replaced = 0, parts = 0;
	struct user_regs_struct regs;
	char line[4096], seen[8];
	pid_t child = fork();

	CHECK(child >= 0);
	if (!child) {
		CHECK_EQ(ptrace(PTRACE_TRACEME, 0, 0, 0), 0);
		raise(SIGSTOP);
		if (how & STAYS)
			deny_execution();
		run(PATCHBAY_MODE_STORES, how == HALF);
		say();
		exit(0);
	}
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(ptrace(PTRACE_SETOPTIONS, child, 0,
			PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL), 0);
	for (;;) {
		uintptr_t start = 0, end = 0;

		CHECK_EQ(ptrace(PTRACE_SYSCALL, child, 0, 0), 0);
		CHECK_EQ(waitpid(child, &status, 0), child);
		if (!WIFSTOPPED(status))
			break;
		/* Code that cannot be executed is one of these. */
		CHECK_EQ(WSTOPSIG(status), SIGTRAP | 0x80);
		CHECK_EQ(ptrace(PTRACE_GETREGS, child, 0, &regs), 0);
		inside = !inside;
		CHECK(find_line(child, address, line));
		CHECK_EQ(sscanf(line, "%lx-%lx %7s", &start, &end, seen), 3);
		CHECK(!strchr(seen, 'w') || !strchr(seen, 'x'));
		if (regs.orig_rax == SYS_mremap && !inside && regs.r8 == start)
			replaced++;
		if (regs.orig_rax != SYS_mprotect || regs.rdi != start)
			continue;
		if (inside && how & HALF && regs.rdx & PROT_WRITE) {
			/* As far as the first function. */
			regs.rsi = (address & -4096UL) + 4096 - start;
			change_call(child, &regs);
			inside = 0;
			CHECK(find_line(child, address, line));
			parts += !!strstr(line, " rw-p ");
			continue;
		}
		if (how & HALF && !(how & FAILS))
			continue;
		changes += inside && regs.rdx == (PROT_READ | PROT_EXEC);
		writable += !inside && !strcmp(seen, "rw-p");
		if (inside && how & FAILS && regs.rdx & PROT_EXEC) {
			regs.orig_rax = (unsigned long)-1;
			change_call(child, &regs);
			inside = 0;
		}
	}
	CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
	if (how != (HALF | FAILS))
		printf("it was writable, and not executable, %d times of %d\n",
		       writable, changes);
	if (how & HALF)
		printf("a part was writable: %d\n", parts);
	if (how & FAILS)
		printf("replaced: %d\n", replaced);
}

/* A part of the text is a copy in other memory. */
static UNTRACED void move_part(void)
{
	const long page = sysconf(_SC_PAGESIZE);
	char *part = (char *)((uintptr_t)functions[NR / 2] & -(uintptr_t)page);
	char *copy = mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(copy != MAP_FAILED);
	memcpy(copy, part, (size_t)page);
	CHECK_EQ(mprotect(copy, (size_t)page, PROT_READ | PROT_EXEC), 0);
	CHECK(mremap(copy, (size_t)page, (size_t)page, MREMAP_MAYMOVE | MREMAP_FIXED,
		     part) == part);
}

/* Parent and child share the pages that were copied. */
static UNTRACED void run_in_child(void)
{
	pid_t child;
	int status;

	run(PATCHBAY_MODE_STORES, 0);
	child = fork();
	CHECK(child >= 0);
	if (!child) {
		run(PATCHBAY_MODE_STORES, 0);
		say();
		fflush(stdout);
		_exit(0);
	}
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	unsigned int modes = PATCHBAY_MODE_STORES;
	pthread_t thread;
	pid_t other = 0;

	in_steps = !!strstr(how, "steps");

	if (!strncmp(how, "traced", 6) || strstr(how, "injected") ||
	    !strcmp(how, "half")) {
		trace((strstr(how, "mdwe") ? STAYS : 0) |
		      (strstr(how, "injected") ? FAILS : 0) |
		      (strstr(how, "half") ? HALF : 0));
		return 0;
	}
	if (!strcmp(how, "recorded")) {
		say();
		return 0;
	}
	if (!strncmp(how, "later-", 6)) {
		run(modes, 0);
		CHECK(writes() <= 3);
		how += 6;
	}
	if (!strcmp(how, "strict"))
		modes |= PATCHBAY_MODE_STRICT;
	else if (!strcmp(how, "off"))
		modes = 0;
	else if (!strcmp(how, "thread"))
		CHECK_EQ(pthread_create(&thread, NULL, sleep_in_thread, NULL), 0);
	else if (!strcmp(how, "clone"))
		start_clone(CLONE_VM | CLONE_SIGHAND | CLONE_THREAD);
	else if (!strcmp(how, "memory"))
		other = start_clone(CLONE_VM);
	else if (!strcmp(how, "mdwe"))
		deny_execution();
	else if (!strcmp(how, "filter"))
		install_filter();
	else if (!strcmp(how, "moved"))
		move_part();
	else if (!strcmp(how, "forks"))
		run_in_child();
	else
		CHECK_EQ(strcmp(how, "alone"), 0);
	run(modes, 0);
	say();
	if (other)
		kill(other, SIGKILL);
	fflush(stdout);
	_exit(0);
}
