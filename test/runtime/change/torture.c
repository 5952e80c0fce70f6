/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tracing stays exact under heavy load in a process that cannot make writable memory
 * executable (PR_SET_MDWE):
 *
 *	torture PLUGIN [SECONDS]
 *
 * 8 threads call. 3 threads create tracers, arm, disarm and destroy them. One loads a
 * module, and unloads the module while it is armed. One starts threads that end
 * immediately. Every millisecond a signal arrives, at each thread in turn, and its
 * handler calls, too. Then the test checks:
 *
 * - A tracer that is always armed sees every call of its functions, including calls
 *   from signal handlers and constructors, and no other. It counts calls of a thread
 *   that is in a handler as missed. The library counts the few that interrupt the
 *   counting (patchbay_stats.unseen).
 * - A thread arms its own tracer, makes calls and disarms it: the tracer sees exactly
 *   these calls.
 * - No handler runs after its disarming or destruction returned: memory of the tracer
 *   is watched for a while, then overwritten and freed.
 * - No mapping is ever writable and executable.
 * - In the end memory use is as before (a first, shorter round does allocations that
 *   happen once).
 *
 * Before a release run `torture PLUGIN 600`, and the same with AddressSanitizer.
 */
// RUN: rm -rf %t && mkdir -p %t/core %t/arch
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t/plugin.so
// RUN: %build %s -o %t/torture %link
// RUN: %t/torture %t/plugin.so 2 | FileCheck %s
/*
 * The same test with AddressSanitizer in the library, which is built without the
 * sources for other architectures.
 */
// DEFINE: %{core} = %patchbay_source/runtime/core
// DEFINE: %{asan} = %clang -O1 -g -fsanitize=address -mgeneral-regs-only -D_GNU_SOURCE -I %patchbay_include -I %{core} -I %{core}/arch/x86_64 -c
// RUN: cd %t/core && %{asan} %{core}/*/*.c && rm sequences.o mapped_reach.o
// RUN: cd %t/arch && %{asan} %{core}/arch/x86_64/*.c %{core}/arch/x86_64/*.S
// RUN: %build -fsanitize=address -rdynamic %s %t/core/*.o %t/arch/*.o -o %t/torture.asan -lpthread
// RUN: %t/torture.asan %t/plugin.so 2 | FileCheck %s
// CHECK:      calls: {{[1-9][0-9]+}} all seen or counted as missed
// CHECK-NEXT: windows: {{[1-9][0-9]*}} tracers: {{[1-9][0-9]*}} late: 0
// CHECK-NEXT: modules: {{[1-9][0-9]*}} threads: {{[1-9][0-9]*}} signals: {{[1-9][0-9]*}}
// CHECK-NEXT: writable and executable: 0 of {{[1-9][0-9]*}} samples
// CHECK-NEXT: memory: as before

#include "../Inputs/check.h"

OPAQUE static int steady(int a) { return a + 1; }
OPAQUE static int busy(int a) { return a + 2; }

#ifdef LIBRARY
int plugin_steady(int a) { return steady(a); }
int plugin_busy(int a) { return busy(a); }

/*
 * The tracer sees this call, too, because the library registers a module before its
 * constructors run.
 */
static volatile int loaded; /* volatile, or the compiler evaluates the constructor */
__attribute__((constructor)) static void load(void) { loaded = steady(0); }
int plugin_loaded(void) { return loaded; }
#else

#include <patchbay/exit.h>

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

enum { CALLERS = 8, TRACERS = 3, STARTER = CALLERS + TRACERS, LOADER, NR };

OPAQUE static double busy_mix(double a, int b, float c) { return a * b + c; }
/* Only threads that own a tracer call this function, between arming and disarming. */
OPAQUE static int window(int a) { return a - 1; }

static atomic_int stop;
static _Atomic long made, seen, windows, tracers, late, modules, threads,
	signals, samples, bad_samples, exits;
static pthread_t thread[NR];
static const char *plugin;

/* The data of a tracer's handler. */
struct witness {
	atomic_int live;
	_Atomic long calls;
	long in_window; /* calls of window() by the thread that owns the tracer */
};
static __thread struct witness *mine;

#define NOT_TRACED __attribute__((no_profile_instrument_function))
#define FAST NOT_TRACED GENERAL_REGS
#define HANDLER(name)                                                          \
	static void name(uintptr_t ip, uintptr_t parent_ip,                    \
			 const struct patchbay_cell *cell,                     \
			 struct patchbay_regs *regs)

FAST HANDLER(count_steady)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	seen++;
}

FAST HANDLER(witness)
{
	struct witness *w = cell->data;

	(void)parent_ip;
	(void)regs;
	if (!w->live)
		late++;
	w->calls++;
	if (w == mine && ip == (uintptr_t)window)
		w->in_window++;
}

static void call_steady(int a)
{
	made++;
	CHECK_EQ(steady(a), a + 1);
}

/* Uses vector registers, and calls armed functions. */
NOT_TRACED HANDLER(witness_any)
{
	volatile double vectors = (double)ip;

	witness(ip, parent_ip, cell, regs);
	call_steady(1);
	CHECK(busy_mix(vectors, 1, 0) == (double)ip);
}

/* The tracer also has an exit handler, to find exits without an entry and late exits. */
FAST HANDLER(witness_entry)
{
	witness(ip, parent_ip, cell, regs);
	*patchbay_session_word(cell, regs) = ip ^ (uintptr_t)cell->data;
}

FAST HANDLER(witness_exit)
{
	struct witness *w = cell->data;

	(void)parent_ip;
	if (!w->live ||
	    *patchbay_session_word(cell, regs) != (ip ^ (uintptr_t)w))
		late++;
	exits++;
}

NOT_TRACED HANDLER(witness_exit_any)
{
	volatile double vectors = (double)ip;

	witness_exit(ip, parent_ip, cell, regs);
	call_steady(1);
	CHECK(busy_mix(vectors, 1, 0) == (double)ip);
}

static void call_some(int a)
{
	call_steady(a);
	CHECK_EQ(busy(a), a + 2);
	CHECK(busy_mix(a, 3, 0.5) == a * 3 + 0.5);
}

static void *caller(void *arg)
{
	for (int a = 0; !stop; a = (a + 1) % 1000)
		call_some(a);
	return arg;
}

/* Tracing a call never changes errno. */
NOT_TRACED static void on_signal(int number)
{
	const int saved = errno;

	signals++;
	errno = ESTALE;
	call_some(number);
	CHECK_EQ(errno, ESTALE);
	errno = saved;
}

static struct patchbay_ops *create(int fast, int with_exit, struct witness *w)
{
	struct patchbay_ops_attr attr = {
		.size = sizeof(attr),
		.flags = fast ? PATCHBAY_OPS_FAST : 0,
		.handler = fast ? witness : witness_any,
		.data = w,
	};
	struct patchbay_ops *ops;

	if (with_exit) {
		attr.handler = witness_entry;
		attr.exit = fast ? witness_exit : witness_exit_any;
	}
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	return ops;
}

/* The tracer sees the calls between arming and disarming, and no others. */
static void look_through_window(struct patchbay_ops *ops, struct witness *w)
{
	long before = w->in_window;

	w->live = 1;
	CHECK_EQ(patchbay_arm(ops, "window", 0), 1);
	for (int i = 0; i < 10; i++)
		CHECK_EQ(window(i), i - 1);
	CHECK_EQ(patchbay_disarm(ops, "window"), 1);
	w->live = 0;
	window(0);
	CHECK_EQ(w->in_window, before + 10);
	windows++;
}

static void arm_others(struct patchbay_ops *ops, struct witness *w,
		       unsigned int random)
{
	static const char *const globs[] = { "busy*", "*", "plugin_*", "b*y" };
	const char *glob = globs[random % 4];
	unsigned int flags = PATCHBAY_ARM_SKIP |
			     (random & 4 ? PATCHBAY_ARM_FUTURE : 0);
	int nr;

	w->live = 1;
	nr = patchbay_arm(ops, glob, flags);
	CHECK(nr > 0 || (glob == globs[2] && nr == 0));
	if (random & 8)
		usleep(random >> 4 & 0xff);
	if (random & 16)
		return; /* destroying the tracer disarms the function */
	nr = patchbay_disarm(ops, glob);
	CHECK(nr > 0 || nr == -ENOENT);
	w->live = 0;
}

static void bury(struct witness *w, long calls)
{
	if (!w)
		return;
	CHECK_EQ(w->calls, calls);
	memset(w, 0xdd, sizeof(*w));
	free(w);
}

static void *tracer(void *arg)
{
	enum { WATCHED = 16 };
	struct witness *gone[WATCHED] = { 0 };
	long calls[WATCHED] = { 0 };
	unsigned int random = (unsigned int)(uintptr_t)arg;

	for (int i = 0; !stop; i = (i + 1) % WATCHED) {
		struct witness *w = calloc(1, sizeof(*w));
		struct patchbay_ops *ops;

		random = random * 1103515245 + 12345;
		mine = w;
		ops = create(random >> 16 & 1, random >> 22 & 1, w);
		look_through_window(ops, w);
		arm_others(ops, w, random >> 17);
		CHECK_EQ(patchbay_ops_destroy(ops), 0);
		w->live = 0;
		mine = NULL;
		bury(gone[i], calls[i]);
		gone[i] = w;
		calls[i] = w->calls;
		tracers++;
	}
	for (int i = 0; i < WATCHED; i++)
		bury(gone[i], calls[i]);
	return arg;
}

static void *loader(void *arg)
{
	while (!stop) {
		void *library = dlopen(plugin, RTLD_NOW);
		int (*calls_steady)(int), (*calls_busy)(int);

		CHECK(library);
		made++; /* its constructor calls */
		CHECK_EQ(((int (*)(void))dlsym(library, "plugin_loaded"))(), 1);
		calls_steady = (int (*)(int))dlsym(library, "plugin_steady");
		calls_busy = (int (*)(int))dlsym(library, "plugin_busy");
		for (int a = 0; a < 100; a++) {
			made++;
			CHECK_EQ(calls_steady(a), a + 1);
			CHECK_EQ(calls_busy(a), a + 2);
		}
		CHECK_EQ(dlclose(library), 0);
		modules++;
	}
	return arg;
}

/* When a thread ends, a destructor makes its last calls. */
static void last_calls(void *arg)
{
	(void)arg;
	call_some(7);
}

static void *short_life(void *key)
{
	call_some(6);
	pthread_setspecific(*(pthread_key_t *)key, key);
	return NULL;
}

static void *starter(void *arg)
{
	pthread_key_t key;
	pthread_t child;

	CHECK_EQ(pthread_key_create(&key, last_calls), 0);
	while (!stop) {
		CHECK_EQ(pthread_create(&child, NULL, short_life, &key), 0);
		pthread_join(child, NULL);
		threads++;
	}
	pthread_key_delete(key);
	return arg;
}

/*
 * Returns the number of executable mappings, and in *@bad how many of them are
 * writable.
 */
static int executable(long *bad)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	int nr = 0;

	*bad = 0;
	CHECK(maps);
	while (fgets(line, sizeof(line), maps)) {
		const char *mode = strchr(line, ' ');

		CHECK(mode);
		*bad += mode[2] == 'w' && mode[3] == 'x';
		nr += mode[3] == 'x';
	}
	fclose(maps);
	return nr;
}

static void *sampler(void *arg)
{
	while (!stop) {
		long bad;

		executable(&bad);
		bad_samples += bad;
		samples++;
		usleep(5000);
	}
	return arg;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void torture(double seconds)
{
	double end = now() + seconds;
	static void *(*const others[])(void *) = { starter, loader };
	pthread_t sampling;

	stop = 0;
	for (int i = 0; i < NR; i++)
		CHECK_EQ(pthread_create(&thread[i], NULL,
					i < CALLERS ? caller :
					i < STARTER ? tracer :
						      others[i - STARTER],
					(void *)(uintptr_t)i),
			 0);
	pthread_create(&sampling, NULL, sampler, NULL);
	/* On a busy machine some events come late. */
	for (int i = 0; now() < end || !signals || !samples || !modules ||
			!threads;
	     i = (i + 1) % NR) {
		usleep(1000);
		pthread_kill(thread[i], SIGUSR1);
	}
	stop = 1;
	for (int i = 0; i < NR; i++)
		pthread_join(thread[i], NULL);
	pthread_join(sampling, NULL);
	/* Remains of a module are freed when the next one is loaded. */
	for (int i = 0; i < 2; i++) {
		made++;
		dlclose(dlopen(plugin, RTLD_NOW));
	}
}

struct memory {
	size_t allocated;
	long resident; /* pages */
	int executable; /* mappings */
};

/* Sanitizers have their own allocator, and delay the reuse of freed memory. */
size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static struct memory memory(void)
{
	struct memory now = { .allocated = 0 };
	FILE *statm = fopen("/proc/self/statm", "r");
	long bad;

	CHECK(statm);
	now.executable = executable(&bad);
	if (__sanitizer_get_current_allocated_bytes) {
		now.allocated = __sanitizer_get_current_allocated_bytes();
	} else {
		struct mallinfo2 info = mallinfo2();

		/* Return free memory of all arenas to the system. */
		malloc_trim(0);
		now.allocated = info.uordblks + info.hblkhd;
		CHECK_EQ(fscanf(statm, "%*d %ld", &now.resident), 1);
	}
	fclose(statm);
	return now;
}

static void compare_calls(const struct patchbay_ops *ops)
{
	struct patchbay_ops_info info = { .size = sizeof(info) };
	struct patchbay_stats stats = { .size = sizeof(stats) };
	long counted, unseen;

	CHECK_EQ(patchbay_ops_get_info(ops, &info), 0);
	CHECK_EQ(patchbay_get_stats(&stats), 0);
	counted = seen + (long)info.nmissed;
	unseen = (long)stats.unseen; /* of all functions */
	CHECK(seen);
	if (counted <= made && made <= counted + unseen)
		printf("calls: %ld all seen or counted as missed\n", made);
	else
		printf("calls: %ld seen: %ld missed: %ld unseen: %ld\n", made,
		       seen, counted - seen, unseen);
}

int main(int argc, char **argv)
{
	long seconds = argc > 2 ? atol(argv[2]) : 1;
	struct sigaction action = { .sa_handler = on_signal,
				    .sa_flags = SA_RESTART };
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .flags = PATCHBAY_OPS_FAST,
					  .handler = count_steady };
	struct patchbay_ops *ops;
	struct memory before, after;

	CHECK(argc > 1);
	plugin = argv[1];
	alarm(patience(2 * seconds + 600)); /* a hang is a failure */
	/* Linux before 6.3 does not have PR_SET_MDWE. */
	CHECK(!prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) ||
	      errno == EINVAL);
	sigaction(SIGUSR1, &action, NULL);
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_arm(ops, "steady", PATCHBAY_ARM_FUTURE), 1);
	torture(0.5);
	before = memory();
	torture((double)seconds);
	after = memory();
	compare_calls(ops);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);

	CHECK(exits);
	printf("windows: %ld tracers: %ld late: %ld\n", windows, tracers, late);
	printf("modules: %ld threads: %ld signals: %ld\n", modules, threads,
	       signals);
	printf("writable and executable: %ld of %ld samples\n", bad_samples,
	       samples);
	/* The limit is less than a word per tracer; the allocator may cache pages. */
	printf("memory: %s: %ld bytes, %ld pages, %d executable mappings more\n",
	       after.allocated < before.allocated + 16384 &&
			       after.resident < before.resident + 512 &&
			       after.executable == before.executable ?
		       "as before" :
		       "has grown",
	       (long)(after.allocated - before.allocated),
	       after.resident - before.resident,
	       after.executable - before.executable);
	return 0;
}
#endif
