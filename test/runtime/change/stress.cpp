// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*
 * Tracing stays exact in one process that combines all features that are difficult for
 * tracers:
 *
 *	stress PLUGIN UNWINDER [SECONDS [plain]]
 *
 * The program's allocator is instrumented. Threads end in all ways: they return, call
 * pthread_exit(), are cancelled at a cancellation point or between two instructions, or
 * end by the system call alone. Each leaves values of keys whose destructors make calls
 * and set their key again. Others throw through traced functions, with the shared
 * unwinder and with one that an object (UNWINDER) contains. Others run chains of
 * guaranteed tail calls, fork, and load and unload an object (PLUGIN). A signal
 * interrupts them all. Its handler makes calls, and leaves by siglongjmp() where that
 * is allowed. At the same time tracers are created and destroyed, and their callbacks
 * call the loader. With "plain" the program traces nothing itself; another process does
 * (Inputs/stress.py).
 *
 * The program counts a call of steady() as *begun* before the call and as *done*
 * afterwards. A tracer that is always armed has seen or missed at least all done calls,
 * and at most all begun calls. The library counts the calls that no tracer could count
 * (patchbay_stats.unseen).
 */
// RUN: rm -rf %t && mkdir -p %t
// DEFINE: %{object} = %buildxx -DLIBRARY -shared -fPIC
// RUN: %{object} %s -o %t/plugin.so
// RUN: %{object} -DUNWINDER -static-libgcc -static-libstdc++ -Wl,--exclude-libs,ALL %s -o %t/unwinder.so
// RUN: %buildxx -fno-builtin %s -o %t/stress %link
// RUN: sh -c '%t/stress %t/plugin.so %t/unwinder.so ${PATCHBAY_STRESS_SECONDS:-3}' | FileCheck %s
// CHECK: steady: done {{[0-9]+}}, begun {{[0-9]+}}: right
// CHECK-NEXT: threads: {{([1-9][0-9]* [a-z]+ ?)+}}
// CHECK-NEXT: chains: {{[1-9][0-9]*}} exceptions: {{[1-9][0-9]*}} of another unwinder: {{[1-9][0-9]*}}
// CHECK-NEXT: forks: {{[1-9][0-9]*}} jumps: {{[1-9][0-9]*}} modules: {{[1-9][0-9]*}} allocated: {{[1-9][0-9]*}}
// CHECK-NEXT: tracers: {{[1-9][0-9]*}} visits: {{[1-9][0-9]*}} answers of the loader: {{[1-9][0-9]*}}
/* The same with a tracer in another process. */
// RUN: sh -c '%python %S/../Inputs/stress.py %patchbay ${PATCHBAY_STRESS_SECONDS:-4} %t/data %t/stress %t/plugin.so %t/unwinder.so' | FileCheck --check-prefix=ATTACH %s
// ATTACH: modules: {{[1-9]}}
// ATTACH: exit status 0, attached {{[1-9][0-9]*}} times

#include "../Inputs/check.h"

#ifdef LIBRARY
OPAQUE static int add_one(int a) { return a + 1; }
OPAQUE static void throw_number(int a) { throw a; }

extern "C" int plugin_call(int a) { return add_one(a); }

/* The exception passes two functions and is caught in the same object. */
OPAQUE static int pass_on(int a)
{
	throw_number(a);
	return 0;
}

extern "C" int plugin_throw(int a)
{
	try {
		return pass_on(a);
	} catch (int caught) {
		return caught;
	}
}

#else
#include "../Inputs/stress-allocator.h"

#include <patchbay/patchbay.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <climits>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOT_TRACED __attribute__((no_profile_instrument_function))

/* --- Counters. --- */

static std::atomic<int> stop;
static std::atomic<long> begun, done, seen, chains, exceptions, foreign, forks, jumps,
	modules, allocated, tracers, visits, answers;

enum ending { RETURNED, EXITED, CANCELLED, INTERRUPTED, DISAPPEARED, ENDINGS };
static const char *const ending_names[] = { "returned", "exited", "cancelled",
					    "interrupted", "disappeared" };
static std::atomic<long> ended[ENDINGS];

static const char *plugin;
static int (*throw_elsewhere)(int);

OPAQUE int steady(int a) { return a + 1; }
OPAQUE int risky(int a) { return a + 2; }
OPAQUE double risky_mix(double a, int b) { return a * b; }

NOT_TRACED static void call_steady(int (*function)(int))
{
	begun++;
	CHECK_EQ(function(1), 2);
	done++;
}

/* --- Guaranteed tail calls. --- */

struct machine {
	long sum;
};

typedef long (*operation)(struct machine *, const unsigned char *);
extern const operation operations[3];

/* On ppc64le clang refuses the attribute, because the callee may have another TOC. */
#ifdef __powerpc64__
#define MUSTTAIL
enum { CHAIN_LENGTH = 100 };
#else
#define MUSTTAIL [[clang::musttail]]
enum { CHAIN_LENGTH = 20000 };
#endif
#define NEXT MUSTTAIL return operations[code[1]](m, code + 1)

static long chain_end(struct machine *m, const unsigned char *)
{
	return m->sum;
}

static long chain_add(struct machine *m, const unsigned char *code)
{
	m->sum += 3;
	NEXT;
}

static long chain_xor(struct machine *m, const unsigned char *code)
{
	m->sum ^= risky(3);
	NEXT;
}

const operation operations[3] = { chain_end, chain_add, chain_xor };

static void run_chain(unsigned char *code, size_t length)
{
	struct machine m = { 0 };
	long want = 0;

	for (size_t i = 0; i < length; i++) {
		code[i] = 1 + i % 2;
		want = i % 2 ? want ^ 5 : want + 3;
	}
	code[length] = 0;
	CHECK_EQ(operations[code[0]](&m, code), want);
	chains++;
}

/* --- Exceptions. --- */

OPAQUE static void throw_number(int a) { throw a; }

struct counter {
	int &nr;
	~counter() { nr++; }
};

OPAQUE static int pass_on(int a, int &nr)
{
	counter counted = { nr };

	throw_number(a);
	return 0;
}

static void throw_and_catch(int a)
{
	int nr = 0, caught = 0;

	try {
		pass_on(a, nr);
	} catch (int number) {
		caught = number;
	}
	CHECK_EQ(caught, a);
	CHECK_EQ(nr, 1);
	exceptions++;
	CHECK_EQ(throw_elsewhere(a), a);
	foreign++;
}

/* --- Threads that stay. --- */

static thread_local sigjmp_buf here;
static thread_local volatile sig_atomic_t may_jump, nr_signals;

NOT_TRACED static void on_signal(int)
{
	const int saved = errno;

	call_steady(steady);
	if (may_jump && ++nr_signals % 2) {
		jumps++;
		siglongjmp(here, 1);
	}
	errno = saved;
}

NOT_TRACED static void *worker(void *arg)
{
	unsigned char *code = static_cast<unsigned char *>(malloc(CHAIN_LENGTH + 1));

	while (!stop) {
		if (!sigsetjmp(here, 1)) {
			may_jump = 1;
			for (int i = 0; i < 1000; i++) {
				call_steady(steady);
				risky(i);
				risky_mix(i, 2);
			}
		}
		may_jump = 0;
		throw_and_catch(7);
		run_chain(code, CHAIN_LENGTH);
	}
	free(code);
	return arg;
}

NOT_TRACED static void *allocator(void *arg)
{
	enum { KEPT = 64 };
	void *kept[KEPT] = {};
	unsigned int random = 1;

	for (unsigned int i = 0; !stop; i = (i + 1) % KEPT) {
		random = random * 1103515245 + 12345;
		kept[i] = realloc(kept[i], 1 + (random >> 16 & 0x7fff));
		CHECK(kept[i]);
		memset(kept[i], 1, 1);
		allocated++;
	}
	for (void *p : kept)
		free(p);
	return arg;
}

NOT_TRACED static void *forker(void *arg)
{
	while (!stop) {
		int status;
		pid_t child = fork();

		CHECK(child >= 0);
		if (!child) {
			for (int i = 0; i < 10; i++)
				CHECK_EQ(risky(i), i + 2);
			free(malloc(100));
			throw_and_catch(3);
			_exit(0);
		}
		while (waitpid(child, &status, 0) < 0)
			CHECK_EQ(errno, EINTR);
		CHECK_EQ(status, 0);
		forks++;
		usleep(2000);
	}
	return arg;
}

NOT_TRACED static void *loader(void *arg)
{
	while (!stop) {
		void *object = dlopen(plugin, RTLD_NOW);
		int (*call)(int);

		CHECK(object);
		call = reinterpret_cast<int (*)(int)>(dlsym(object, "plugin_call"));
		CHECK(call);
		for (int i = 0; i < 20; i++)
			CHECK_EQ(call(i), i + 1);
		CHECK_EQ(reinterpret_cast<int (*)(int)>(dlsym(object, "plugin_throw"))(5), 5);
		CHECK_EQ(dlclose(object), 0);
		modules++;
	}
	return arg;
}

/* --- Threads that end. --- */

static pthread_key_t keys[2];

/* The destructor sets its key again, as POSIX allows, until the last round. */
static void destroy_value(void *rounds)
{
	const uintptr_t left = reinterpret_cast<uintptr_t>(rounds) - 1;

	call_steady(steady);
	free(malloc(24));
	if (left)
		pthread_setspecific(keys[0], reinterpret_cast<void *>(left));
}

static void destroy_last(void *value)
{
	risky(1);
	pthread_setspecific(keys[1], value); /* for ever; the C library gives up
	                                        after some rounds */
}

static void call_for_ever()
{
	for (;;)
		risky(1);
}

NOT_TRACED static void *end_somehow(void *arg)
{
	const int ending = static_cast<int>(reinterpret_cast<uintptr_t>(arg) % ENDINGS);

	/* Half of the threads make their first traced call in a destructor. */
	pthread_setspecific(keys[0], reinterpret_cast<void *>(PTHREAD_DESTRUCTOR_ITERATIONS));
	pthread_setspecific(keys[1], arg);
	if (reinterpret_cast<uintptr_t>(arg) & 1)
		risky(1);
	switch (ending) {
	case EXITED:
		pthread_exit(arg);
	case CANCELLED:
		for (;;)
			pause();
	case INTERRUPTED:
		pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
		call_for_ever();
	case DISAPPEARED:
		syscall(SYS_exit, 0);
	}
	return arg;
}

NOT_TRACED static void *starter(void *arg)
{
	for (uintptr_t i = 1; !stop; i++) {
		const int ending = static_cast<int>(i % ENDINGS);
		pthread_t thread;

		CHECK_EQ(pthread_create(&thread, nullptr, end_somehow,
					reinterpret_cast<void *>(i)),
			 0);
		if (ending == CANCELLED || ending == INTERRUPTED) {
			usleep(i % 200);
			pthread_cancel(thread);
		}
		CHECK_EQ(pthread_join(thread, nullptr), 0);
		ended[ending]++;
	}
	return arg;
}

/* --- Tracers. --- */

#define HANDLER(name)                                                          \
	NOT_TRACED GENERAL_REGS static void name(                              \
		uintptr_t ip, uintptr_t parent_ip,                             \
		const struct patchbay_cell *cell, struct patchbay_regs *regs)

HANDLER(count_steady)
{
	(void)ip, (void)parent_ip, (void)cell, (void)regs;
	__atomic_fetch_add(reinterpret_cast<long *>(&seen), 1, __ATOMIC_RELAXED);
}

HANDLER(count)
{
	(void)ip, (void)parent_ip, (void)regs;
	__atomic_fetch_add(static_cast<long *>(cell->data), 1, __ATOMIC_RELAXED);
}

NOT_TRACED static void ask_loader(const void *address)
{
	Dl_info info;

	/* The address may belong to an object that was unloaded. */
	answers += dladdr(address, &info) != 0;
}

NOT_TRACED static int attach(void *, const struct patchbay_module_info *,
			     struct patchbay_target *targets, size_t)
{
	void *self = dlopen(nullptr, RTLD_NOW);

	ask_loader(reinterpret_cast<void *>(targets->entry));
	if (self)
		dlclose(self);
	free(malloc(40));
	return 0;
}

NOT_TRACED static int check(void *, const struct patchbay_target *target)
{
	ask_loader(reinterpret_cast<void *>(target->entry));
	return 0;
}

NOT_TRACED static int visit(const struct patchbay_site_info *site, void *)
{
	ask_loader(reinterpret_cast<void *>(site->entry));
	return 0;
}

NOT_TRACED static struct patchbay_ops *create_tracer(unsigned int kind, long *calls)
{
	static const uint64_t threshold = 1000;
	struct patchbay_ops_attr attr = {};
	struct patchbay_ops *ops;

	attr.size = sizeof(attr);
	attr.flags = kind & 1 ? PATCHBAY_OPS_FAST : 0;
	attr.data = calls;
	if (kind & 2)
		attr.exit = count;
	if (kind & 4)
		attr.check = check;
	if (kind & 8)
		attr.attach = attach;
	if ((kind & 18) == 18)
		attr.threshold = &threshold;
	else
		attr.handler = count;
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	return ops;
}

NOT_TRACED static void *tracer(void *arg)
{
	static const char *const globs[] = { "*", "risky*", "malloc", "*chain*",
					     "plugin_*", "*free*", "*throw*" };
	long *calls = static_cast<long *>(calloc(1, sizeof(*calls)));
	unsigned int random = static_cast<unsigned int>(reinterpret_cast<uintptr_t>(arg));

	while (!stop) {
		struct patchbay_ops *ops;
		int nr;

		random = random * 1103515245 + 12345;
		ops = create_tracer(random >> 16, calls);
		nr = patchbay_arm(ops, globs[(random >> 21) % 7],
				  PATCHBAY_ARM_SKIP | PATCHBAY_ARM_FUTURE);
		CHECK(nr >= 0);
		usleep(random >> 23 & 0x1ff);
		CHECK_EQ(patchbay_ops_destroy(ops), 0);
		tracers++;
	}
	free(calls);
	return arg;
}

NOT_TRACED static void *visitor(void *arg)
{
	while (!stop) {
		CHECK_EQ(patchbay_for_each_site(visit, nullptr), 0);
		visits++;
		usleep(3000);
	}
	return arg;
}

/* --- Main. --- */

NOT_TRACED static double now()
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

static void *(*const bodies[])(void *) = { worker, worker, allocator, starter, starter,
					   forker, loader, tracer, tracer, visitor };
enum { NR = sizeof(bodies) / sizeof(*bodies), PLAIN = NR - 3 };

/* On a busy machine some events come late. */
NOT_TRACED static bool is_enough(bool plain)
{
	for (const auto &nr : ended)
		if (!nr)
			return false;
	return chains && foreign && forks && jumps && modules && allocated &&
	       (plain || (tracers && visits));
}

NOT_TRACED static void run(double seconds, bool plain)
{
	const int nr = plain ? PLAIN : NR;
	const double end = now() + seconds;
	pthread_t threads[NR];

	for (int i = 0; i < nr; i++)
		CHECK_EQ(pthread_create(&threads[i], nullptr, bodies[i],
					reinterpret_cast<void *>(static_cast<uintptr_t>(i))),
			 0);
	for (int i = 0; now() < end || !is_enough(plain); i = (i + 1) % nr) {
		usleep(500);
		pthread_kill(threads[i], SIGUSR1);
	}
	stop = 1;
	for (int i = 0; i < nr; i++)
		CHECK_EQ(pthread_join(threads[i], nullptr), 0);
}

NOT_TRACED static void compare_steady(struct patchbay_ops *ops)
{
	struct patchbay_ops_info info = {};
	struct patchbay_stats stats = {};
	long counted, unseen;

	info.size = sizeof(info);
	stats.size = sizeof(stats);
	CHECK_EQ(patchbay_ops_get_info(ops, &info), 0);
	CHECK_EQ(patchbay_get_stats(&stats), 0);
	counted = seen + static_cast<long>(info.nmissed);
	unseen = static_cast<long>(stats.unseen);
	printf("steady: done %ld, begun %ld: %s (%ld seen, %ld missed, %ld of all unseen)\n",
	       done.load(), begun.load(),
	       done <= counted + unseen && counted <= begun ? "right" : "wrong", seen.load(),
	       counted - seen, unseen);
}

NOT_TRACED int main(int argc, char **argv)
{
	const double seconds = argc > 3 ? atof(argv[3]) : 1;
	const bool plain = argc > 4;
	struct sigaction action = {};
	struct patchbay_ops_attr attr = {};
	struct patchbay_ops *ops = nullptr;
	void *unwinder;

	CHECK(argc > 2);
	setvbuf(stdout, nullptr, _IOLBF, 0);
	plugin = argv[1];
	alarm(patience(2 * seconds + 600)); /* a hang is a failure */
	unwinder = dlopen(argv[2], RTLD_NOW);
	CHECK(unwinder);
	throw_elsewhere = reinterpret_cast<int (*)(int)>(dlsym(unwinder, "plugin_throw"));
	CHECK(throw_elsewhere);
	pthread_atfork(lock_heap, unlock_heap, unlock_heap);
	CHECK_EQ(pthread_key_create(&keys[0], destroy_value), 0);
	CHECK_EQ(pthread_key_create(&keys[1], destroy_last), 0);
	action.sa_handler = on_signal;
	action.sa_flags = SA_RESTART;
	sigaction(SIGUSR1, &action, nullptr);
	if (!plain) {
		attr.size = sizeof(attr);
		attr.flags = PATCHBAY_OPS_FAST;
		attr.handler = count_steady;
		CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
		CHECK(patchbay_arm(ops, "*steady*", 0) > 0);
	}
	puts("ready");
	run(seconds, plain);
	if (!plain)
		compare_steady(ops);
	printf("threads:");
	for (int i = 0; i < ENDINGS; i++)
		printf(" %ld %s", ended[i].load(), ending_names[i]);
	printf("\nchains: %ld exceptions: %ld of another unwinder: %ld\n", chains.load(),
	       exceptions.load(), foreign.load());
	printf("forks: %ld jumps: %ld modules: %ld allocated: %ld\n", forks.load(), jumps.load(),
	       modules.load(), allocated.load());
	if (!plain)
		printf("tracers: %ld visits: %ld answers of the loader: %ld\n", tracers.load(),
		       visits.load(), answers.load());
	return 0;
}
#endif
