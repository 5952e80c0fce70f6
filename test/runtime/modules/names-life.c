/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A lookup by name always succeeds, even in children, while modules are loaded and
 * unloaded, signals arrive, and the process forks. Memory for a module's names is freed
 * with the module.
 */
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t.so
// RUN: %build %s -o %t %link -lpatchbay-link
// RUN: timeout -s KILL 600 %t %t.so | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/check.h"

#ifdef LIBRARY
#define F(n) OPAQUE int fig_##n(int a) { return a + n; }
F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9)
#else

#include <patchbay/link.h>

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 150, FORK_EVERY = 25 };

OPAQUE static int date(int a) { return a; }
OPAQUE static int nut(int a) { return a; }

static const char *path;
static atomic_int calls, nut_calls, stop;

static void on_call(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)parent_ip;
	(void)cell;
	(void)regs;
	calls++;
	nut_calls += ip == (uintptr_t)nut;
}

static int attach(const char *name, struct patchbay_link **link)
{
	const struct patchbay_program program = { .size = sizeof(program),
						  .entry = on_call };
	const struct patchbay_filter filter = { .size = sizeof(filter),
						.syms = &name,
						.cnt = 1 };
	const struct patchbay_link_opts opts = { .size = sizeof(opts),
						 .filter = &filter };

	return patchbay_link_attach(PATCHBAY_FENTRY, &program, &opts, link);
}

static void on_signal(int number)
{
	(void)number;
	nut(1);
}

/* Looks up a name in a newly loaded module, for which the library must read the names. */
static void come_and_go(int i)
{
	struct patchbay_link *link;
	char name[8];
	void *library = dlopen(path, RTLD_NOW);
	int (*fig)(int), before;

	CHECK(library);
	snprintf(name, sizeof(name), "fig_%d", i % 10);
	fig = (int (*)(int))dlsym(library, name);
	CHECK_EQ(attach(name, &link), 1);
	before = calls;
	CHECK_EQ(fig(1), 1 + i % 10);
	CHECK(calls > before);
	CHECK_EQ(patchbay_link_destroy(link), 0);
	CHECK_EQ(attach("fig_10", &link), -ENOENT);
	CHECK_EQ(dlclose(library), 0);
	CHECK_EQ(attach(name, &link), -ENOENT);
}

/* Another thread looks up names of the program at the same time. */
static void *ask(void *arg)
{
	while (!stop) {
		struct patchbay_link *link;

		CHECK_EQ(attach("date", &link), 1);
		CHECK_EQ(date(2), 2);
		CHECK_EQ(patchbay_link_destroy(link), 0);
	}
	return arg;
}

static void in_child(int i)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		come_and_go(i);
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

static size_t rounds(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		come_and_go(i);
		if (i % FORK_EVERY == 0)
			in_child(i);
	}
	return mallinfo2().uordblks + mallinfo2().hblkhd;
}

int main(int argc, char **argv)
{
	struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { 0 };
	struct sigaction action = { .sa_handler = on_signal,
				    .sa_flags = SA_RESTART };
	struct patchbay_link *nuts;
	size_t before, after;
	pthread_t thread;

	CHECK(argc > 1);
	path = argv[1];
	/* Signal handlers may call this function at any instruction of the main program. */
	CHECK_EQ(attach("nut", &nuts), 1);
	CHECK_EQ(sigaction(SIGALRM, &action, NULL), 0);
	CHECK_EQ(setitimer(ITIMER_REAL, &often, NULL), 0);
	CHECK_EQ(pthread_create(&thread, NULL, ask, NULL), 0);
	rounds();
	stop = 1;
	CHECK_EQ(pthread_join(thread, NULL), 0);
	before = rounds();
	after = rounds();
	/* The names of the last unloaded module may not be freed yet. */
	CHECK(after < before + 16384);
	CHECK_EQ(setitimer(ITIMER_REAL, &never, NULL), 0);
	CHECK(nut_calls);
	CHECK_EQ(patchbay_link_destroy(nuts), 0);
	puts("done");
	return 0;
}
#endif
