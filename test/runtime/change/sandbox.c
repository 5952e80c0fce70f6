/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The kernel refuses a service that arming needs. Arming fails with a negative errno,
 * and the process is unchanged: text and results are the same, and no handler is
 * called. Functions that were armed before can be disarmed as far as possible: no
 * handler is called then, whatever the text contains.
 */
// RUN: %build %s -o %t %link
// RUN: timeout -s KILL 600 %t | FileCheck %s
// CHECK: {{^}}membarrier: done{{$}}
// CHECK-NEXT: {{^}}open: done{{$}}
// CHECK-NEXT: {{^}}write: done{{$}}
// CHECK-NEXT: {{^}}no /proc: {{done|skipped}}{{$}}
// CHECK-NEXT: {{^}}other user: {{done|skipped}}{{$}}
// CHECK-NEXT: {{^}}descriptors: done{{$}}

#include "../Inputs/check.h"
#include "../Inputs/count-calls.h"

#include <patchbay/patchbay.h>

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

OPAQUE static int lemon(int a) { return a + 1; }
OPAQUE static int lime(int a) { return a + 2; }

static struct patchbay_ops *ops, *second;

static int calls_of(int (*function)(int), int add)
{
	calls = 0;
	CHECK_EQ(function(1), 1 + add);
	return calls;
}

/* From now on, the kernel refuses system call @number with @error, as in sandboxes. */
static void refuse(int number, int error)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K,
			 SECCOMP_RET_ERRNO | (unsigned int)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };

	CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	CHECK_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

static int count_armed(const struct patchbay_site_info *site, void *armed)
{
	*(int *)armed += site->nr_cells != 0;
	return 0;
}

/* One function was armed before; others cannot be armed now. */
static void nothing_works(int by_name, int all, int disarmed)
{
	for (int i = 0; i < 3; i++) {
		int armed = 0;

		CHECK_EQ(patchbay_arm(second, "lime", 0), by_name);
		CHECK_EQ(patchbay_arm(second, "*", 0), all);
		CHECK_EQ(calls_of(lime, 2), 0);
		CHECK_EQ(calls_of(lemon, 1), 1);
		CHECK_EQ(patchbay_for_each_site(count_armed, &armed), 0);
		CHECK_EQ(armed, 1);
	}
	CHECK_EQ(patchbay_ops_destroy(second), 0); /* the tracer is armed nowhere */
	CHECK_EQ(patchbay_disarm(ops, "*"), disarmed);
	CHECK_EQ(calls_of(lemon, 1), 0);
	CHECK_EQ(patchbay_ops_destroy(ops), disarmed < 0 ? disarmed : 0);
	CHECK_EQ(calls_of(lemon, 1), 0);
}

static int without_membarrier(void)
{
	refuse(SYS_membarrier, ENOSYS);
	/*
	 * The library cannot wait: it calls no more handlers, but some may still be
	 * running.
	 */
	nothing_works(-ENOSYS, -ENOSYS, -ENOSYS);
	return 0;
}

/* The library has read names before, so only opening text fails. */
static int without_open(void)
{
	refuse(SYS_openat, EPERM);
	nothing_works(-EPERM, -EPERM, 1);
	return 0;
}

static int without_write(void)
{
	refuse(SYS_pwrite64, EIO);
	nothing_works(-EIO, -EIO, 1);
	return 0;
}

static int without_proc(void)
{
	if (chroot("/sys") || chdir("/"))
		return 77;
	nothing_works(-ENODEV, -ENODEV, 1);
	return 0;
}

/* A server without privileges cannot be debugged, not even by its own user. */
static int as_other_user(void)
{
	if (setgid(65534) || setuid(65534))
		return 77;
	nothing_works(-EACCES, -EACCES, 1);
	return 0;
}

static int without_descriptors(void)
{
	struct rlimit none = { 0, 0 };

	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
	nothing_works(-EMFILE, -EMFILE, 1);
	return 0;
}

static void in_child(const char *what, int (*test)(void))
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		exit(test());
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(!status || (WIFEXITED(status) && WEXITSTATUS(status) == 77));
	printf("%s: %s\n", what, status ? "skipped" : "done");
}

int main(void)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = handler };

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_ops_create(&attr, &second), 0);
	CHECK_EQ(patchbay_arm(ops, "lemon", 0), 1);
	in_child("membarrier", without_membarrier);
	in_child("open", without_open);
	in_child("write", without_write);
	in_child("no /proc", without_proc);
	in_child("other user", as_other_user);
	in_child("descriptors", without_descriptors);
	/* Without these restrictions arming works. */
	CHECK_EQ(patchbay_arm(second, "lime", 0), 1);
	CHECK_EQ(calls_of(lime, 2), 1);
	CHECK_EQ(patchbay_ops_destroy(second), 0);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	return 0;
}
