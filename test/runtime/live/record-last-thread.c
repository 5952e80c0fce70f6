/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A recorded program still exits when its last thread ends: glibc then calls exit(3) in
 * that thread, which runs atexit(3) handlers and flushes buffers. glibc does not count
 * the listening thread, which --live, --rotate-* and -p start.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog
// RUN: %t/prog | FileCheck %s
// RUN: timeout -s KILL 600 %patchbay record --live -o %t/live -- %t/prog > %t/out && FileCheck %s < %t/out
// RUN: timeout -s KILL 600 %patchbay record --live -o %t/main -- %t/prog main > %t/out && FileCheck %s < %t/out
// RUN: timeout -s KILL 600 %patchbay record --rotate-every=1s -o %t/rotate -- %t/prog > %t/out && FileCheck %s < %t/out
// RUN: timeout -s KILL 600 %t/prog visit %patchbay %t/visit > %t/out && FileCheck %s < %t/out
/* `patchbay record` writes the recording soon after the program's end. */
// RUN: timeout 600 sh -c 'until %patchbay report -i %t/visit; do sleep 0.1; done' | FileCheck %s --check-prefix=REPORT
/* The program also exits if the recording and its listening thread have ended. */
// RUN: timeout -s KILL 600 %t/prog visited %patchbay %t/visited > %t/out && FileCheck %s --check-prefix=VISITED < %t/out
// CHECK: buffered, handler
// VISITED: buffered, other ended, handler
// REPORT: 1 {{.*}} handler

#include "../Inputs/check.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

OPAQUE void handler(void) { printf("handler\n"); }

static void *other(void *main_thread)
{
	if (main_thread)
		CHECK(!pthread_join(*(pthread_t *)main_thread, NULL));
	return NULL;
}

/*
 * Records this process for @seconds. Returns during the recording, or after the
 * recording if @seconds is "0".
 */
static void visit(const char *patchbay, const char *output, const char *seconds)
{
	char pid[16], byte;
	int ends[2];
	pid_t command;

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	CHECK(!pipe(ends));
	command = fork();
	if (!command) {
		dup2(ends[1], STDERR_FILENO);
		dup2(STDERR_FILENO, STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		execl(patchbay, patchbay, "record", "-o", output, "-p", pid, "--",
		      "sleep", seconds, NULL);
		_exit(1);
	}
	close(ends[1]);
	CHECK_EQ(read(ends[0], &byte, 1), 1);
	if (!strcmp(seconds, "0"))
		CHECK_EQ(waitpid(command, NULL, 0), command);
	/* Leave the pipe open, because `patchbay record` writes more. */
}

int main(int argc, char **argv)
{
	static pthread_t self;
	pthread_t thread;
	int is_last;

	CHECK(!atexit(handler));
	printf("buffered, ");
	is_last = argc == 2 || (argc == 4 && !strcmp(argv[1], "visited"));
	if (argc == 4)
		visit(argv[2], argv[3], is_last ? "0" : "60");
	self = pthread_self();
	CHECK(!pthread_create(&thread, NULL, other, is_last ? NULL : &self));
	/* @is_last: the main thread ends last. Otherwise, @thread does. */
	if (is_last)
		CHECK(!pthread_join(thread, NULL));
	if (is_last && argc == 4)
		printf("other ended, ");
	pthread_exit(NULL);
}
