/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program restricts itself while its listening thread cannot end, because the thread
 * is attaching an object whose constructor does not return. The program waits ten
 * seconds for the thread, and the recording notes the timeout.
 */
// RUN: rm -rf %t && mkdir -p %t/out
// RUN: %build %s -o %t/prog %link
// RUN: %plain -shared -fPIC %S/../Inputs/stuck.c -o %t/stuck.so
// DEFINE: %{env} = env LD_PRELOAD=%patchbay_lib/libpatchbay-live.so PATCHBAY=tracer=function,filter=step,output=%t/out,live=1
// RUN: timeout 600 %python %S/../Inputs/while-running.py %{env} %t/prog -- sh -c 'timeout 60 %patchbay attach -p PID --fentry step %t/stuck.so:on_entry; true'
// RUN: %python %S/../Inputs/expect-status.py 1 %patchbay report %t/out 2>&1 | FileCheck %s
// CHECK: {{^}}patchbay: warning: {{.*}}: the thread that listens for 'patchbay live' was busy for more than 10 s when the process restricted its system calls (seccomp) or files (Landlock): that thread is not restricted, or the restriction ended the process{{$}}
#include "../Inputs/check.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

OPAQUE void step(void) {}

int main(void)
{
	struct sock_filter all = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { 1, &all };
	sigset_t loaded;
	int number;

	alarm(600);
	sigemptyset(&loaded);
	sigaddset(&loaded, SIGUSR1);
	CHECK_EQ(sigprocmask(SIG_BLOCK, &loaded, NULL), 0);
	step();
	puts("ready");
	fflush(stdout);
	CHECK_EQ(sigwait(&loaded, &number), 0);
	CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	CHECK_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
	step();
	_exit(0);
}
