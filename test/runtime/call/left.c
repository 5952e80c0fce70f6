/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Signal handlers leave a tracer's handler by siglongjmp(), 2,000 times a second. The
 * thread is still traced. Each call that returns is seen or counted as missed. The
 * library does not wait for a handler that was left. It waits for a handler that was
 * interrupted, by a coroutine or by a signal handler on another stack, whatever that
 * thread calls meanwhile.
 *
 * Under this load, disarming and requests for state take at most 100 ms. On a busy
 * machine the threads wait for a CPU for a random time, which the kernel reports
 * (/proc/PID/task/TID/schedstat); the test subtracts it. To check the whole time on a
 * quiet machine, run the program with the limit in milliseconds:
 *	build/release/test/runtime/call/Output/left.c.tmp 100
 */
// RUN: %build %s -o %t %link
// RUN: %t | FileCheck %s
// CHECK:      {{^}}entry: left 200 times, all calls seen or missed
// CHECK-NEXT: {{^}}entry, any: left 200 times, all calls seen or missed
// CHECK-NEXT: {{^}}exit: left 200 times, all calls seen or missed
// CHECK-NEXT: {{^}}exit, any: left 200 times, all calls seen or missed
// CHECK-NEXT: {{^}}timed: left 200 times, all calls seen or missed
// CHECK-NEXT: {{^}}sets: left 200 times, all calls seen or missed
// CHECK-NEXT: {{^}}status: {{[0-9.]+}} ms at most, {{[0-9.]+}} without waiting for a processor
// CHECK-NEXT: {{^}}disarming: {{[0-9.]+}} ms at most, {{[0-9.]+}} without waiting for a processor
// CHECK-NEXT: {{^}}left and idle: waited {{[0-9]+}} ms
// CHECK-NEXT: {{^}}interrupted: the thread is named
// CHECK-NEXT: {{^}}on another stack: waited for
// CHECK-NEXT: {{^}}in a coroutine: waited for

#include "../Inputs/check.h"

#include <patchbay/exit.h>

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { SLOW = 2000, STACK = 256 * 1024 };

/*
 * The number of jumps out of each type of handler, and the nanoseconds between signals.
 */
static int times = 200;
static long often = 500000;

OPAQUE int traced(int a) { return a + 1; }
OPAQUE int other(int a) { return a + 2; }

#define NOT_TRACED __attribute__((no_profile_instrument_function))
#define FAST NOT_TRACED GENERAL_REGS
#define HANDLER(name)                                                          \
	static void name(uintptr_t ip, uintptr_t parent_ip,                    \
			 const struct patchbay_cell *cell,                     \
			 struct patchbay_regs *regs)

static volatile sig_atomic_t inside, jumps;
static sigjmp_buf back;

/* Makes a handler so long that most signals interrupt it. */
FAST static inline __attribute__((always_inline)) void spend_time(void)
{
	inside = 1;
	for (volatile int i = 0; i < 300; i++)
		;
	inside = 0;
}

FAST HANDLER(see)
{
	(void)ip;
	(void)parent_ip;
	(void)regs;
	spend_time();
	++*(volatile long *)cell->data;
}

FAST HANDLER(enter)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	spend_time();
}

NOT_TRACED HANDLER(see_any) { see(ip, parent_ip, cell, regs); }
NOT_TRACED HANDLER(enter_any) { enter(ip, parent_ip, cell, regs); }

static void leave(int signal)
{
	(void)signal;
	if (!inside)
		return;
	inside = 0;
	jumps++;
	siglongjmp(back, 1);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void set_timer(timer_t timer, long nanoseconds)
{
	const struct itimerspec period = { { 0, nanoseconds },
					   { 0, nanoseconds } };

	timer_settime(timer, 0, &period, NULL);
}

/* Creates a timer that signals the calling thread. */
static timer_t new_timer(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
				  .sigev_signo = SIGUSR1 };
	timer_t timer;

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif
	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	CHECK_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	return timer;
}

static const uint64_t at_once = 0;

struct kind {
	const char *name;
	unsigned int flags;
	patchbay_handler handler, exit;
	const uint64_t *threshold;
	int nr;
};

static struct patchbay_ops *create(const struct kind *kind, long *seen)
{
	const struct patchbay_ops_attr attr = {
		.size = sizeof(attr),
		.flags = kind->flags,
		.handler = kind->handler,
		.exit = kind->exit,
		.threshold = kind->threshold,
		.data = seen,
	};
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	return ops;
}

static uint64_t missed(const struct patchbay_ops *ops)
{
	struct patchbay_ops_info info = { .size = sizeof(info) };

	CHECK_EQ(patchbay_ops_get_info(ops, &info), 0);
	return info.nmissed;
}

/* Calls from varying stack depths. */
NOT_TRACED static int call_deep(int depth)
{
	volatile char room[64];

	room[0] = (char)depth;
	return depth ? call_deep(depth - 1) + room[0] - room[0] : traced(1);
}

static volatile long returned;

NOT_TRACED static void call_for_long(timer_t timer, double end)
{
	static volatile unsigned int random = 1;

	sigsetjmp(back, 1);
	while (jumps < times && now() < end) {
		random = random * 1103515245 + 12345;
		call_deep(random >> 16 & 15);
		returned++;
	}
	set_timer(timer, 0);
}

static void leave_often(const struct kind *kind, timer_t timer)
{
	long seen[2] = { 0 };
	struct patchbay_ops *ops[2] = { NULL };

	for (int i = 0; i < kind->nr; i++) {
		ops[i] = create(kind, &seen[i]);
		CHECK_EQ(patchbay_arm(ops[i], "traced", 0), 1);
	}
	jumps = 0;
	returned = 0;
	set_timer(timer, often);
	call_for_long(timer, now() + 60);
	CHECK_EQ(jumps, times);
	/*
	 * When a jump left a call, some of its tracers had been called and others had
	 * not.
	 */
	for (int i = 0; i < kind->nr; i++) {
		long known = seen[i] + (long)missed(ops[i]);

		CHECK(known >= returned);
		CHECK(known <= returned + (kind->nr - 1) * times);
		CHECK(seen[i] > returned / 2);
		CHECK_EQ(patchbay_ops_destroy(ops[i]), 0);
	}
	printf("%s: left %d times, all calls seen or missed (%ld)\n", kind->name,
	       jumps, returned);
}

static atomic_int stop;
static _Atomic pid_t leaving_tid;

/*
 * The longest duration, and the longest one without the time spent waiting for a CPU,
 * in seconds.
 */
struct longest {
	double all, rest;
};

struct moment {
	double time, waiting;
};

/* Time that threads of this process have spent waiting for a CPU so far. */
static double waiting_of(pid_t thread)
{
	char path[64];
	unsigned long long waited = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", (int)thread);
	file = fopen(path, "re");
	/* The file depends on CONFIG_SCHED_INFO, and the thread may have ended. */
	if (file) {
		if (fscanf(file, "%*u %llu", &waited) != 1)
			waited = 0;
		fclose(file);
	}
	return (double)waited / 1e9;
}

static struct moment begin_moment(void)
{
	const double waiting = waiting_of((pid_t)syscall(SYS_gettid)) +
			       waiting_of(leaving_tid);

	return (struct moment){ now(), waiting };
}

static void end_moment(struct longest *longest, struct moment begin)
{
	double all = now() - begin.time, rest;
	double waiting = waiting_of((pid_t)syscall(SYS_gettid)) +
			 waiting_of(leaving_tid);

	rest = waiting > begin.waiting ? all - (waiting - begin.waiting) : all;
	if (all > longest->all)
		longest->all = all;
	if (rest > longest->rest)
		longest->rest = rest;
}

static void print_longest(const char *what, const struct longest *longest)
{
	printf("%s: %.1f ms at most, %.1f without waiting for a processor\n",
	       what, longest->all * 1e3, longest->rest * 1e3);
}

static struct longest status, disarming;

/* Measures durations while another thread jumps. */
static void *ask(void *arg)
{
	static const struct kind kind = { "", 0, see_any, NULL, NULL, 1 };
	static long seen;
	struct patchbay_ops *ops = create(&kind, &seen);

	while (!leaving_tid)
		usleep(100);
	while (!stop) {
		struct patchbay_stats stats = { .size = sizeof(stats) };
		struct moment begin = begin_moment();

		CHECK_EQ(patchbay_get_stats(&stats), 0);
		missed(ops);
		end_moment(&status, begin);
		CHECK_EQ(patchbay_arm(ops, "other", 0), 1);
		begin = begin_moment();
		CHECK_EQ(patchbay_disarm(ops, "other"), 1);
		end_moment(&disarming, begin);
		usleep(1000);
	}
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	return arg;
}

static void *leave_all(void *arg)
{
	static const struct kind kinds[] = {
		{ "entry", PATCHBAY_OPS_FAST | PATCHBAY_OPS_RECURSION, see, NULL,
		  NULL, 1 },
		{ "entry, any", 0, see_any, NULL, NULL, 1 },
		{ "exit", PATCHBAY_OPS_FAST, enter, see, NULL, 1 },
		{ "exit, any", 0, enter_any, see_any, NULL, 1 },
		{ "timed", PATCHBAY_OPS_FAST, NULL, see, &at_once, 1 },
		{ "sets", PATCHBAY_OPS_FAST, enter, see, NULL, 2 },
	};
	timer_t timer = new_timer();

	leaving_tid = (pid_t)syscall(SYS_gettid);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		leave_often(&kinds[i], timer);
	timer_delete(timer);
	return arg;
}

/* From here on, a handler runs until the test releases it. */
static atomic_int arrived, let_go, idle;
static pid_t tid;

NOT_TRACED HANDLER(stay)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	inside = 1;
	arrived++;
	while (!let_go)
		;
	inside = 0;
}

static struct patchbay_ops *arm_staying(void)
{
	static const struct kind kind = { "", 0, stay, NULL, NULL, 1 };
	struct patchbay_ops *ops = create(&kind, NULL);

	arrived = let_go = idle = 0;
	CHECK_EQ(patchbay_arm(ops, "traced", 0), 1);
	return ops;
}

NOT_TRACED static void use_stack(void)
{
	volatile char room[16384];

	memset((char *)room, 1, sizeof(room));
}

NOT_TRACED static void *leave_and_idle(void *arg)
{
	if (!sigsetjmp(back, 1))
		traced(1);
	use_stack();
	idle = 1;
	while (!stop)
		usleep(1000);
	return arg;
}

/*
 * The thread leaves its handler, and then makes no call in which the library could
 * notice that.
 */
static void left_and_idle(void)
{
	struct patchbay_ops *ops = arm_staying();
	pthread_t thread;
	double begin;

	stop = 0;
	pthread_create(&thread, NULL, leave_and_idle, NULL);
	while (!arrived)
		usleep(100);
	pthread_kill(thread, SIGUSR1);
	while (!idle)
		usleep(100);
	begin = now();
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	printf("left and idle: waited %.0f ms\n", (now() - begin) * 1e3);
	stop = 1;
	pthread_join(thread, NULL);
}

static void *call(void *arg)
{
	tid = (pid_t)syscall(SYS_gettid);
	CHECK_EQ(traced(1), 2);
	return arg;
}

/*
 * Destroying times out, and the error names the thread. Other threads are not delayed.
 */
static void expect_timeout(struct patchbay_ops *ops)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };
	double begin;

	patchbay_set_wait_limit(200);
	CHECK_EQ(patchbay_ops_destroy(ops), -ETIMEDOUT);
	begin = now();
	CHECK_EQ(patchbay_get_stats(&stats), 0);
	CHECK_EQ(stats.waited_for, tid);
	missed(ops);
	CHECK(now() - begin < 2);
	patchbay_set_wait_limit(PATCHBAY_WAIT_LIMIT);
}

static void interrupted(void)
{
	struct patchbay_ops *ops = arm_staying();
	pthread_t thread;

	pthread_create(&thread, NULL, call, NULL);
	while (!arrived)
		usleep(100);
	expect_timeout(ops);
	let_go = 1;
	pthread_join(thread, NULL);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	puts("interrupted: the thread is named");
}

/*
 * Makes many calls from different depths, so that the library examines the whole stack.
 */
NOT_TRACED static void call_meanwhile(void)
{
	use_stack();
	for (int i = 0; i < 1000; i++)
		call_deep(i % 16);
	idle = 1;
	while (!let_go)
		usleep(1000);
}

static void on_other_stack(int signal)
{
	(void)signal;
	call_meanwhile();
}

static char *both_stacks;

static void *call_with_altstack(void *arg)
{
	const stack_t stack = { .ss_sp = both_stacks + STACK, .ss_size = STACK };

	CHECK_EQ(sigaltstack(&stack, NULL), 0);
	return call(arg);
}

/* The signal handler's stack is above the stack of the interrupted handler. */
static void other_stack(void)
{
	const struct sigaction action = { .sa_handler = on_other_stack,
					  .sa_flags = SA_ONSTACK };
	struct patchbay_ops *ops = arm_staying();
	pthread_attr_t attr;
	pthread_t thread;

	both_stacks = mmap(NULL, 2 * STACK, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGUSR2, &action, NULL);
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, both_stacks, STACK);
	CHECK_EQ(pthread_create(&thread, &attr, call_with_altstack, NULL), 0);
	while (!arrived)
		usleep(100);
	pthread_kill(thread, SIGUSR2);
	while (!idle)
		usleep(100);
	expect_timeout(ops);
	let_go = 1;
	pthread_join(thread, NULL);
	CHECK_EQ(arrived, 1); /* later calls were missed */
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	puts("on another stack: waited for");
}

static ucontext_t lower, upper, in_thread;

static void change_coroutine(int signal)
{
	(void)signal;
	swapcontext(&lower, &upper);
}

static void run_lower(void) { CHECK_EQ(traced(1), 2); }
static void run_upper(void) { call_meanwhile(); }

static void make(ucontext_t *coroutine, char *stack, void (*run)(void),
		 ucontext_t *next)
{
	getcontext(coroutine);
	coroutine->uc_stack.ss_sp = stack;
	coroutine->uc_stack.ss_size = STACK;
	coroutine->uc_link = next;
	makecontext(coroutine, run, 0);
}

NOT_TRACED static void *with_coroutines(void *arg)
{
	char stacks[2 * STACK]; /* part of the thread's own stack */

	tid = (pid_t)syscall(SYS_gettid);
	make(&lower, stacks, run_lower, &in_thread);
	make(&upper, stacks + STACK, run_upper, &lower);
	swapcontext(&in_thread, &lower);
	return arg;
}

/* A signal handler interrupts a tracer's handler and switches to another coroutine. */
static void coroutine(void)
{
	const struct sigaction action = { .sa_handler = change_coroutine };
	struct patchbay_ops *ops = arm_staying();
	pthread_t thread;

	sigaction(SIGUSR2, &action, NULL);
	CHECK_EQ(pthread_create(&thread, NULL, with_coroutines, NULL), 0);
	while (!arrived)
		usleep(100);
	pthread_kill(thread, SIGUSR2);
	while (!idle)
		usleep(100);
	expect_timeout(ops);
	let_go = 1;
	pthread_join(thread, NULL);
	CHECK_EQ(arrived, 1);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	puts("in a coroutine: waited for");
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = leave };
	const double limit = argc > 1 ? atof(argv[1]) / 1e3 : 0;
	/*
	 * An emulated system executes few instructions and delivers few signals in a
	 * second.
	 */
	const char *slow = getenv("PATCHBAY_TEST_SLOW");
	const double at_most = slow ? atof(slow) : 1;
	pthread_t leaving, asking;

	if (slow) {
		times /= 10;
		often *= 20;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	alarm(patience(600)); /* a hang is a failure */
	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&asking, NULL, ask, NULL);
	pthread_create(&leaving, NULL, leave_all, NULL);
	pthread_join(leaving, NULL);
	stop = 1;
	pthread_join(asking, NULL);
	print_longest("status", &status);
	print_longest("disarming", &disarming);
	/* The kernel does not report all delays of the machine as waiting time. */
	CHECK(status.rest < at_most && disarming.rest < at_most);
	CHECK(!limit || (status.all < limit && disarming.all < limit));
	left_and_idle();
	interrupted();
	other_stack();
	coroutine();
	return 0;
}
