/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * With --overwrite, threads that run one after the other share a buffer, and each uses
 * only the blocks it needs. The oldest events are overwritten, and counted.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link
// DEFINE: %{runs} = 600 100 200
// DEFINE: %{leaves} = 3
// DEFINE: %{check} = %patchbay info %t/patchbay.data > %t/info && %patchbay dump --csv %t/patchbay.data > %t/csv && %python %S/../Inputs/newest-kept.py %t/info %t/csv %{leaves} %{runs} | FileCheck %s --match-full-lines --check-prefix
// RUN: cd %t && %patchbay record -t function_duration --overwrite -F 'leaf*' -- ./prog %{runs}
// RUN: %{check}=ALL
// ALL: 5382 calls kept, 0 overwritten
/*
 * The blocks have 4 KB to 128 KB. With one block per thread the file would have 2 MB.
 */
// RUN: cat %t/patchbay.data/*.pbd | wc -c | FileCheck %s --check-prefix=SIZE --match-full-lines
// SIZE: {{2[56][0-9][0-9][0-9][0-9]}}
// RUN: cd %t && %patchbay record -t function_duration --overwrite --no-sleep-time -F 'leaf*' -- ./prog %{runs}
// RUN: %{check}=ALL
/* There are three blocks. The reused one is no larger than the largest, 16 KB. */
// RUN: cd %t && %patchbay record -t function_duration --overwrite --buffer 32K -F 'leaf*' -- ./prog %{runs}
// RUN: %{check}=NEWEST
// NEWEST: {{[3-9][0-9][0-9]|1[01][0-9][0-9]}} calls kept, {{[0-9]+}} overwritten
/*
 * There is one block of 167 records. The first thread fills it. Later threads leave the
 * last record free. After 64 passes of 56 threads the pass number repeats.
 */
// REDEFINE: %{runs} = 3539 10000 167
// REDEFINE: %{leaves} = 1
// RUN: cd %t && %patchbay record -t function_duration --overwrite --buffer 8K -F leaf_0 -- ./prog %{runs}
// RUN: %{check}=SAME-PASS
// SAME-PASS: 10 calls kept, 3695 overwritten

#include "../Inputs/check.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

OPAQUE void leaf_0(void) {}
OPAQUE void leaf_1(void) {}
OPAQUE void leaf_2(void) {}

static int every, rounds;
static long tid;

/* Every @every-th thread fills more than the first block, as newest-kept.py expects. */
static void *calls(void *arg)
{
	int n = (int)(intptr_t)arg;
	char name[16];

	snprintf(name, sizeof(name), "the-thread-%04d", n);
	pthread_setname_np(pthread_self(), name);
	tid = syscall(SYS_gettid);
	for (int i = n % every ? 1 : rounds; i; i--) {
		leaf_0();
		leaf_1();
		leaf_2();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	CHECK_EQ(argc, 4);
	every = atoi(argv[2]);
	rounds = atoi(argv[3]);
	for (int i = 0; i < atoi(argv[1]); i++) {
		CHECK(!pthread_create(&thread, NULL, calls,
				      (void *)(intptr_t)i));
		pthread_join(thread, NULL);
		/*
		 * pthread_join() may return before the kernel has finished the thread.
		 */
		while (!syscall(SYS_tgkill, getpid(), tid, 0))
			usleep(10);
	}
	return 0;
}
