/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Processes start, fork and end correctly while they have tracers, one case each:
 * tracing before main(), vfork, exec, and forbidden calls in a callback of the library.
 */
// RUN: %build %s -o %t %link
// RUN: timeout -s KILL 600 %t start | FileCheck %s
// RUN: timeout -s KILL 600 %t vfork | FileCheck %s
// RUN: timeout -s KILL 600 %t exec | FileCheck %s
// RUN: timeout -s KILL 600 %t call-back | FileCheck %s
// RUN: timeout -s KILL 600 %t fork-in-callback | FileCheck %s
// RUN: timeout -s KILL 600 %t exit-in-visit | FileCheck %s
// RUN: timeout -s KILL 600 %t exit-in-attach | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/check.h"

#include <patchbay/patchbay.h>

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static _Atomic long calls, early;
static int in_main;
static uintptr_t first;

OPAQUE static int traced(int a) { return a + early; }

__attribute__((no_profile_instrument_function)) static void
handler(uintptr_t ip, uintptr_t parent_ip, const struct patchbay_cell *cell,
	struct patchbay_regs *regs)
{
	(void)parent_ip;
	(void)cell;
	(void)regs;
	if (!first)
		first = ip;
	early += !in_main;
	calls++;
}

static struct patchbay_ops *
create(int (*attach)(void *, const struct patchbay_module_info *,
		     struct patchbay_target *, size_t))
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = handler,
					  .attach = attach };
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	return ops;
}

/* The module's own constructor runs first. All later constructors are traced. */
static struct patchbay_ops *from_start;

__attribute__((constructor(101))) static void arm_all(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "start")) {
		from_start = create(NULL);
		CHECK(patchbay_arm(from_start, "*", 0) > 0);
	}
}
__attribute__((constructor(102))) OPAQUE static void second(void) {}
__attribute__((constructor)) OPAQUE static void third(void) { traced(1); }

static void start(void)
{
	CHECK_EQ(early, 4); /* second, third, traced, main: in_main is not set yet */
	CHECK(first == (uintptr_t)second);
	CHECK_EQ(patchbay_ops_destroy(from_start), 0);
}

/*
 * A child of vfork() shares its parent's memory and text: tracers see its calls, and
 * functions that the child arms stay armed.
 */
static void vfork_and_exec(char **argv)
{
	struct patchbay_ops *ops = create(NULL);
	int status;
	pid_t pid;

	CHECK_EQ(patchbay_arm(ops, "traced", 0), 1);
	for (int i = 0; i < 20; i++) {
		calls = 0;
		pid = vfork();
		if (!pid) {
			traced(1);
			if (i & 1)
				execl("/proc/self/exe", argv[0], "nothing",
				      NULL);
			_exit(0);
		}
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK_EQ(status, 0);
		traced(2);
		CHECK_EQ(calls, 2);
		CHECK_EQ(patchbay_disarm(ops, "traced"), 1);
		CHECK_EQ(patchbay_arm(ops, "traced", 0), 1);
	}
}

static atomic_int stop;

static void *toggle(void *ops)
{
	while (!stop) {
		CHECK_EQ(patchbay_arm(ops, "traced", 0), 1);
		CHECK_EQ(patchbay_disarm(ops, "traced"), 1);
	}
	return NULL;
}

/* A program started by exec() inherits no file descriptor and no armed function. */
static void exec_while_arming(char **argv)
{
	struct patchbay_ops *ops = create(NULL);
	/* An emulator needs a second per exec, because it translates all text again. */
	const int times = getenv("PATCHBAY_TEST_SLOW") ? 5 : 20;
	pthread_t thread;
	int status;
	pid_t pid;

	pthread_create(&thread, NULL, toggle, ops);
	for (int i = 0; i < times; i++) {
		pid = fork();
		if (!pid) {
			execl("/proc/self/exe", argv[0], "executed", NULL);
			_exit(1);
		}
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK_EQ(status, 0);
	}
	stop = 1;
	pthread_join(thread, NULL);
}

static int count_armed(const struct patchbay_site_info *site, void *arg)
{
	*(int *)arg += site->nr_cells != 0;
	return 0;
}

static void executed(void)
{
	DIR *fds = opendir("/proc/self/fd");
	struct dirent *entry;
	int armed = 0;

	while ((entry = readdir(fds))) {
		char path[300], to[64] = "";

		snprintf(path, sizeof(path), "/proc/self/fd/%s", entry->d_name);
		if (readlink(path, to, sizeof(to) - 1) > 0)
			CHECK(!strstr(to, "/mem") && !strstr(to, "/exe"));
	}
	closedir(fds);
	CHECK_EQ(patchbay_for_each_site(count_armed, &armed), 0);
	CHECK_EQ(armed, 0);
}

/* In a callback, the library's functions return an error and change nothing. */
static struct patchbay_ops *other;

static void library_refuses(void)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = handler };
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), -EDEADLK);
	CHECK_EQ(patchbay_arm(other, "traced", 0), -EDEADLK);
	CHECK_EQ(patchbay_disarm(other, "traced"), -EDEADLK);
	CHECK_EQ(patchbay_ops_destroy(other), -EDEADLK);
	CHECK_EQ(patchbay_for_each_site(NULL, NULL), -EDEADLK);
}

static void fork_and_go_on(void)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		return;
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

static void (*what)(void);

static int visit(const struct patchbay_site_info *site, void *arg)
{
	(void)site;
	(void)arg;
	what();
	return 7;
}

static int attach(void *data, const struct patchbay_module_info *module,
		  struct patchbay_target *targets, size_t nr)
{
	(void)data;
	(void)module;
	(void)targets;
	(void)nr;
	what();
	return 0;
}

static void within_callbacks(void (*act)(void))
{
	struct patchbay_ops *ops = create(attach);

	other = create(NULL);
	what = act;
	CHECK_EQ(patchbay_for_each_site(visit, NULL), 7);
	CHECK_EQ(patchbay_arm(ops, "traced", 0), 1);
	CHECK_EQ(patchbay_arm(other, "traced", 0), 1);
	traced(1);
	CHECK_EQ(calls, 2);
	CHECK_EQ(patchbay_ops_destroy(other), 0);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	CHECK_EQ(traced(1), 1);
	CHECK_EQ(calls, 2);
}

/* Destructors of modules and of programs may run inside library calls. */
static void leave(void)
{
	puts("done");
	exit(0);
}

__attribute__((destructor)) static void clean_up(void)
{
	if (what == leave)
		CHECK_EQ(patchbay_ops_destroy(other), -EDEADLK);
}

static void exit_within(int attaching)
{
	struct patchbay_ops *ops = create(attach);

	other = create(NULL);
	what = leave;
	if (attaching)
		patchbay_arm(ops, "traced", 0);
	else
		patchbay_for_each_site(visit, NULL);
	CHECK(!"has returned");
}

int main(int argc, char **argv)
{
	const char *name = argc == 2 ? argv[1] : "";

	in_main = 1;
	if (!strcmp(name, "nothing"))
		return 0;
	if (!strcmp(name, "executed")) {
		executed();
		return 0;
	}
	if (!strcmp(name, "start"))
		start();
	else if (!strcmp(name, "vfork"))
		vfork_and_exec(argv);
	else if (!strcmp(name, "exec"))
		exec_while_arming(argv);
	else if (!strcmp(name, "call-back"))
		within_callbacks(library_refuses);
	else if (!strcmp(name, "fork-in-callback"))
		within_callbacks(fork_and_go_on);
	else if (!strcmp(name, "exit-in-visit"))
		exit_within(0);
	else if (!strcmp(name, "exit-in-attach"))
		exit_within(1);
	else
		return 1;
	puts("done");
	return 0;
}
