/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * In programs with ThreadSanitizer the runtime creates no thread: ThreadSanitizer ends
 * a forked child that creates a thread if its parent had several threads. `record`
 * refuses options that need a thread. If a recorded shell starts such a program, the
 * program does not listen, and a message says so.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build -fno-sanitize=kcfi -fsanitize=thread %s -o %t/prog
// RUN: %patchbay record -o %t/data -- %t/prog | FileCheck %s
// CHECK: 0 0 0 ended
// RUN: %patchbay report -f calls,name %t/data | FileCheck %s --check-prefix=CALLS
// CALLS: {{^ *}}3 traced{{$}}
// DEFINE: %{status} = %python %S/../Inputs/expect-status.py
// RUN: %{status} 125 %patchbay record --live -o %t/x -- %t/prog 2>&1 | FileCheck %s --check-prefix=REFUSED --match-full-lines --implicit-check-not={{.}}
// REFUSED: patchbay: error: {{.*}}/prog: built with -fsanitize=thread, which ends forked children while the runtime has a thread: record it without --live, --max-rate, --max-overhead and --rotate-*
// RUN: %{status} 125 %patchbay record --max-rate 10 -o %t/x -- %t/prog 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: %{status} 125 %patchbay record --max-overhead 5%% -o %t/x -- %t/prog 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: %{status} 125 %patchbay record --rotate-every 1s -o %t/x -- %t/prog 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: %patchbay record --force --live -o %t/shell -- sh -c '%t/prog; exit $?' > %t/out 2>&1
// RUN: FileCheck %s --check-prefix=SHELL < %t/out
// SHELL: {{^}}patchbay: warning: PATCHBAY: ThreadSanitizer permits no listening thread: 'patchbay live', max-rate and max-overhead have no effect here{{$}}
// SHELL: {{^}}0 0 0 ended

#include "../Inputs/check.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

OPAQUE void traced(void) {}

static void *run(void *arg)
{
	return arg;
}

int main(void)
{
	pthread_t thread;
	int status;

	for (int i = 0; i < 3; i++) {
		pid_t pid = fork();

		if (!pid) {
			CHECK(!pthread_create(&thread, NULL, run, NULL));
			CHECK(!pthread_join(thread, NULL));
			traced();
			exit(0);
		}
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		printf("%x ", status);
		fflush(stdout);
	}
	puts("ended");
	return 0;
}
