/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A process that cannot create a thread is not recorded. The message names the limits
 * that may be the cause.
 */
// RUN: %build %s -o %t
// RUN: rm -rf %t.data
// DEFINE: %{try} = sh -c 'ulimit -s 8192; exec "$0" "$@"' %python %S/../Inputs/while-running.py %t
// DEFINE: %{record} = sh -c '%patchbay record -p PID -o %t.data -- true; echo status $?'
// RUN: %{try} space -- %{record} 2>&1 | FileCheck %s
// RUN: %{try} data -- %{record} 2>&1 | FileCheck %s
// RUN: %{try} locked -- %{record} 2>&1 | FileCheck %s
// RUN: %{try} mappings -- %{record} 2>&1 | FileCheck %s
// RUN: %{try} threads -- %{record} 2>&1 | FileCheck %s
// CHECK: {{^}}patchbay: error: process {{[0-9]+}}: it cannot make the thread that loads the runtime: a limit of memory, mappings or threads is reached (prlimit -p {{[0-9]+}}, sysctl vm.max_map_count, memory.max and pids.max of its control group), or a signal handler left the loading code by siglongjmp(){{$}}
// CHECK-NEXT: {{^}}status 125{{$}}

#include "../Inputs/check.h"

#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

OPAQUE void traced(void) {}

static void limit(int resource, rlim_t most)
{
	const struct rlimit both = { most, most };

	CHECK(!setrlimit(resource, &both));
}

/* RLIMIT_MEMLOCK does not limit privileged processes. */
static void lock_all(void)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2] = { { 0 } };
	void *memory;

	limit(RLIMIT_MEMLOCK, 4 << 20);
	CHECK(!syscall(SYS_capset, &header, data));
	CHECK(!mlockall(MCL_FUTURE));
	memory = mmap(NULL, 65536, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(memory != MAP_FAILED);
}

/*
 * Locks a page (RLIMIT_MEMLOCK) to show that the message does not name this limit.
 * RLIMIT_NPROC does not limit root.
 */
static void allow_no_thread(void)
{
	static char page[4096];

	CHECK(!mlock(page, sizeof(page)));
	if (!geteuid())
		CHECK(!setuid(54321));
	CHECK(!prctl(PR_SET_DUMPABLE, 1));
	limit(RLIMIT_NPROC, 1);
}

/* Makes every second page a separate mapping. */
static void use_mappings(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), most = (size_t)1 << 36;
	char *memory = mmap(NULL, most, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			    -1, 0);

	CHECK(memory != MAP_FAILED);
	for (size_t at = 0; !mprotect(memory + at, page, PROT_READ); at += 2 * page)
		CHECK(at < most - 2 * page);
}

int main(int argc, char **argv)
{
	CHECK_EQ(argc, 2);
	traced();
	/* Let printf(3) allocate its buffer first. */
	printf("ready\n");
	if (!strcmp(argv[1], "space"))
		limit(RLIMIT_AS, 8 << 20);
	else if (!strcmp(argv[1], "data"))
		limit(RLIMIT_DATA, 1 << 20);
	else if (!strcmp(argv[1], "locked"))
		lock_all();
	else if (!strcmp(argv[1], "threads"))
		allow_no_thread();
	else
		use_mappings();
	fflush(stdout);
	for (;;)
		pause();
}
