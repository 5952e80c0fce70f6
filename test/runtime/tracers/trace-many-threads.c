/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The cost of starting to record a thread does not depend on the number of threads. The
 * runtime asks the kernel about some four ended threads and no living one. New threads
 * reuse the buffers of ended ones, even if some threads never end.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link
// DEFINE: %{run} = cd %t && timeout 600 %patchbay record -F step -F again
// RUN: %{run} -t function -- ./prog | FileCheck %s
// RUN: %patchbay dump --csv %t/patchbay.data | cut -d, -f9 | sort | uniq -c | FileCheck %s --check-prefix=CALLS
// CALLS: 700 again
// CALLS: 620 step
// RUN: %{run} -t function_duration --no-sleep-time -- ./prog | FileCheck %s
// RUN: %patchbay dump --csv %t/patchbay.data | cut -d, -f9 | sort | uniq -c | FileCheck %s --check-prefix=CALLS
// RUN: %{run} -t function_duration --overwrite -- ./prog | FileCheck %s
// RUN: %patchbay dump --csv %t/patchbay.data | cut -d, -f9 | sort | uniq -c | FileCheck %s --check-prefix=CALLS
// RUN: %{run} --histogram -- ./prog | FileCheck %s
// RUN: %patchbay report --json %t/patchbay.data | FileCheck %s --check-prefix=COUNTED
// COUNTED-DAG: "calls": 700,
// COUNTED-DAG: "calls": 620,
// CHECK: 700 threads in at most {{[1-4]?[0-9]}} mappings
#include "../Inputs/check.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define UNTRACED __attribute__((no_profile_instrument_function))
#define FEW 20
#define MANY 600

OPAQUE void step(void) {}
OPAQUE void again(void) {}

static long asked;

/*
 * The runtime asks about a thread by tgkill(2). A seccomp filter notifies this process
 * of each such call. The test installs the filter without the C library, so that the
 * recorder does not treat the filter as a sandbox (trace/process/sandbox.c).
 */
UNTRACED static int watch_tgkill(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };
	long result;

	CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_seccomp), "D"(SECCOMP_SET_MODE_FILTER),
			   "S"(SECCOMP_FILTER_FLAG_NEW_LISTENER), "d"(&program)
			 : "rcx", "r11", "memory");
	CHECK(result >= 0);
	return (int)result;
}

UNTRACED static void *count_tgkill(void *arg)
{
	int fd = (int)(intptr_t)arg;

	for (;;) {
		struct seccomp_notif call = { 0 };
		struct seccomp_notif_resp answer = {
			.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE
		};

		if (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &call))
			continue; /* the caller has been killed */
		__atomic_fetch_add(&asked, 1, __ATOMIC_SEQ_CST);
		answer.id = call.id;
		ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	}
	return NULL;
}

static pthread_barrier_t barrier;

UNTRACED static void *one_call(void *arg)
{
	step();
	pthread_barrier_wait(&barrier);
	return arg;
}

/* Starts @nr threads that exist at the same time. */
UNTRACED static void begin(int nr)
{
	static pthread_t thread[MANY];

	CHECK(!pthread_barrier_init(&barrier, NULL, (unsigned int)nr));
	for (int i = 0; i < nr; i++)
		CHECK(!pthread_create(&thread[i], NULL, one_call, NULL));
	for (int i = 0; i < nr; i++)
		pthread_join(thread[i], NULL);
}

UNTRACED static void *call_again(void *arg)
{
	again();
	if (arg)
		pthread_barrier_wait(&barrier);
	return arg;
}

UNTRACED static int mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	int nr = 0;

	CHECK(maps);
	while (fgets(line, sizeof(line), maps))
		nr += strstr(line, ".pbd") != NULL;
	fclose(maps);
	return nr;
}

UNTRACED int main(void)
{
	pthread_t stays, comes, watcher;
	int before, tgkills = watch_tgkill();

	CHECK(!pthread_create(&watcher, NULL, count_tgkill,
			      (void *)(intptr_t)tgkills));
	begin(FEW);
	CHECK_EQ(asked, 0);
	begin(MANY);
	/* With twice as many threads, the cost per thread is the same. */
	CHECK(asked <= 6 * MANY);
	CHECK(!pthread_barrier_init(&barrier, NULL, 2));
	CHECK(!pthread_create(&stays, NULL, call_again, &barrier));
	before = mappings();
	for (int i = 1; i < 700; i++) {
		CHECK(!pthread_create(&comes, NULL, call_again, NULL));
		pthread_join(comes, NULL);
	}
	printf("700 threads in at most %d mappings\n",
	       mappings() > before ? mappings() - before : 0);
	pthread_barrier_wait(&barrier);
	pthread_join(stays, NULL);
	return 0;
}
