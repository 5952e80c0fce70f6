/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * `patchbay attach` works in a forked child, where the new listening thread may get the
 * stack address of the parent's listening thread. BPF code runs on a separate stack,
 * and memory below the listening thread's stack stays unchanged.
 */
// RUN: rm -rf %t && mkdir %t && %build %s -o %t/prog
// RUN: %plain -fno-sanitize=kcfi -shared -fPIC %S/../Inputs/attached.c -o %t/prog.so
// RUN: cd %t && %patchbay record --live -F step -o out -- ./prog %patchbay 2>log | FileCheck %s
// CHECK: {{^}}parent: on_entry was called{{$}}
// CHECK: {{^}}child: on_entry was called{{$}}
// CHECK: {{^}}the child ended with 0{{$}}
#include "../Inputs/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 3 << 19 };

OPAQUE void step(void) {}

/* Attaches a BPF program to this process until the program has been called. */
static void attach(const char *name, const char *patchbay)
{
	char command[4096];
	int status;
	pid_t pid;

	snprintf(command, sizeof(command),
		 "exec >%s 2>&1; '%s' attach -p %d --fentry step ./prog.so:on_entry & "
		 "until grep -q attached %s; do kill -0 $! || exit 1; sleep 0.01; done; "
		 "sleep 0.2; kill -INT $!; wait",
		 name, patchbay, (int)getpid(), name);
	pid = fork();
	if (!pid) {
		unsetenv("LD_PRELOAD");
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	while (!waitpid(pid, &status, WNOHANG)) {
		step();
		usleep(1000);
	}
	snprintf(command, sizeof(command), "grep -q 'attached .*on_entry' %s", name);
	printf("%s: on_entry was %scalled\n", name, system(command) ? "not " : "");
	fflush(stdout);
}

/* The generated code has no type hash. */
__attribute__((no_sanitize("kcfi"))) static void call_all(char *code)
{
	for (size_t i = 0; i < SIZE; i += 4096)
		((void (*)(void))(code + i))();
}

int main(int argc, char **argv)
{
	/*
	 * Map memory directly below the stack of the listening thread, if the address
	 * range is free.
	 */
	char *code = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	int status = 0;
	pid_t pid;

	CHECK(argc == 2 && code != MAP_FAILED);
#if defined(__x86_64__)
	memset(code, 0xc3, SIZE);
#else
	for (size_t i = 0; i < SIZE; i += 4)
		memcpy(code + i, &(unsigned int){ 0xd65f03c0 }, 4);
#endif
	CHECK(!mprotect(code, SIZE, PROT_READ | PROT_EXEC));
	attach("parent", argv[1]);
	pid = fork();
	if (!pid) {
		attach("child", argv[1]);
		call_all(code);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	printf("the child ended with %d\n", status);
	return 0;
}
