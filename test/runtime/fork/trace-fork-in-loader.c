/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A child of a recorded process ends normally, even if the parent forked while another
 * thread was in dl_iterate_phdr(). In the child, the loader's lock is then held for
 * ever. At its end, the child may have to record a changed site, or look for a library
 * in another namespace.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog -lpthread
// RUN: cd %t && %patchbay record -t function_duration -F step -- ./prog | FileCheck %s
// RUN: cd %t && %patchbay record -t function_duration -F step -o other -- ./prog libm.so.6 | FileCheck %s
// CHECK: {{^}}the child: status 0{{$}}
// RUN: %patchbay report %t/patchbay.data | FileCheck %s --check-prefix=CALLS
// CALLS: {{^ *3 .*}}step

#include "../Inputs/compiler-bytes.h"
#include "../Inputs/loader-lock.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

OPAQUE int step(int a) { return a + 1; }
OPAQUE int spare(int a) { return a + 2; }

int main(int argc, char **argv)
{
	int status;
	pid_t pid;

	step(1);
	if (argc > 1)
		CHECK(dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW));
	take_loader_lock();
	pid = fork();
	if (!pid) {
		alarm(patience(600)); /* ends a child that waits for the lock */
		step(1);
		step(1);
		disarm_like((uintptr_t)step, (uintptr_t)spare);
		exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	printf("the child: status %d\n", status);
	leave_loader_lock();
	return 0;
}
