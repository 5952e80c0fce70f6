/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tracing stays exact under heavy load while the program is recorded and controlled
 * from outside (Inputs/storm.py):
 *
 *	storm PLUGIN [SECONDS]
 *
 * 4 threads call. A signal arrives at one of these threads every half millisecond; the
 * signal handler calls, too. Every second handler leaves with siglongjmp(3), from any
 * interrupted code: a tracer's handler, a trampoline. 2 threads allocate, one forks, one
 * loads and unloads a module, one starts threads that end immediately. Another one
 * creates a tracer, arms, disarms and destroys it. `patchbay live` also arms and disarms.
 *
 * The program counts a call as *begun* before the call and as *done* afterwards. The sum
 * of recorded, missed, cut off and lost calls must be in between. The program prints
 * both at the end. All the time, it compares both with what its own tracer has *seen*
 * and what the library reports as *missed*. Before a release run it for ten minutes:
 *
 *	storm.py PATCHBAY STORM PLUGIN 600 FOLDER -t function_profile
 */
// RUN: rm -rf %t && mkdir -p %t
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t/plugin.so
// RUN: %build %s -o %t/storm %link
// DEFINE: %{storm} = %python %S/../Inputs/storm.py %patchbay %t/storm %t/plugin.so 2 %t/out
// RUN: %{storm} -t function_profile | FileCheck %s
// RUN: %{storm} -t function_duration --buffer 256K | FileCheck %s
// RUN: %{storm} -t function --buffer 256K | FileCheck %s
// CHECK: steady: {{[1-9][0-9]*}} recorded
// CHECK: live: {{[1-9][0-9]*}} answers
#include "../Inputs/check.h"

OPAQUE int steady(int a) { return a + 1; }
OPAQUE int other(int a) { return a + 2; }

#ifdef LIBRARY
int plugin_steady(int a) { return steady(a); }
#else

#include <patchbay/patchbay.h>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 4, ALLOCATORS = 2, CHILD_CALLS = 10 };
enum { FIRST_SINGLE = WORKERS + ALLOCATORS, NR = FIRST_SINGLE + 4 };

#define NOT_TRACED __attribute__((no_profile_instrument_function))

static atomic_int stop;
static _Atomic long begun, done, jumps, forks, modules, threads, windows,
	allocated, seen;
static const char *plugin;

OPAQUE int steady_child(int a) { return a + 3; }

/*
 * ThreadSanitizer (CONTRIBUTING.md) delays a signal until the thread calls an
 * intercepted function; the thread calls one now and then. ThreadSanitizer also ends a
 * child of a threaded process that creates threads.
 */
extern void __tsan_init(void) __attribute__((weak));

const char *__tsan_default_options(void)
{
	return "die_after_fork=0";
}

/* Per thread: the jump's target, and whether jumping is allowed. */
static __thread sigjmp_buf here;
static __thread volatile sig_atomic_t may_jump;
static __thread volatile sig_atomic_t nr_signals;

NOT_TRACED static void call_steady(int (*function)(int))
{
	begun++;
	CHECK_EQ(function(1), 2);
	done++;
}

NOT_TRACED static void on_signal(int number)
{
	int saved = errno;

	(void)number;
	call_steady(steady);
	if (may_jump && ++nr_signals % 2) {
		jumps++;
		siglongjmp(here, 1);
	}
	errno = saved;
}

NOT_TRACED static void *worker(void *arg)
{
	sigsetjmp(here, 1);
	may_jump = 1;
	for (unsigned int i = 1; !stop; i++) {
		call_steady(steady);
		other(1);
		if (__tsan_init && !(i % 1024))
			usleep(1);
	}
	may_jump = 0;
	return arg;
}

NOT_TRACED static void *allocator(void *arg)
{
	void *kept[64] = { 0 };
	unsigned int random = (unsigned int)(uintptr_t)arg;

	for (unsigned int i = 0; !stop; i = (i + 1) % 64) {
		random = random * 1103515245 + 12345;
		free(kept[i]);
		kept[i] = malloc(1 + (random >> 16 & 0x3fff));
		CHECK(kept[i]);
		memset(kept[i], 1, 1);
		other(1);
		allocated++;
	}
	for (int i = 0; i < 64; i++)
		free(kept[i]);
	return arg;
}

NOT_TRACED static void *forker(void *arg)
{
	while (!stop) {
		pid_t child = fork();
		int status;

		CHECK(child >= 0);
		if (!child) {
			for (int i = 0; i < CHILD_CALLS; i++) {
				void *memory = malloc(100);

				CHECK_EQ(steady_child(i), i + 3);
				free(memory);
			}
			_exit(0);
		}
		CHECK_EQ(waitpid(child, &status, 0), child);
		CHECK_EQ(status, 0);
		forks++;
		usleep(20000); /* each fork gets a separate data file */
	}
	return arg;
}

NOT_TRACED static void *loader(void *arg)
{
	while (!stop) {
		void *library = dlopen(plugin, RTLD_NOW);

		if (!library)
			puts(dlerror());
		CHECK(library);
		for (int i = 0; i < 10; i++)
			call_steady((int (*)(int))dlsym(library,
							"plugin_steady"));
		CHECK_EQ(dlclose(library), 0);
		modules++;
		usleep(1000);
	}
	return arg;
}

NOT_TRACED static void *short_life(void *arg)
{
	call_steady(steady);
	return arg;
}

NOT_TRACED static void *starter(void *arg)
{
	pthread_t child;

	while (!stop) {
		CHECK_EQ(pthread_create(&child, NULL, short_life, NULL), 0);
		pthread_join(child, NULL);
		threads++;
		usleep(1000);
	}
	return arg;
}

NOT_TRACED static void count(uintptr_t ip, uintptr_t parent_ip,
			     const struct patchbay_cell *cell,
			     struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)regs;
	++*(_Atomic long *)cell->data;
}

/* Arms a tracer of this program on the recorded functions. */
NOT_TRACED static void *armer(void *arg)
{
	_Atomic long calls = 0;
	const struct patchbay_ops_attr attr = {
		.size = sizeof(attr), .handler = count, .data = &calls,
	};

	while (!stop) {
		struct patchbay_ops *ops;
		long before;

		CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
		CHECK(patchbay_arm(ops, "[os]t*", PATCHBAY_ARM_FUTURE) > 0);
		before = calls;
		for (int i = 0; i < 10; i++)
			other(1);
		CHECK(calls >= before + 10);
		if (windows % 2)
			CHECK(patchbay_disarm(ops, "[os]t*") > 0);
		CHECK_EQ(patchbay_ops_destroy(ops), 0);
		windows++;
		usleep(1000);
	}
	return arg;
}

/* Arms a tracer that always sees steady(), even in future modules. */
NOT_TRACED static struct patchbay_ops *watch(void)
{
	const struct patchbay_ops_attr attr = {
		.size = sizeof(attr), .handler = count, .data = &seen,
	};
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_arm(ops, "steady", PATCHBAY_ARM_FUTURE), 1);
	return ops;
}

NOT_TRACED static void check_watched(struct patchbay_ops *ops)
{
	struct patchbay_ops_info info = { .size = sizeof(info) };
	long missed;

	CHECK_EQ(patchbay_ops_get_info(ops, &info), 0);
	missed = (long)info.nmissed;
	printf("begun %ld done %ld jumps %ld\n", begun, done, jumps);
	printf("seen %ld missed %ld\n", seen, missed);
	CHECK(seen <= begun && seen + missed >= done);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
}

NOT_TRACED static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

NOT_TRACED int main(int argc, char **argv)
{
	static void *(*const single[])(void *) = { forker, loader, starter,
						    armer };
	long seconds = argc > 2 ? atol(argv[2]) : 2;
	const struct timespec pause = { .tv_nsec = 500000 };
	struct sigaction action = { .sa_handler = on_signal,
				    .sa_flags = SA_RESTART };
	pthread_t thread[NR];
	struct patchbay_ops *watching;
	double end;

	CHECK(argc > 1);
	plugin = argv[1];
	alarm(patience(3 * seconds + 600)); /* a hang is a failure */
	sigaction(SIGUSR1, &action, NULL);
	watching = watch();
	for (int i = 0; i < NR; i++)
		CHECK_EQ(pthread_create(&thread[i], NULL,
					i < WORKERS	 ? worker :
					i < FIRST_SINGLE ? allocator :
					single[i - FIRST_SINGLE],
					(void *)(uintptr_t)i),
			 0);
	puts("ready");
	fflush(stdout);
	end = now() + (double)seconds;
	for (int i = 0; now() < end || !modules || !forks || !threads ||
			!windows || !jumps;
	     i = (i + 1) % WORKERS) {
		nanosleep(&pause, NULL);
		pthread_kill(thread[i], SIGUSR1);
	}
	stop = 1;
	for (int i = 0; i < NR; i++)
		pthread_join(thread[i], NULL);
	check_watched(watching);
	printf("forks %ld child calls %ld\n", forks, forks * CHILD_CALLS);
	printf("modules %ld threads %ld windows %ld allocations %ld\n", modules,
	       threads, windows, allocated);
	return 0;
}
#endif
