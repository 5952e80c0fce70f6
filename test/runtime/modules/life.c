/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Programs do unusual things while they have tracers, one case each. No case may hang
 * or crash.
 */
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t.so
// RUN: %build %s -o %t %link
// RUN: %t exit && %t exit && %t exit
// RUN: %t dlclose %t.so | FileCheck %s
// RUN: %t loader %t.so | FileCheck %s
// RUN: %t fork-in-handler | FileCheck %s
// RUN: %t fork-in-signal | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/check.h"

#ifdef LIBRARY
OPAQUE int plugin(int a) { return a; }
#else

#include <patchbay/patchbay.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

OPAQUE int traced(int a) { return a; }

static atomic_int stop;
static _Atomic long calls, loads;
static patchbay_handler what;

static void handler(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	calls++;
	if (what)
		what(ip, parent_ip, cell, regs);
}

static struct patchbay_ops *create(void)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = handler };
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	return ops;
}

static void *call(void *arg)
{
	while (!stop)
		traced(1);
	return arg;
}

/* Arms and disarms for a while. */
static void toggle(struct patchbay_ops *ops, int rounds)
{
	while (rounds--) {
		CHECK_EQ(patchbay_arm(ops, "traced", 0), 1);
		usleep(100);
		CHECK_EQ(patchbay_disarm(ops, "traced"), 1);
	}
}

/* The process exits and runs destructors while threads call. */
static void exit_while_called(void)
{
	struct patchbay_ops *ops = create();
	pthread_t thread;

	CHECK_EQ(patchbay_arm(ops, "traced", 0), 1);
	for (int i = 0; i < 4; i++)
		pthread_create(&thread, NULL, call, NULL);
	while (calls < 1000)
		;
}

__attribute__((destructor(101))) static void linger(void)
{
	usleep(20000);
}

/* Unloads a module that cannot be disarmed, because no file descriptor is free. */
static void dlclose_armed(const char *path)
{
	struct patchbay_ops *ops = create();
	struct rlimit none = { 0, 0 }, before;

	for (int i = 0; i < 100; i++) {
		void *library = dlopen(path, RTLD_NOW);

		CHECK(library);
		CHECK_EQ(patchbay_arm(ops, "plugin", 0), 1);
		((int (*)(int))dlsym(library, "plugin"))(1);
		getrlimit(RLIMIT_NOFILE, &before);
		none.rlim_max = before.rlim_max;
		setrlimit(RLIMIT_NOFILE, &none);
		CHECK_EQ(patchbay_arm(ops, "traced", 0), -EMFILE);
		CHECK_EQ(dlclose(library), 0);
		setrlimit(RLIMIT_NOFILE, &before);
		CHECK_EQ(patchbay_disarm(ops, "*"), -ENOENT);
	}
	CHECK_EQ(calls, 100);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
}

/*
 * A handler calls the loader, while another thread loads a module with the loader's
 * lock held. A third thread waits for the handler.
 */
static void ask_loader(uintptr_t ip, uintptr_t parent_ip,
		       const struct patchbay_cell *cell,
		       struct patchbay_regs *regs)
{
	Dl_info info;

	(void)parent_ip;
	(void)cell;
	(void)regs;
	CHECK(dladdr((void *)ip, &info));
}

static void *load(void *path)
{
	while (!stop) {
		void *library = dlopen(path, RTLD_NOW);

		CHECK(library);
		CHECK_EQ(dlclose(library), 0);
		loads++;
		/*
		 * The loader's lock is not fair. Sleep, so that the handler gets the
		 * lock.
		 */
		usleep(100);
	}
	return NULL;
}

static void with_loader(char *path, int rounds)
{
	struct patchbay_ops *ops = create();
	pthread_t threads[2];

	what = ask_loader;
	pthread_create(&threads[0], NULL, call, NULL);
	pthread_create(&threads[1], NULL, load, path);
	toggle(ops, rounds);
	CHECK(calls && loads);
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static void fork_and_wait(void)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	CHECK(pid > 0);
	while (waitpid(pid, &status, 0) < 0)
		CHECK_EQ(errno, EINTR);
}

static void fork_in_handler(uintptr_t ip, uintptr_t parent_ip,
			    const struct patchbay_cell *cell,
			    struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	fork_and_wait();
}

static void handler_forks(int rounds)
{
	struct patchbay_ops *ops = create();
	pthread_t thread;

	what = fork_in_handler;
	pthread_create(&thread, NULL, call, NULL);
	toggle(ops, rounds);
	stop = 1;
	pthread_join(thread, NULL);
}

static void on_signal(int signal)
{
	(void)signal;
	fork_and_wait();
}

static void signal_forks(void)
{
	struct itimerval often = { { 0, 2000 }, { 0, 2000 } }, never = { 0 };
	struct patchbay_ops *ops = create();

	signal(SIGALRM, on_signal);
	setitimer(ITIMER_REAL, &often, NULL);
	toggle(ops, 300);
	setitimer(ITIMER_REAL, &never, NULL);
}

/* On emulated systems the caller passes a smaller number. */
static int rounds(int argc, char **argv, int which, int otherwise)
{
	return argc > which ? atoi(argv[which]) : otherwise;
}

int main(int argc, char **argv)
{
	/* Limit CPU time, so that a hang is a failure. SIGALRM is used above. */
	const struct rlimit seconds = { patience(60), patience(60) };

	setrlimit(RLIMIT_CPU, &seconds);
	CHECK(argc > 1);
	if (!strcmp(argv[1], "exit"))
		exit_while_called();
	else if (!strcmp(argv[1], "dlclose"))
		dlclose_armed(argv[2]);
	else if (!strcmp(argv[1], "loader"))
		with_loader(argv[2], rounds(argc, argv, 3, 1000));
	else if (!strcmp(argv[1], "fork-in-handler"))
		handler_forks(rounds(argc, argv, 2, 100));
	else if (!strcmp(argv[1], "fork-in-signal"))
		signal_forks();
	else
		return 1;
	puts("done");
	return 0;
}
#endif
