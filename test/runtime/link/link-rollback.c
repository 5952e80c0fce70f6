/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Attaching a link to two distant functions fails safely: after the first function is
 * armed, while a thread is in the link's program, writing text fails. The caller keeps
 * the link, and destroys it after the thread has left.
 */
// RUN: %build %s -o %t -lpatchbay-link %link
// RUN: timeout 600 %t | FileCheck %s
// CHECK: {{^}}no thread was in it at {{[0-9]+}} places{{$}}
// CHECK: {{^}}a thread was in it at {{[1-9]}} places{{$}}

#include "../Inputs/link.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

OPAQUE int far_first(int a) { return a + 1; }

/* Larger than one write can cover, and never called. */
NOT_TRACED OPAQUE void between(void) { __asm__ volatile(".skip 0x40000"); }

OPAQUE int far_second(int a) { return a + 2; }

static atomic_int inside, returned, let_go;
static int fails;
static pthread_t thread;

NOT_TRACED static void stay(uintptr_t ip, uintptr_t parent_ip,
			    const struct patchbay_cell *cell,
			    struct patchbay_regs *regs)
{
	UNUSED_CONTEXT;
	inside = 1;
	while (!let_go)
		usleep(100);
}

static void *call(void *arg)
{
	CHECK_EQ(far_first(1), 2);
	CHECK_EQ(far_second(1), 3);
	returned = 1;
	return arg;
}

/* Replaces the function by which the library writes text. */
ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset)
{
	if (!fails || --fails)
		return syscall(SYS_pwrite64, file, bytes, size, offset);
	CHECK_EQ(pthread_create(&thread, NULL, call, NULL), 0);
	while (!inside && !returned)
		usleep(100);
	errno = EACCES;
	return -1;
}

static int reason;

static void on_log(void *arg, const char *name, uintptr_t entry, int error,
		   const char *why)
{
	(void)arg;
	(void)name;
	(void)entry;
	(void)why;
	reason = error;
}

enum { NO_WRITE, OTHER_WAY, NO_THREAD, A_THREAD, NR_ENDS };

/* Makes the n-th write fail. Returns the result of attaching. */
static int try(int n)
{
	const struct patchbay_filter filter = { .size = sizeof(filter),
						.glob = "far_*" };
	const struct patchbay_link_opts opts = { .size = sizeof(opts),
						 .filter = &filter,
						 .log = on_log };
	const struct patchbay_program program = { .size = sizeof(program),
						  .entry = stay };
	struct patchbay_link *link = (void *)&link;
	int nr;

	inside = returned = let_go = reason = 0;
	fails = n;
	nr = patchbay_link_attach(PATCHBAY_FENTRY, &program, &opts, &link);
	if (fails) {
		fails = 0;
		CHECK_EQ(nr, 2);
		CHECK_EQ(patchbay_link_destroy(link), 0);
		return NO_WRITE;
	}
	/* The module's trampolines were out of reach, so the library used its own. */
	if (nr == 2) {
		let_go = 1;
		CHECK_EQ(pthread_join(thread, NULL), 0);
		CHECK_EQ(patchbay_link_destroy(link), 0);
		return OTHER_WAY;
	}
	CHECK_EQ(reason, -EACCES);
	if (inside) {
		struct patchbay_link_info info = { .size = sizeof(info) };

		CHECK_EQ(nr, -ETIMEDOUT);
		CHECK(link);
		CHECK_EQ(patchbay_link_get_info(link, &info), 0);
		CHECK_EQ(info.attached, 0);
		CHECK_EQ(patchbay_link_destroy(link), -ETIMEDOUT);
	} else {
		CHECK_EQ(nr, -EACCES);
		CHECK(!link);
	}
	let_go = 1;
	CHECK_EQ(pthread_join(thread, NULL), 0);
	CHECK_EQ(patchbay_link_destroy(link), 0);
	return inside ? A_THREAD : NO_THREAD;
}

/* Runs try() in a process that has not written text before. */
static int try_alone(int n)
{
	const pid_t pid = fork();
	int status;

	if (!pid)
		_exit(10 + try(n));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) >= 10);
	return WEXITSTATUS(status) - 10;
}

int main(void)
{
	int places[NR_ENDS] = { 0 };

	patchbay_set_wait_limit(20);
	for (int n = 1; !places[NO_WRITE]; n++)
		places[try_alone(n)]++;
	printf("no thread was in it at %d places\n", places[NO_THREAD]);
	printf("a thread was in it at %d places\n", places[A_THREAD]);
	return 0;
}
