/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A tracer with a threshold sees only calls that took longer, with correct times, on
 * every type of function, and with other tracers on the function. Arguments and results
 * are unchanged.
 */
// RUN: %build %s -o %t %link
// RUN: %t | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/check.h"

#include <patchbay/exit.h>

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <string.h>

#define NOT_TRACED __attribute__((no_profile_instrument_function))
#define FAST NOT_TRACED GENERAL_REGS

/* In ticks: more than the duration of any call; the delay of some calls. */
#define NEVER (UINT64_MAX / 2)
#define LONG 20000
#define FAR ((uint64_t)1 << 40) /* offset of another CPU's clock */

struct pair {
	long a, b;
};

/* Waits for at least @ticks. */
NOT_TRACED static void spin(uint64_t ticks)
{
	uint64_t start = patchbay_clock();

	while (patchbay_clock() - start < ticks)
		;
}

OPAQUE void timed_0(void) {}
OPAQUE long timed_1(long ticks)
{
	spin((uint64_t)ticks);
	return ~ticks;
}
OPAQUE struct pair timed_3(long a, long b, long c)
{
	return (struct pair){ a + 2 * b, b + 2 * c };
}
OPAQUE long timed_6(long a, long b, long c, long d, long e, long f)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f;
}
OPAQUE long timed_stack(long a, long b, long c, long d, long e, long f, long g,
			long h, long i)
{
	return timed_6(a, b, c, d, e, f) + 7 * g + 8 * h + 9 * i;
}
OPAQUE double timed_double(double x, double y) { return x + 2 * y; }
#define CALLS 7 /* calls made by call_all() */

/* Calls that a tracer has seen. @wrong counts impossible times. */
struct seen {
	long exits, unwound, wrong;
	uint64_t longest;
	uint64_t threshold;
};

static struct seen seen[2];
static struct patchbay_ops *timed[2];
static uint64_t called;
static uint64_t *word; /* session word of the last call */

FAST static void leave(uintptr_t ip, uintptr_t parent_ip,
		       const struct patchbay_cell *cell,
		       struct patchbay_regs *regs)
{
	uint64_t start = *patchbay_session_word(cell, regs);
	uint64_t duration = patchbay_duration(regs);
	struct seen *s = cell->data;

	(void)ip;
	(void)parent_ip;
	word = patchbay_session_word(cell, regs);
	s->exits++;
	s->unwound += patchbay_exit_reason(regs) == PATCHBAY_EXIT_UNWIND;
	s->wrong += start < called || duration > patchbay_clock() - start ||
		    duration < s->threshold;
	if (duration > s->longest)
		s->longest = duration;
}

/* The second tracer sees all calls and has other data in the session word. */
static long others, other_wrong;

FAST static void other_entry(uintptr_t ip, uintptr_t parent_ip,
			     const struct patchbay_cell *cell,
			     struct patchbay_regs *regs)
{
	(void)parent_ip;
	*patchbay_session_word(cell, regs) = ip;
}

FAST static void other_exit(uintptr_t ip, uintptr_t parent_ip,
			    const struct patchbay_cell *cell,
			    struct patchbay_regs *regs)
{
	(void)parent_ip;
	others++;
	other_wrong += *patchbay_session_word(cell, regs) != ip;
}

static void set_threshold(int which, uint64_t ticks)
{
	seen[which].threshold = ticks;
	if (timed[which])
		patchbay_ops_set_threshold(timed[which], ticks);
}

static struct patchbay_ops *create(int which, unsigned int flags)
{
	const struct patchbay_ops_attr attr = {
		.size = sizeof(attr),
		.flags = flags,
		.data = &seen[which],
		.exit = leave,
		.threshold = &seen[which].threshold,
	};
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK(patchbay_arm(ops, "timed_*", 0) > 0);
	timed[which] = ops;
	return ops;
}

static struct patchbay_ops *create_other(unsigned int flags)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.flags = flags,
						.handler = other_entry,
						.exit = other_exit };
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK(patchbay_arm(ops, "timed_*", 0) > 0);
	return ops;
}

static void reset(uint64_t first, uint64_t second)
{
	memset(seen, 0, sizeof(seen));
	set_threshold(0, first);
	set_threshold(1, second);
	others = other_wrong = 0;
	called = patchbay_clock();
}

static void check_seen(int which, long exits)
{
	CHECK_EQ(seen[which].exits, exits);
	CHECK_EQ(seen[which].wrong, 0);
}

NOT_TRACED static void call_all(void)
{
	struct pair pair;

	timed_0();
	CHECK_EQ(timed_1(0), ~0L);
	pair = timed_3(1, 10, 100);
	CHECK_EQ(pair.a, 21);
	CHECK_EQ(pair.b, 210);
	CHECK_EQ(timed_6(1, 2, 3, 4, 5, 6), 91);
	CHECK_EQ(timed_stack(1, 2, 3, 4, 5, 6, 7, 8, 9), 285);
	CHECK(timed_double(1.5, 0.25) == 2);
}

/* Checks a tracer that is alone on its functions or together with others. */
static void check_calls(void)
{
	reset(0, NEVER);
	call_all();
	check_seen(0, CALLS);

	reset(NEVER, NEVER);
	call_all();
	check_seen(0, 0);

	/*
	 * The library reads the threshold at the end of a call. Only this call takes so
	 * long.
	 */
	reset(LONG, NEVER);
	CHECK_EQ(timed_1(LONG), ~LONG);
	check_seen(0, 1);
	CHECK(seen[0].longest >= LONG);
	set_threshold(0, NEVER);
	CHECK_EQ(timed_1(LONG), ~LONG);
	check_seen(0, 1);
}

/* Moves the call's start after its end, as a move to a slower CPU clock may. */
OPAQUE void timed_backwards(uint64_t *start, uint64_t ticks)
{
	if (start)
		*start += ticks;
}

static void check_backwards(void)
{
	const uint64_t thresholds[] = { 1, NEVER, UINT64_MAX };

	reset(0, NEVER);
	timed_backwards(NULL, 0);
	check_seen(0, 1);
	seen[0].longest = 0;
	timed_backwards(word, FAR);
	CHECK_EQ(seen[0].exits, 2);
	CHECK_EQ(seen[0].longest, 0);
	for (int i = 0; i < 3; i++) {
		set_threshold(0, thresholds[i]);
		timed_backwards(word, FAR);
		CHECK_EQ(seen[0].exits, 2);
	}
}

static void check_two(struct patchbay_ops *second)
{
	reset(0, NEVER);
	call_all();
	check_seen(0, CALLS);
	check_seen(1, 0);

	reset(NEVER, LONG);
	CHECK_EQ(timed_1(LONG), ~LONG);
	check_seen(0, 0);
	check_seen(1, 1);

	reset(0, 0);
	call_all();
	check_seen(0, CALLS);
	check_seen(1, CALLS);
	CHECK_EQ(patchbay_ops_destroy(second), 0);
	timed[1] = NULL;
}

/* Functions are left by throw, longjmp() and thread exit. */
static jmp_buf target;

OPAQUE void timed_jump(void) { longjmp(target, 1); }
OPAQUE void timed_end(void) { pthread_exit(NULL); }

static void *end(void *arg)
{
	timed_end();
	return arg;
}

static void check_ways_out(void)
{
	pthread_t thread;

	reset(0, NEVER);
	if (!setjmp(target))
		timed_jump();
	check_seen(0, 0);
	CHECK_EQ(pthread_create(&thread, NULL, end, NULL), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	check_seen(0, 1);
	CHECK_EQ(seen[0].unwound, 1);

	reset(NEVER, NEVER);
	CHECK_EQ(pthread_create(&thread, NULL, end, NULL), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	check_seen(0, 0);
}

/* The first call of a thread takes a different path than later ones. */
static void *call_first(void *arg)
{
	call_all();
	return arg;
}

static void check_first_call(void)
{
	pthread_t thread;

	reset(0, NEVER);
	CHECK_EQ(pthread_create(&thread, NULL, call_first, NULL), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	check_seen(0, CALLS);
}

/* The handler makes traced calls. These count as missed, even if they are short. */
OPAQUE void caller(void) {}

static void call_traced(uintptr_t ip, uintptr_t parent_ip,
			const struct patchbay_cell *cell,
			struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	call_all();
}

static void check_missed(struct patchbay_ops *ops)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = call_traced };
	struct patchbay_ops_info info = { .size = sizeof(info) };
	struct patchbay_ops *outer;
	uint64_t before;

	CHECK_EQ(patchbay_ops_get_info(ops, &info), 0);
	before = info.nmissed;
	CHECK_EQ(patchbay_ops_create(&attr, &outer), 0);
	CHECK_EQ(patchbay_arm(outer, "caller", 0), 1);
	reset(0, NEVER);
	caller();
	check_seen(0, 0);
	CHECK_EQ(patchbay_ops_get_info(ops, &info), 0);
	CHECK_EQ(info.nmissed - before, CALLS);
	CHECK_EQ(patchbay_ops_destroy(outer), 0);
}

static void check_changes(struct patchbay_ops *ops)
{
	reset(0, NEVER);
	CHECK_EQ(patchbay_ops_disable(ops), 0);
	call_all();
	check_seen(0, 0);
	CHECK_EQ(patchbay_ops_enable(ops), 0);
	call_all();
	check_seen(0, CALLS);

	/* A tracer with a threshold has an exit handler, but no entry handler. */
	CHECK_EQ(patchbay_ops_update(ops, other_entry), -EINVAL);
	CHECK_EQ(patchbay_ops_update_both(ops, other_entry, leave), -EINVAL);
	CHECK_EQ(patchbay_ops_update_both(ops, NULL, NULL), -EINVAL);
	reset(0, NEVER);
	CHECK_EQ(patchbay_ops_update_both(ops, NULL, other_exit), 0);
	call_all();
	check_seen(0, 0);
	CHECK_EQ(others, CALLS);
	CHECK_EQ(patchbay_ops_update_both(ops, NULL, leave), 0);
	call_all();
	check_seen(0, CALLS);
}

static void check_refused(void)
{
	static const uint64_t threshold;
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = other_entry,
					  .exit = leave,
					  .threshold = &threshold };
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), -EINVAL);
	attr.exit = NULL;
	CHECK_EQ(patchbay_ops_create(&attr, &ops), -EINVAL);
	attr.handler = NULL;
	CHECK_EQ(patchbay_ops_create(&attr, &ops), -EINVAL);
}

static void check_tracer(unsigned int flags)
{
	struct patchbay_ops *ops = create(0, flags), *other;

	check_calls();
	check_backwards();
	check_ways_out();
	check_first_call();
	check_missed(ops);
	check_changes(ops);
	for (unsigned int more = 0; more <= PATCHBAY_OPS_FAST; more++) {
		check_two(create(1, more));
		other = create_other(more);
		check_calls();
		check_first_call();
		check_missed(ops);
		CHECK_EQ(other_wrong, 0);
		CHECK_EQ(patchbay_ops_destroy(other), 0);
	}
	check_calls();
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	timed[0] = NULL;
	reset(0, NEVER);
	call_all();
	check_seen(0, 0);
}

int main(void)
{
	check_refused();
	check_tracer(0);
	check_tracer(PATCHBAY_OPS_FAST);
	puts("done");
	return 0;
}
