/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * If a program changes its user ID, the C library changes the ID of all threads, so the
 * listening thread drops its privileges, too. Capabilities are per thread: capset(2) in
 * another thread does not change the listening thread.
 */
// REQUIRES: root
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link
// DEFINE: %{mode} =
// DEFINE: %{look} = sh -c 'cat /proc/PID/task/*/status | grep -E "^(Uid|CapPrm|NoNewPrivs):" | tr "\t" " "'
// DEFINE: %{run} = timeout 600 %python %S/../Inputs/while-running.py env LD_PRELOAD=%patchbay_lib/libpatchbay-live.so PATCHBAY=tracer=function,filter=step,output=%t,live=1 %t/prog %{mode} -- %{look}
// REDEFINE: %{mode} = user
// RUN: %{run} | FileCheck %s --check-prefix=USER
// USER: {{^}}Uid: 65534 65534 65534 65534{{$}}
// USER: {{^}}CapPrm: 0000000000000000{{$}}
// USER: {{^}}NoNewPrivs: 0{{$}}
// USER: {{^}}Uid: 65534 65534 65534 65534{{$}}
// USER: {{^}}CapPrm: 0000000000000000{{$}}
// USER: {{^}}NoNewPrivs: 1{{$}}
// REDEFINE: %{mode} = capset
// RUN: %{run} | FileCheck %s --check-prefix=CAPSET
// CAPSET: {{^}}CapPrm: 0000000000000000{{$}}
// CAPSET: {{^}}NoNewPrivs: 0{{$}}
// CAPSET: {{^}}CapPrm: {{.*[1-9a-f].*$}}
// CAPSET: {{^}}NoNewPrivs: 1{{$}}
#include "../Inputs/check.h"

#include <linux/capability.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

OPAQUE void step(void) {}

int main(int argc, char **argv)
{
	const struct timespec wait = { .tv_nsec = 300000000 };
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	const struct __user_cap_data_struct none[2] = { { 0 } };

	CHECK_EQ(argc, 2);
	/* Wait until the listening thread runs. */
	nanosleep(&wait, NULL);
	if (!strcmp(argv[1], "user"))
		CHECK_EQ(setresuid(65534, 65534, 65534), 0);
	else
		CHECK_EQ(syscall(SYS_capset, &header, none), 0);
	step();
	puts("given up");
	fflush(stdout);
	for (;;)
		pause();
}
