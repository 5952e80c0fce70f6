/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * `record -p` refuses a child whose loader lock is held for ever, and leaves the child
 * unharmed. The lock is held because the parent forked while another thread was in
 * dl_iterate_phdr(). `attach` also refuses the child, even if the child already listens.
 */
// RUN: rm -rf %t && mkdir %t && cd %t && %build %s -o prog -lpthread
// RUN: cd %t && ./prog sh -c '%patchbay record -p "$0" -o out -- sleep 1' 2>&1 | FileCheck %s
// RUN: %plain -fno-sanitize=kcfi -shared -fPIC %S/../Inputs/attached.c -o %t/prog.so
// RUN: cd %t && env LD_PRELOAD=%patchbay_lib/libpatchbay-live.so PATCHBAY=tracer=function_profile,filter=traced,live=1,output=. ./prog sh -c 'env -u LD_PRELOAD timeout 600 %patchbay attach -p "$0" --fentry traced ./prog.so:on_entry' 2>&1 | FileCheck %s
// CHECK: {{^}}patchbay: error: process {{[0-9]+}}: no library can be loaded into it: when it was forked, another thread of its parent held the loader's lock (dl_iterate_phdr(3), dlopen(3)){{$}}
// CHECK: {{^}}the child: dlsym() has returned, status 0{{$}}
#include "../Inputs/loader-lock.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

OPAQUE void traced(void) {}

/* Waits until the parent, which runs the command, closes the pipe. */
static void child(int until_closed)
{
	char byte;

	traced();
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	CHECK_EQ(read(until_closed, &byte, 1), 0);
	alarm(patience(600));
	CHECK(dlsym(RTLD_DEFAULT, "malloc"));
	printf("the child: dlsym() has returned, ");
	exit(0);
}

int main(int argc, char **argv)
{
	int ends[2], status;
	char number[16];
	pid_t pid, command;

	CHECK(argc > 1);
	take_loader_lock();
	CHECK_EQ(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		close(ends[1]);
		child(ends[0]);
	}
	command = fork();
	if (!command) {
		close(ends[1]);
		snprintf(number, sizeof(number), "%d", (int)pid);
		execlp(argv[1], argv[1], argv[2], argv[3], number, NULL);
		_exit(127);
	}
	CHECK_EQ(waitpid(command, &status, 0), command);
	close(ends[1]);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	printf("status %d\n", status);
	leave_loader_lock();
	return 0;
}
