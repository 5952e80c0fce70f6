/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions that share cells get other tracers, some of them or all, while threads call
 * them:
 *
 *	shared PLUGIN [ROUNDS]
 *
 * Four tracers are armed and disarmed on random subsets of 200 functions of three
 * shapes. They have an entry handler, both handlers, an exit handler, or separate data
 * per function (in cells next to shared ones). If a tracer is armed on a function, each
 * of its handlers is called exactly once per call; otherwise, never. Data match the
 * function. An exit handler is called only if the entry handler was called, and only if
 * the tracer was not armed or rearmed while the body ran. At the same time, a module
 * with as many functions is loaded, armed and unloaded.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t/plugin.so
// RUN: %build %s -o %t/shared %link
// RUN: %t/shared %t/plugin.so 4000 | FileCheck %s
// CHECK: {{^}}calls: {{[1-9][0-9]*}} known: {{[1-9][0-9]*}} exits: {{[1-9][0-9]*}} late: {{[1-9][0-9]*}}{{$}}
// CHECK-NEXT: {{^}}bytes for each function: {{([0-9]|1[0-6])}}{{$}}

#include "../Inputs/check.h"
#include "../Inputs/repeat.h"

#include <stdint.h>

/* Functions with a long body call this one. */
static void (*volatile body)(void);

static void run_body(void)
{
	void (*now)(void) = body;

	if (now)
		now();
}

#define ONE(n)                                                                 \
	OPAQUE static long one##n(long a)                                             \
	{                                                                      \
		run_body();                                                    \
		return a + 1;                                                  \
	}
#define THREE(n)                                                               \
	OPAQUE static long three##n(long a, long b, long c)                           \
	{                                                                      \
		run_body();                                                    \
		return a + b + c + 1;                                          \
	}
/*
 * Functions of this type return their result in another register than those above. The
 * type is double where long double is IEEE binary128 (ppc64le): functions that return
 * binary128 in a vector register have no exits (../../llvm-pass/README.md).
 */
#ifdef __LONG_DOUBLE_IEEE128__
typedef double real;
#else
typedef long double real;
#endif
#define REAL(n)                                                                \
	OPAQUE static real real##n(real a)                                            \
	{                                                                      \
		run_body();                                                    \
		return a + 1;                                                  \
	}
X64(ONE, _) X64(THREE, _) X64(REAL, _)

#define ADDRESS_ONE(n) (uintptr_t)one##n,
#define ADDRESS_THREE(n) (uintptr_t)three##n,
#define ADDRESS_REAL(n) (uintptr_t)real##n,
static const uintptr_t own[] = { X64(ADDRESS_ONE, _) X64(ADDRESS_THREE, _)
				 X64(ADDRESS_REAL, _) };
enum { NR = sizeof(own) / sizeof(own[0]) };

#ifdef LIBRARY
const uintptr_t *plugin_functions(void) { return own; }
#else

#include <patchbay/exit.h>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#define UNTRACED __attribute__((no_profile_instrument_function))

/* The number of integer registers for a long double argument. */
#ifdef __riscv
#define LONG_DOUBLE_ARGS 2
#else
#define LONG_DOUBLE_ARGS 0
#endif

static UNTRACED void call(uintptr_t function, int which)
{
	if (which < NR / 3)
		CHECK_EQ(((long (*)(long))function)(1), 2);
	else if (which < NR / 3 * 2)
		CHECK_EQ(((long (*)(long, long, long))function)(1, 2, 3), 7);
	else
		CHECK(((real (*)(real))function)(1.5) == 2.5);
}

/*
 * The state of a tracer on a function: twice the number of changes, plus 1 during a
 * change, plus ARMED if it is armed.
 */
enum { ENTRY, BOTH, EXIT, OWN, NR_TRACERS };
#define ARMED 0x80000000u
static _Atomic unsigned int states[NR_TRACERS][NR];

/*
 * The function that this thread is calling, and the number of handlers that saw the
 * call.
 */
static _Thread_local volatile int which, seen[NR_TRACERS], exits[NR_TRACERS];
static _Thread_local unsigned int seed;
static _Atomic long calls, known, told, late;
static atomic_int stop;

static struct patchbay_ops *tracers[NR_TRACERS];

static UNTRACED unsigned int chance(void)
{
	/* Marsaglia's xorshift; the low bits of simpler generators follow a pattern. */
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed >> 8;
}

static UNTRACED int index_of(uintptr_t ip)
{
	/* Functions are called one at a time and call no traced function. */
	CHECK(ip == own[which]);
	return which;
}

static UNTRACED void check_state(int tracer, int i)
{
	unsigned int state = states[tracer][i];

	/* The tracer is armed on the function, or is being changed. */
	CHECK(state & (ARMED | 1));
}

#define HANDLER(name)                                                          \
	static UNTRACED void name(uintptr_t ip, uintptr_t parent_ip,           \
				  const struct patchbay_cell *cell,            \
				  struct patchbay_regs *regs)

HANDLER(on_entry)
{
	int i = index_of(ip);

	(void)parent_ip;
	(void)regs;
	check_state(ENTRY, i);
	CHECK(cell->ops == tracers[ENTRY] && !cell->data);
	CHECK_EQ(cell->record->gp_args, i < NR / 3	? 1 :
					i < NR / 3 * 2 ? 3 :
							 LONG_DOUBLE_ARGS);
	seen[ENTRY]++;
}

HANDLER(on_both)
{
	(void)parent_ip;
	check_state(BOTH, index_of(ip));
	CHECK(cell->ops == tracers[BOTH]);
	*patchbay_session_word(cell, regs) = ip ^ 0x5a5a5a5a;
	seen[BOTH]++;
}

HANDLER(on_both_exit)
{
	(void)parent_ip;
	check_state(BOTH, index_of(ip));
	CHECK(*patchbay_session_word(cell, regs) == (ip ^ 0x5a5a5a5a));
	*patchbay_session_word(cell, regs) = 0;
	exits[BOTH]++;
}

HANDLER(on_exit_alone)
{
	(void)parent_ip;
	(void)regs;
	check_state(EXIT, index_of(ip));
	CHECK(cell->ops == tracers[EXIT]);
	exits[EXIT]++;
}

HANDLER(on_own)
{
	int i = index_of(ip);

	(void)parent_ip;
	(void)regs;
	check_state(OWN, i);
	CHECK(cell->data == (void *)&own[i]);
	seen[OWN]++;
}

/* Makes the body of some functions take some time. */
static UNTRACED void dawdle(void)
{
	if (chance() % 4)
		return;
	for (unsigned int n = chance() % 8; n--;)
		sched_yield();
}

/* Calls a function, and checks which tracers have seen the call. */
static UNTRACED void try(int i)
{
	unsigned int before[NR_TRACERS];

	which = i;
	for (int t = 0; t < NR_TRACERS; t++) {
		seen[t] = exits[t] = 0;
		before[t] = states[t][i];
	}
	call(own[i], i);
	calls++;
	for (int t = 0; t < NR_TRACERS; t++) {
		int armed = (before[t] & ARMED) != 0;

		if (before[t] & 1 || states[t][i] != before[t]) {
			/* Each exit has an entry; no handler was called twice. */
			if (t == BOTH)
				CHECK(exits[t] <= seen[t]);
			CHECK(exits[t] <= 1 && seen[t] <= 1);
			late += t == BOTH && exits[t] < seen[t];
			continue;
		}
		known++;
		CHECK_EQ(seen[t], armed && t != EXIT);
		CHECK_EQ(exits[t], armed && (t == EXIT || t == BOTH));
		told += exits[t];
	}
}

static UNTRACED void *caller(void *arg)
{
	seed = (unsigned int)(uintptr_t)arg * 2654435761u;
	while (!stop)
		try((int)(chance() % NR));
	return NULL;
}

/* Chooses some functions: a range, each n-th, one, or all. */
static int choose(const uintptr_t *from, uintptr_t *some, void **cookies)
{
	int first = 0, last = NR, step = 1, nr = 0;

	switch (chance() % 5) {
	case 0:
		first = (int)(chance() % NR);
		last = first + (int)(chance() % (unsigned int)(NR - first)) + 1;
		break;
	case 1:
		first = (int)(chance() % 7);
		step = 2 + (int)(chance() % 5);
		break;
	case 2:
		first = (int)(chance() % NR);
		last = first + 1;
		break;
	case 3:
		last = NR / 3;
		break;
	}
	for (int i = first; i < last; i += step) {
		some[nr] = from[i];
		cookies[nr++] = (void *)&own[i];
	}
	return nr;
}

static void begin_change(int tracer, const uintptr_t *some, int nr, int arm)
{
	for (int i = 0, j = 0; j < nr; i++) {
		if (own[i] != some[j])
			continue;
		j++;
		if (((states[tracer][i] & ARMED) != 0) != arm)
			states[tracer][i]++;
	}
}

static void end_change(int tracer, const uintptr_t *some, int nr, int arm)
{
	for (int i = 0, j = 0; j < nr; i++) {
		if (own[i] != some[j])
			continue;
		j++;
		if (states[tracer][i] & 1)
			states[tracer][i] = (states[tracer][i] + 1) &
						    ~ARMED |
					    (arm ? ARMED : 0);
	}
}

static void change(int tracer)
{
	static uintptr_t some[NR];
	static void *cookies[NR];
	int arm = chance() % 2;
	struct patchbay_filter filter = { .size = sizeof(filter),
					  .addrs = some };
	int error;

	filter.cnt = (size_t)choose(own, some, cookies);
	begin_change(tracer, some, (int)filter.cnt, arm);
	if (arm && tracer == OWN)
		filter.cookies = cookies;
	if (arm)
		error = patchbay_arm_filter(tracers[tracer], &filter, 0);
	else
		error = patchbay_disarm_filter(tracers[tracer], &filter);
	/* The only valid error: nothing was armed there. */
	if (error != -ENOENT)
		CHECK_EQ(error < 0 ? error : 0, 0);
	end_change(tracer, some, (int)filter.cnt, arm);
}

/* One batch removes a tracer and adds another, while a third one stays. */
static void exchange(void)
{
	static uintptr_t some[NR];
	static void *cookies[NR];
	struct patchbay_filter filter = { .size = sizeof(filter),
					  .addrs = some };
	struct patchbay_batch *batch;

	filter.cnt = (size_t)choose(own, some, cookies);
	begin_change(ENTRY, some, (int)filter.cnt, 0);
	begin_change(BOTH, some, (int)filter.cnt, 1);
	CHECK_EQ(patchbay_batch_create(&batch), 0);
	CHECK_EQ(patchbay_batch_disarm(batch, tracers[ENTRY], &filter), 0);
	CHECK_EQ(patchbay_batch_arm(batch, tracers[BOTH], &filter, 0), 0);
	CHECK(patchbay_batch_commit(batch) >= 0);
	patchbay_batch_destroy(batch);
	end_change(ENTRY, some, (int)filter.cnt, 0);
	end_change(BOTH, some, (int)filter.cnt, 1);
}

static struct patchbay_ops *make(int tracer)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .flags = PATCHBAY_OPS_FAST };
	struct patchbay_ops *ops;

	switch (tracer) {
	case ENTRY:
		attr.flags = 0;
		attr.handler = on_entry;
		break;
	case BOTH:
		attr.flags = 0;
		attr.handler = on_both;
		attr.exit = on_both_exit;
		break;
	case EXIT:
		attr.flags = 0;
		attr.exit = on_exit_alone;
		break;
	case OWN:
		attr.flags = 0;
		attr.handler = on_own;
	}
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	return ops;
}

/* Counts calls in a module that is unloaded while tracers are armed there. */
static long plugin_calls, plugin_exits;

HANDLER(count)
{
	(void)ip, (void)parent_ip, (void)cell, (void)regs;
	plugin_calls++;
}

HANDLER(count_exit)
{
	(void)ip, (void)parent_ip, (void)cell, (void)regs;
	plugin_exits++;
}

static void visit_plugin(const char *path)
{
	static uintptr_t some[NR];
	static void *cookies[NR];
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = count };
	struct patchbay_filter filter = { .size = sizeof(filter),
					  .addrs = some };
	void *plugin = dlopen(path, RTLD_NOW);
	const uintptr_t *(*functions)(void);
	struct patchbay_ops *first, *second;
	const uintptr_t *theirs;
	long nr_first = 0, nr_second;

	CHECK(plugin);
	functions = (const uintptr_t *(*)(void))dlsym(plugin,
						      "plugin_functions");
	theirs = functions();
	CHECK_EQ(patchbay_ops_create(&attr, &first), 0);
	attr.exit = count_exit;
	CHECK_EQ(patchbay_ops_create(&attr, &second), 0);
	filter.addrs = theirs;
	filter.cnt = NR;
	CHECK_EQ(patchbay_arm_filter(first, &filter, 0), NR);
	filter.addrs = some;
	filter.cnt = (size_t)choose(theirs, some, cookies);
	nr_second = patchbay_arm_filter(second, &filter, 0);
	CHECK_EQ(nr_second, filter.cnt);
	filter.cnt = (size_t)choose(theirs, some, cookies);
	nr_first = NR - patchbay_disarm_filter(first, &filter);
	plugin_calls = plugin_exits = 0;
	for (int i = 0; i < NR; i++)
		call(theirs[i], i);
	CHECK_EQ(plugin_calls, nr_first + nr_second);
	CHECK_EQ(plugin_exits, nr_second);
	if (chance() % 2)
		CHECK_EQ(patchbay_ops_destroy(first), 0);
	dlclose(plugin);
	CHECK_EQ(patchbay_ops_destroy(second), 0);
}

static uint64_t memory(void)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	CHECK_EQ(patchbay_get_stats(&stats), 0);
	return stats.memory;
}

/* Tracers that are armed on all functions need one cell per shape. */
static void weigh(void)
{
	uint64_t before = memory(), after;

	for (int t = 0; t < OWN; t++) {
		struct patchbay_filter filter = { .size = sizeof(filter),
						  .addrs = own,
						  .cnt = NR };

		tracers[t] = make(t);
		CHECK_EQ(patchbay_arm_filter(tracers[t], &filter, 0), NR);
	}
	after = memory();
	for (int t = 0; t < OWN; t++)
		CHECK_EQ(patchbay_ops_destroy(tracers[t]), 0);
	printf("bytes for each function: %d\n", (int)((after - before) / NR));
}

int main(int argc, char **argv)
{
	int rounds = argc > 2 ? atoi(argv[2]) : 100;
	pthread_t threads[3];

	body = dawdle;
	patchbay_set_wait_limit(patience(PATCHBAY_WAIT_LIMIT));
	seed = 7;
	for (int t = 0; t < NR_TRACERS; t++)
		tracers[t] = make(t);
	for (uintptr_t i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, caller, (void *)(i + 1));
	for (int n = 0; n < rounds; n++) {
		if (chance() % 4)
			change((int)(chance() % NR_TRACERS));
		else
			exchange();
		if (n % 32 == 0)
			visit_plugin(argv[1]);
		for (long enough = calls + 100; calls < enough;)
			sched_yield();
	}
	stop = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	for (int t = 0; t < NR_TRACERS; t++)
		CHECK_EQ(patchbay_ops_destroy(tracers[t]), 0);
	printf("calls: %ld known: %ld exits: %ld late: %ld\n", calls, known, told,
	       late);
	body = NULL;
	weigh();
	return 0;
}
#endif
