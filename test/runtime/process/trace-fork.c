/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Descriptions of functions stay in the file of the forking process, however many there
 * are, and each child's own file uses one block of the disk. The child's calls still
 * have names: functions present at the fork, functions that the child or its parent
 * loaded later, and functions of a grandchild. The intermediate child may have recorded
 * nothing, may have been created by clone(2), or killed.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build -DLIBRARY=first -shared -fPIC %s -o %t/first.so
// RUN: %build -DLIBRARY=second -shared -fPIC %s -o %t/second.so
// RUN: %build -DLIBRARY=third -shared -fPIC %s -o %t/third.so
// RUN: %build %s -o %t/prog -ldl
// RUN: cd %t && %patchbay record -t function_duration -o data -- ./prog 2>&1 | FileCheck %s --check-prefix=RECORD
// RECORD: {{^}}patchbay: 7 processes recorded in data, see it with: patchbay report -i data{{$}}
// RECORD-NOT: {{.}}
// RUN: cd %t && %patchbay report -f calls,name -i data | FileCheck %s
// CHECK-DAG: {{^ *}}7 step{{$}}
// CHECK-DAG: {{^ *}}2 first{{$}}
// CHECK-DAG: {{^ *}}2 second{{$}}
// CHECK-DAG: {{^ *}}1 third{{$}}
// CHECK-DAG: {{^ *}}1 many_04711{{$}}
/*
 * Four children load no library: the one after the second library, the grandchild whose
 * parent recorded nothing, the clone, and the killed one.
 */
// RUN: find %t/data -name '*.pbd' -size -9 | wc -l | FileCheck %s --check-prefix=SMALL
// SMALL: {{^}}4{{$}}
// RUN: find %t/data -name '*.pbd' -size +40 | wc -l | FileCheck %s --check-prefix=LARGE
// LARGE: {{^}}1{{$}}

#include "../Inputs/check.h"
#include "../Inputs/many-functions.h"

#ifdef LIBRARY
OPAQUE void LIBRARY(void) {}
#else

#include <dlfcn.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

D10000(0)
OPAQUE void step(void) {}

static void call(const char *path, const char *name)
{
	void *handle = dlopen(path, RTLD_NOW);
	void (*function)(void);

	CHECK(handle);
	function = (void (*)(void))dlsym(handle, name);
	CHECK(function);
	function();
}

static void wait_for(pid_t pid, int wanted)
{
	int status;

	CHECK(pid > 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, wanted);
}

static void child_of_child(void)
{
	step();
	call("./first.so", "first");
	call("./third.so", "third");
}

static void child(void)
{
	pid_t pid;

	step();
	call("./first.so", "first");
	pid = fork();
	if (!pid) {
		child_of_child();
		_exit(0);
	}
	wait_for(pid, 0);
}

/* Records nothing itself. The child of this process runs after this process has ended. */
static void silent(void)
{
	if (fork())
		_exit(0);
	step();
}

int main(void)
{
	int ends[2];
	char byte;
	pid_t pid;

	step();
	pid = fork();
	if (!pid) {
		child();
		_exit(0);
	}
	/*
	 * The functions of this library get the same numbers as functions of the
	 * child's library.
	 */
	call("./second.so", "second");
	wait_for(pid, 0);
	pid = fork();
	if (!pid) {
		step();
		call("./second.so", "second");
		_exit(0);
	}
	wait_for(pid, 0);
	CHECK_EQ(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		silent();
		_exit(0);
	}
	wait_for(pid, 0);
	/* Wait until the last process that holds the pipe has ended. */
	close(ends[1]);
	CHECK_EQ(read(ends[0], &byte, 1), 0);
	pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (!pid) {
		step();
		many_04711();
		syscall(SYS_exit_group, 0);
	}
	wait_for(pid, 0);
	pid = fork();
	if (!pid) {
		step();
		kill(getpid(), SIGKILL);
	}
	wait_for(pid, SIGKILL);
	return 0;
}
#endif
