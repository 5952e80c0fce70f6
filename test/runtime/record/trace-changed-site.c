/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A removed uprobe or a debugger may restore a site during a recording. A message then
 * names the function, because its counts are incomplete. A listening thread rearms the
 * site.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog
// RUN: cd %t && %patchbay record -t function_profile -F step -- ./prog self 2>&1 | FileCheck %s
// CHECK: {{^}}patchbay: warning: patchbay.data: 1 function was disarmed by other code (step), such as a uprobe (perf, bpftrace) or a debugger: some of its calls are missing{{$}}
// RUN: cd %t && %patchbay report 2>&1 | FileCheck %s --check-prefixes=CHECK,CALLS
// CALLS: {{^ *3 +step +prog +100.0$}}
// RUN: cd %t && %patchbay info 2>/dev/null | FileCheck %s --check-prefix=INFO
// INFO: {{^}}left out step: other code, such as a uprobe or a debugger, changed its site; some calls are missing{{$}}
// RUN: cd %t && %patchbay record -t function_duration -F step -- ./prog ptrace 2>&1 | FileCheck %s
/* The message also appears if the process ends without destructors. */
// RUN: cd %t && %patchbay record -t function_duration -F step -- ./prog _exit 2>&1 | FileCheck %s
// RUN: cd %t && %patchbay record -t function_profile -F step -- ./prog exec 2>&1 | FileCheck %s
/* Without changed sites there is no message. */
// RUN: cd %t && %patchbay record -t function_profile -F step -- ./prog 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: disarmed
/* A listening thread detects the change and rearms the function. */
// RUN: cd %t && %patchbay record --live -t function_profile -F step -- ./prog await 2>&1 | FileCheck %s
// RUN: cd %t && %patchbay report 2>&1 | FileCheck %s --check-prefixes=CHECK,AGAIN
// AGAIN: {{^ *8 +}}step
/* The message also appears when the recording of a running process ends. */
// RUN: cd %t && %python %S/../Inputs/while-running.py ./prog stay -- sh -c '%patchbay record -t function_profile -F step -o patchbay.data -p PID -- ./prog tell PID' 2>&1 | FileCheck %s
/* `list` also checks traced functions in another process. */
// RUN: cd %t && %python %S/../Inputs/while-running.py env PATCHBAY=tracer=function_profile,filter=step,output=%t LD_PRELOAD=%patchbay_lib/libpatchbay-trace.so ./prog sleep -- %patchbay list -p PID -F step 2>&1 | FileCheck %s --check-prefix=LIST
// LIST: {{changed .*step}}

#include "../Inputs/compiler-bytes.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

OPAQUE int step(int a) { return a + 1; }
OPAQUE int spare(int a) { return a + 2; }

static void call(int times)
{
	while (times--)
		step(1);
}

static void put_back(int sig)
{
	(void)sig;
	disarm_like((uintptr_t)step, (uintptr_t)spare);
}

/* Tells the sender of the signal that the site has been changed. */
static void put_back_when_told(int sig, siginfo_t *info, void *context)
{
	(void)context;
	put_back(sig);
	kill(info->si_pid, SIGUSR1);
}

static void tell(pid_t pid)
{
	sigset_t answer;
	int sig;

	sigemptyset(&answer);
	sigaddset(&answer, SIGUSR1);
	sigprocmask(SIG_BLOCK, &answer, NULL);
	CHECK_EQ(kill(pid, SIGUSR1), 0);
	CHECK_EQ(sigwait(&answer, &sig), 0);
}

/* Lets a child debug this process and restore the site. */
static void put_back_by_ptrace(void)
{
	const uintptr_t to = (uintptr_t)step + STATE_AT;
	long word;
	pid_t child;

	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	child = fork();
	if (!child) {
		const pid_t parent = getppid();
		int status;

		CHECK_EQ(ptrace(PTRACE_ATTACH, parent, NULL, NULL), 0);
		CHECK_EQ(waitpid(parent, &status, __WALL), parent);
		word = ptrace(PTRACE_PEEKTEXT, parent, (void *)to, NULL);
		memcpy(&word, (const char *)spare + STATE_AT, STATE_SIZE);
		CHECK_EQ(ptrace(PTRACE_POKETEXT, parent, (void *)to, (void *)word), 0);
		CHECK_EQ(ptrace(PTRACE_DETACH, parent, NULL, NULL), 0);
		_exit(0);
	}
	CHECK_EQ(waitpid(child, NULL, 0), child);
}

static void await_armed(void)
{
	while (!memcmp((const char *)step + STATE_AT, (const char *)spare + STATE_AT,
		       STATE_SIZE))
		usleep(1000);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	alarm(patience(600));
	if (!strcmp(how, "tell")) {
		tell(atoi(argv[2]));
		return 0;
	}
	sigaction(SIGUSR1,
		  &(struct sigaction){ .sa_sigaction = put_back_when_told,
				       .sa_flags = SA_SIGINFO },
		  NULL);
	call(3);
	if (!strcmp(how, "self") || !strcmp(how, "_exit") || !strcmp(how, "exec") ||
	    !strcmp(how, "await") || !strcmp(how, "sleep"))
		put_back(0);
	if (!strcmp(how, "ptrace"))
		put_back_by_ptrace();
	if (!strcmp(how, "await"))
		await_armed();
	call(5);
	if (!strcmp(how, "_exit"))
		_exit(0);
	if (!strcmp(how, "exec"))
		execlp("true", "true", NULL);
	if (!strcmp(how, "sleep") || !strcmp(how, "stay")) {
		puts("ready");
		fflush(stdout);
		for (;;)
			usleep(1000);
	}
	return 0;
}
