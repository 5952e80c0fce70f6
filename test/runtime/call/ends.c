/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Threads make traced calls and end in every possible way, even without the library's
 * knowledge. The tracer sees their calls, and waiting for handlers still finds all
 * other threads. Readers are reused (runtime/core/quiesce/reader.h).
 */
// RUN: %build -fno-builtin %s -o %t %link
// RUN: timeout 600 %t | FileCheck %s
// CHECK:      {{^}}behind the last destructors: 20 of 20 seen
// CHECK-NEXT: {{^}}in the last round of destructors: 20 of 20 seen
// CHECK-NEXT: {{^}}in all rounds of destructors: 80 of 80 seen, 80 of 80 exits
// CHECK-NEXT: {{^}}ended by exit(2): not waited for
// CHECK-NEXT: {{^}}ended by exit(2) in a handler: not waited for
// CHECK-NEXT: {{^}}ended by pthread_exit() in a handler: not waited for
// CHECK-NEXT: {{^}}forked: waited for by the parent alone
// CHECK-NEXT: {{^}}storage without contents: 1 of 1 seen
// CHECK-NEXT: {{^}}3000 threads: as much memory as before
// CHECK-NEXT: {{^}}main thread: ended, 1 of 1 seen
// CHECK-NEXT: {{^}}done

#include "../Inputs/check.h"

#include <patchbay/exit.h>

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_TRACED __attribute__((no_profile_instrument_function))

enum { TIMES = 20, MANY = 3000, STACK = 128 * 1024 };

/* The C library calls free(NULL) in each thread after its last destructor. */
static __thread int is_ending;
static atomic_int ended_in_free;

OPAQUE int traced(int a) { return a + 1; }

NOT_TRACED void free(void *memory)
{
	(void)memory; /* never freed */
	if (is_ending) {
		is_ending = 0;
		ended_in_free += traced(1) == 2;
	}
}

static atomic_int seen, exits;
static void (*in_handler)(void);
static struct patchbay_ops *ops;

NOT_TRACED static void see(uintptr_t ip, uintptr_t parent_ip,
			   const struct patchbay_cell *cell,
			   struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	seen++;
	if (in_handler)
		in_handler();
}

NOT_TRACED static void see_exit(uintptr_t ip, uintptr_t parent_ip,
				const struct patchbay_cell *cell,
				struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	exits++;
}

static void run(void *(*function)(void *))
{
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, function, NULL), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
}

/* A wait finds all threads that are in a handler, and ignores all others. */
static int wait_for_all(void)
{
	int error;

	patchbay_set_wait_limit(patience(2) * 1000);
	error = patchbay_synchronize();
	patchbay_set_wait_limit(PATCHBAY_WAIT_LIMIT);
	return error;
}

static void *end_in_free(void *arg)
{
	is_ending = 1;
	return arg;
}

static pthread_key_t key;
static __thread int round;
static int first_round;

static void destroy(void *value)
{
	if (++round >= first_round)
		traced(1);
	if (round < PTHREAD_DESTRUCTOR_ITERATIONS)
		pthread_setspecific(key, value);
}

static void *end_in_round(void *arg)
{
	pthread_setspecific(key, &key);
	return arg;
}

static void *call_and_end_in_rounds(void *arg)
{
	pthread_setspecific(key, &key);
	return arg;
}

static int count(void *(*function)(void *), int times)
{
	seen = exits = 0;
	for (int i = 0; i < times; i++)
		run(function);
	CHECK_EQ(wait_for_all(), 0);
	return seen;
}

static struct patchbay_ops *arm(patchbay_handler on_exit)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = see,
						.exit = on_exit };
	struct patchbay_ops *new;

	CHECK_EQ(patchbay_ops_create(&attr, &new), 0);
	CHECK_EQ(patchbay_arm(new, "traced", 0), 1);
	return new;
}

/* Ends a thread without the C library's knowledge; such a thread cannot be joined. */
static atomic_int number;

NOT_TRACED static void exit_here(void)
{
	in_handler = NULL;
	syscall(SYS_exit, 0);
}

static void *exit_outside(void *arg)
{
	number = (int)syscall(SYS_gettid);
	traced(1);
	syscall(SYS_exit, 0);
	return arg;
}

static void *exit_inside(void *arg)
{
	number = (int)syscall(SYS_gettid);
	in_handler = exit_here;
	traced(1);
	return arg;
}

static void run_until_gone(void *(*function)(void *))
{
	pthread_t thread;

	number = 0;
	CHECK_EQ(pthread_create(&thread, NULL, function, NULL), 0);
	while (!number || !syscall(SYS_tgkill, getpid(), (int)number, 0))
		usleep(1000);
	CHECK_EQ(wait_for_all(), 0);
}

NOT_TRACED static void leave(void) { in_handler = NULL, pthread_exit(NULL); }

static void *leave_inside(void *arg)
{
	in_handler = leave;
	traced(1);
	return arg;
}

static atomic_int arrived, let_go;

NOT_TRACED static void stay(void)
{
	arrived = 1;
	while (!let_go)
		usleep(1000);
}

static void *stay_inside(void *arg)
{
	traced(1);
	return arg;
}

static void test_fork(void)
{
	pthread_t thread;
	int status;
	pid_t child;

	in_handler = stay;
	CHECK_EQ(pthread_create(&thread, NULL, stay_inside, NULL), 0);
	while (!arrived)
		usleep(1000);
	in_handler = NULL;
	child = fork();
	if (!child) {
		CHECK_EQ(wait_for_all(), 0);
		CHECK_EQ(count(stay_inside, TIMES), TIMES);
		_exit(0);
	}
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
	patchbay_set_wait_limit(100);
	CHECK_EQ(patchbay_synchronize(), -ETIMEDOUT);
	patchbay_set_wait_limit(PATCHBAY_WAIT_LIMIT);
	let_go = 1;
	CHECK_EQ(pthread_join(thread, NULL), 0);
	CHECK_EQ(wait_for_all(), 0);
}

#if defined(__x86_64__)
/*
 * Runs a thread whose thread-local storage the C library has not set up. The storage is
 * all zero except for its own address, which the ABI and glibc require.
 */
static int call_once(void *arg)
{
	(void)arg;
	traced(1);
	return 0;
}

static void test_raw_clone(void)
{
	const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
			  CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS |
			  CLONE_CHILD_CLEARTID;
	static volatile int there = 1;
	char *memory = mmap(NULL, 2 * STACK, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *storage = memory + STACK + STACK / 2;

	((char **)storage)[0] = ((char **)storage)[2] = storage;
	CHECK(clone(call_once, memory + STACK, flags, NULL, NULL, storage,
		    (int *)&there) > 0);
	while (there)
		usleep(1000);
	CHECK_EQ(wait_for_all(), 0);
	munmap(memory, 2 * STACK);
}
#else
static void test_raw_clone(void) { traced(1); }
#endif

static long pages(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long size = 0, resident = 0;

	CHECK(file && fscanf(file, "%ld %ld", &size, &resident) == 2);
	fclose(file);
	return resident;
}

static void *end_main(void *arg)
{
	const pthread_t *main_thread = arg;

	CHECK_EQ(pthread_join(*main_thread, NULL), 0);
	CHECK_EQ(wait_for_all(), 0);
	printf("main thread: ended, %d of 1 seen\n", seen);
	traced(1);
	CHECK_EQ(seen, 2);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	puts("done");
	exit(0);
}

int main(void)
{
	static pthread_t main_thread;
	pthread_t last;
	long before;
	int nr;

	setvbuf(stdout, NULL, _IONBF, 0);
	alarm(patience(600)); /* a hang is a failure */
	ops = arm(NULL);
	nr = count(end_in_free, TIMES);
	CHECK_EQ(ended_in_free, TIMES);
	printf("behind the last destructors: %d of 20 seen\n", nr);
	CHECK_EQ(pthread_key_create(&key, destroy), 0);
	first_round = PTHREAD_DESTRUCTOR_ITERATIONS;
	nr = count(end_in_round, TIMES);
	printf("in the last round of destructors: %d of 20 seen\n", nr);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	ops = arm(see_exit);
	first_round = 1;
	nr = count(call_and_end_in_rounds, TIMES);
	printf("in all rounds of destructors: %d of 80 seen, %d of 80 exits\n", nr,
	       exits);
	run_until_gone(exit_outside);
	puts("ended by exit(2): not waited for");
	run_until_gone(exit_inside);
	puts("ended by exit(2) in a handler: not waited for");
	run(leave_inside);
	CHECK_EQ(wait_for_all(), 0);
	puts("ended by pthread_exit() in a handler: not waited for");
	test_fork();
	puts("forked: waited for by the parent alone");
	seen = 0;
	test_raw_clone();
	printf("storage without contents: %d of 1 seen\n", seen);
	/* The first threads of each type allocate memory, which later threads reuse. */
	count(end_in_free, TIMES);
	before = pages();
	for (int i = 0; i < MANY; i++)
		run(i % 2 ? end_in_free : stay_inside);
	CHECK(pages() - before < 64);
	printf("%d threads: as much memory as before\n", MANY);
	main_thread = pthread_self();
	seen = 0;
	CHECK_EQ(pthread_create(&last, NULL, end_main, &main_thread), 0);
	first_round = PTHREAD_DESTRUCTOR_ITERATIONS;
	pthread_setspecific(key, &key);
	pthread_exit(NULL);
}
