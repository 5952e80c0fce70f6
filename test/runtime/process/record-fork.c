/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls of a forked child are counted, including calls of a library that parent and
 * child both load later, each in its own file. Parent or child is killed; its counts
 * until then are recorded. A shell that starts the program, and the shell's other
 * commands, are counted as processes without a traced function.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t/lib.so
// RUN: %build %s -o %t/prog
// RUN: cd %t && %patchbay record -t count -F '*_calls' -o data -- ./prog ./lib.so 2>&1 | FileCheck %s --check-prefix=RECORD
// RUN: cd %t && %patchbay report -i data | FileCheck %s
// RECORD: 2 processes recorded
// CHECK-DAG: {{^ *}}30 main_calls
// CHECK-DAG: {{^ *}}12 library_calls
// RUN: printf './prog ./lib.so\n/bin/true\n' > %t/script
// RUN: cd %t && %patchbay record --force -o shell -- sh script 2>&1 | FileCheck %s --check-prefix=SHELL
// SHELL: {{^}}patchbay: 4 processes recorded in shell, 2 of them without a traced function, see it with
// RUN: cd %t && %patchbay record --force -o one -- true 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: {{^}}patchbay: 1 process recorded in one without a traced function, see it with

#include "../Inputs/check.h"

#ifdef LIBRARY
OPAQUE void library_calls(void) {}
#else

#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

OPAQUE void main_calls(void) {}

static void calls(const char *path, int own, int library)
{
	void (*library_calls)(void);
	void *handle;

	while (own--)
		main_calls();
	handle = dlopen(path, RTLD_NOW);
	CHECK(handle);
	library_calls = (void (*)(void))dlsym(handle, "library_calls");
	while (library--)
		library_calls();
}

int main(int argc, char **argv)
{
	int status;
	pid_t pid;

	CHECK(argc == 2);
	pid = fork();
	if (!pid) {
		calls(argv[1], 10, 5);
		kill(getpid(), SIGKILL);
	}
	calls(argv[1], 20, 7);
	waitpid(pid, &status, 0);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	return 0;
}
#endif
