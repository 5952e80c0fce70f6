/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * live WHAT: prints a line and then waits, so that commands can inspect the process.
 * With LIBRARY, this is the library that the program links or loads.
 */
#include "check.h"

#include <patchbay/patchbay.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifdef LIBRARY
OPAQUE int pear_of_library(int a) { return a + 1; }
#else
OPAQUE int pear(int a) { return a + 1; }
OPAQUE int pear_tree(int a) { return a + 2; }

static void on_pear(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
}

static atomic_int staying, arrived;

static void on_tree(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	on_pear(ip, parent_ip, cell, regs);
	while (staying) {
		arrived = 1;
		usleep(1000);
	}
}

static struct patchbay_ops *make_ops(patchbay_handler handler, long data)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = handler,
					  .data = (void *)data };
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	return ops;
}

static void ready(const char *line)
{
	puts(line);
	fflush(stdout);
}

/* Loads and unloads a library for ever. */
static void toggle(struct patchbay_ops *ops[2], const char *path)
{
	for (;;) {
		void *library = dlopen(path, RTLD_NOW);

		CHECK(library);
		for (int i = 0; i < 100; i++) {
			CHECK_EQ(patchbay_arm(ops[0], "pear*", 0), 3);
			usleep(100);
			CHECK_EQ(patchbay_arm(ops[1], "pear_tree", 0), 1);
			usleep(100);
			CHECK_EQ(patchbay_disarm(ops[1], "*"), 1);
			usleep(100);
			CHECK_EQ(patchbay_disarm(ops[0], "*"), 3);
			usleep(100);
		}
		dlclose(library);
	}
}

__attribute__((no_profile_instrument_function)) static void *call(void *arg)
{
	pear_tree(1);
	return arg;
}

/* Waits for a handler that does not return. */
__attribute__((no_profile_instrument_function)) static void
wait_in_vain(struct patchbay_ops *ops)
{
	pthread_t thread;

	staying = 1;
	CHECK_EQ(pthread_create(&thread, NULL, call, NULL), 0);
	while (!arrived)
		usleep(1000);
	patchbay_set_wait_limit(10);
	CHECK_EQ(patchbay_disarm(ops, "*"), -ETIMEDOUT);
}

/* Writes a breakpoint, as a debugger would. */
static void break_at(int (*function)(int))
{
	int fd = open("/proc/self/mem", O_WRONLY);

	CHECK_EQ(pwrite(fd, "\xcc", 1, (off_t)(intptr_t)function), 1);
	close(fd);
}

int main(int argc, char **argv)
{
	struct patchbay_ops *ops[2] = { make_ops(on_pear, 0x11),
					make_ops(on_tree, 0x22) };
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "hidden"))
		CHECK_EQ(prctl(PR_SET_DUMPABLE, 0), 0);
	if (!strcmp(what, "refused")) {
		break_at(pear);
		CHECK(patchbay_arm(ops[0], "pear*", 0) < 0);
	} else if (strcmp(what, "toggle")) {
		CHECK(patchbay_arm(ops[0], argc > 2 ? argv[2] : "pear*", 0) > 0);
		CHECK(patchbay_arm(ops[1], argc > 2 ? argv[2] : "pear_tree",
				   0) > 0);
	}
	if (!strcmp(what, "disarmed")) {
		CHECK_EQ(patchbay_disarm(ops[1], "*"), 1);
		CHECK(patchbay_disarm(ops[0], "pear_tree") > 0);
	}
	if (!strcmp(what, "waits"))
		wait_in_vain(ops[1]);
	if (!strcmp(what, "ended")) {
		ready("ended");
		return 0;
	}
	ready("ready");
	if (!strcmp(what, "toggle"))
		toggle(ops, argv[2]);
	pause();
	return 0;
}
#endif
