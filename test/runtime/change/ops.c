/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tracers can be replaced, disabled and enabled while threads call, without writing
 * text. The file also tests information about tracers, and arming in future modules.
 */
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t.so
// RUN: %build %s -o %t %link
// RUN: %t %t.so 2000 | FileCheck %s
// CHECK: {{^}}done: {{[1-9][0-9]*}} calls{{$}}

#include "../Inputs/check.h"

#ifdef LIBRARY
OPAQUE int violet(int a) { return a; }
OPAQUE int viola(int a) { return a; }
#else

#include <patchbay/patchbay.h>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

OPAQUE int rose(int a) { return a; }
OPAQUE int tulip(int a) { return a; }
OPAQUE int aster(int a) { return a; } /* never called */

static _Atomic int first_calls, second_calls, first_over, off;

static void first(uintptr_t ip, uintptr_t parent_ip,
		  const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)regs;
	CHECK(!first_over);
	CHECK(!off);
	CHECK(*(int *)cell->data == 42);
	first_calls++;
}

static void second(uintptr_t ip, uintptr_t parent_ip,
		   const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)regs;
	CHECK(!off);
	CHECK(*(int *)cell->data == 42);
	second_calls++;
}

static int calls(void)
{
	int sum = first_calls + second_calls;

	first_calls = second_calls = 0;
	return sum;
}

static struct patchbay_ops *create(unsigned int flags, patchbay_handler handler)
{
	static int data = 42;
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .flags = flags,
					  .handler = handler,
					  .data = &data };
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	return ops;
}

static struct patchbay_ops_info info_of(const struct patchbay_ops *ops)
{
	struct patchbay_ops_info info = { .size = sizeof(info) };

	CHECK_EQ(patchbay_ops_get_info(ops, &info), 0);
	return info;
}

static void changed(unsigned int flags, unsigned int others_flags)
{
	struct patchbay_ops *ops = create(flags, first);
	struct patchbay_ops *other = create(others_flags, second);
	struct patchbay_ops_info info, larger[2];

	/*
	 * The tracer is alone on one function, and shares the second function with
	 * another tracer.
	 */
	CHECK_EQ(patchbay_arm(ops, "rose", 0), 1);
	CHECK_EQ(patchbay_arm(ops, "tulip", 0), 1);
	CHECK_EQ(patchbay_arm(other, "tulip", 0), 1);
	rose(1);
	tulip(1);
	CHECK_EQ(first_calls, 2);
	CHECK_EQ(calls(), 3);

	CHECK_EQ(patchbay_ops_disable(ops), 0);
	CHECK_EQ(patchbay_ops_disable(ops), 0);
	rose(1);
	tulip(1);
	CHECK_EQ(second_calls, 1);
	CHECK_EQ(calls(), 1);
	memset(larger, 0xff, sizeof(larger));
	larger[0].size = sizeof(larger);
	CHECK_EQ(patchbay_ops_get_info(ops, larger), 0);
	CHECK_EQ(larger[0].armed, 2);
	CHECK_EQ(larger[1].armed, 0); /* unknown fields are set to 0 */
	info = info_of(ops);
	CHECK_EQ(info.enabled, 0);
	CHECK_EQ(info.armed, 2);
	CHECK_EQ(info.flags, flags);

	/* A disabled tracer accepts all operations. Its handlers are not called. */
	CHECK_EQ(patchbay_disarm(ops, "tulip"), 1);
	CHECK_EQ(patchbay_arm(ops, "tulip", 0), 1);
	CHECK_EQ(patchbay_disarm(ops, "rose"), 1);
	CHECK_EQ(patchbay_arm(ops, "rose", 0), 1);
	rose(1);
	tulip(1);
	CHECK_EQ(calls(), 1);
	CHECK_EQ(patchbay_ops_update(ops, second), 0);
	rose(1);
	tulip(1);
	CHECK_EQ(calls(), 1);

	CHECK_EQ(patchbay_ops_enable(ops), 0);
	CHECK_EQ(patchbay_ops_enable(ops), 0);
	CHECK_EQ(info_of(ops).enabled, 1);
	rose(1);
	tulip(1);
	CHECK_EQ(second_calls, 3);
	calls();
	CHECK_EQ(patchbay_ops_update(ops, first), 0);
	rose(1);
	tulip(1);
	CHECK_EQ(first_calls, 2);
	CHECK_EQ(calls(), 3);

	/* The tracer is alone again, but still in a set. */
	CHECK_EQ(patchbay_ops_destroy(other), 0);
	CHECK_EQ(patchbay_ops_update(ops, second), 0);
	tulip(1);
	CHECK_EQ(second_calls, 1);
	CHECK_EQ(patchbay_ops_disable(ops), 0);
	tulip(1);
	CHECK_EQ(calls(), 1);
	other = create(others_flags, first);
	CHECK_EQ(patchbay_arm(other, "tulip", 0), 1);
	CHECK_EQ(patchbay_ops_enable(ops), 0);
	tulip(1);
	CHECK_EQ(first_calls, 1);
	CHECK_EQ(calls(), 2);
	CHECK_EQ(patchbay_ops_update(ops, NULL), -EINVAL);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	CHECK_EQ(patchbay_ops_destroy(other), 0);
	CHECK_EQ(calls(), 0);
}

static int inner_calls;

/* Calls a traced function from a handler. The tracers miss that call. */
static void call_inner(uintptr_t ip, uintptr_t parent_ip,
		       const struct patchbay_cell *cell,
		       struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	inner_calls++;
	tulip(1);
}

static void nested(void)
{
	struct patchbay_ops *outer = create(0, call_inner);
	struct patchbay_ops *any = create(0, first);
	struct patchbay_ops *fast = create(PATCHBAY_OPS_FAST, second);

	CHECK_EQ(patchbay_arm(outer, "rose", 0), 1);
	CHECK_EQ(patchbay_arm(any, "tulip", 0), 1);
	rose(1); /* one tracer */
	CHECK_EQ(calls(), 0);
	CHECK_EQ(patchbay_arm(fast, "tulip", 0), 1);
	rose(1); /* a set */
	rose(1);
	CHECK_EQ(inner_calls, 3);
	CHECK_EQ(second_calls, 0);
	CHECK_EQ(calls(), 0);
	CHECK_EQ(info_of(any).nmissed, 3);
	CHECK_EQ(info_of(fast).nmissed, 2);
	CHECK_EQ(info_of(outer).nmissed, 0);
	/* A disabled tracer would not see these calls, so none counts as missed. */
	CHECK_EQ(patchbay_ops_disable(any), 0);
	rose(1);
	CHECK_EQ(info_of(any).nmissed, 3);
	CHECK_EQ(info_of(fast).nmissed, 3);
	CHECK_EQ(patchbay_ops_destroy(outer), 0);
	CHECK_EQ(patchbay_ops_destroy(any), 0);
	CHECK_EQ(patchbay_ops_destroy(fast), 0);
}

static int from_handler[4];

static void call_library(uintptr_t ip, uintptr_t parent_ip,
			 const struct patchbay_cell *cell,
			 struct patchbay_regs *regs)
{
	struct patchbay_ops_info info = { .size = sizeof(info) };

	(void)ip;
	(void)parent_ip;
	(void)regs;
	from_handler[0] = patchbay_ops_update(cell->ops, first);
	from_handler[1] = patchbay_ops_disable(cell->ops);
	from_handler[2] = patchbay_ops_enable(cell->ops);
	from_handler[3] = patchbay_ops_get_info(cell->ops, &info);
}

static void refused(void)
{
	struct patchbay_ops *ops = create(0, call_library);
	struct patchbay_ops_info info = { .size = PATCHBAY_OPS_INFO_SIZE_VER0 - 1 };

	CHECK_EQ(patchbay_ops_get_info(ops, &info), -EINVAL);
	CHECK_EQ(patchbay_arm(ops, "rose", 0), 1);
	rose(1);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(from_handler[i], -EDEADLK);
	CHECK_EQ(from_handler[3], 0); /* this call only reads */
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
}

static int attach_error;

static int attach(void *data, const struct patchbay_module_info *module,
		  struct patchbay_target *targets, size_t nr)
{
	(void)data;
	(void)module;
	(void)targets;
	(void)nr;
	return attach_error;
}

static void call_violets(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);

	CHECK(library);
	((int (*)(int))dlsym(library, "violet"))(1);
	((int (*)(int))dlsym(library, "viola"))(1);
	CHECK_EQ(dlclose(library), 0);
}

/* Arms functions of a future module by all types of filters. */
static void future(const char *path)
{
	static int data = 42;
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = first,
					  .data = &data,
					  .attach = attach };
	const char *const syms[] = { "violet", "rose", "daisy", "lily" };
	void *const cookies[] = { &data, &data, &data };
	struct patchbay_filter by_name = { .size = sizeof(by_name),
					   .syms = syms,
					   .cookies = cookies,
					   .cnt = 3 };
	const struct patchbay_filter not = { .size = sizeof(not),
					     .glob = "violet" };
	struct patchbay_filter by_regex = { .size = sizeof(by_regex),
					    .regex = "^viol",
					    .notrace = &not };
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_arm_filter(ops, &by_name, PATCHBAY_ARM_FUTURE), 1);
	CHECK_EQ(patchbay_arm_filter(ops, &by_regex, PATCHBAY_ARM_FUTURE), 0);
	call_violets(path);
	CHECK_EQ(calls(), 2);
	CHECK_EQ(info_of(ops).future_error, 0);
	CHECK_EQ(info_of(ops).armed, 1);

	attach_error = -ENOSPC;
	call_violets(path);
	CHECK_EQ(calls(), 0);
	CHECK_EQ(info_of(ops).future_error, -ENOSPC);
	attach_error = 0;

	/* Only an equal filter cancels a filter; cookies are not compared. */
	by_name.cnt = 2;
	CHECK_EQ(patchbay_disarm_filter(ops, &by_name), 1);
	call_violets(path);
	CHECK_EQ(calls(), 2);
	by_name.cookies = NULL;
	by_name.cnt = 4;
	CHECK_EQ(patchbay_disarm_filter(ops, &by_name), -ENOENT);
	call_violets(path);
	CHECK_EQ(calls(), 2);
	by_name.cnt = 3;
	CHECK_EQ(patchbay_disarm_filter(ops, &by_name), -ENOENT);
	call_violets(path);
	CHECK_EQ(calls(), 1);
	by_regex.notrace = NULL;
	CHECK_EQ(patchbay_disarm_filter(ops, &by_regex), -ENOENT);
	call_violets(path);
	CHECK_EQ(calls(), 1);
	by_regex.notrace = &not;
	CHECK_EQ(patchbay_disarm_filter(ops, &by_regex), -ENOENT);
	call_violets(path);
	CHECK_EQ(calls(), 0);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
}

static atomic_int in_handler, left_handler, stop;

static void linger(uintptr_t ip, uintptr_t parent_ip,
		   const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	in_handler = 1;
	usleep(20000);
	left_handler = 1;
}

static void *call_rose(void *arg)
{
	rose(1);
	return arg;
}

/*
 * A thread is in the handler that is removed. The removal returns after the thread has
 * left.
 */
static void waits(int which)
{
	struct patchbay_ops *ops = create(0, linger);
	pthread_t thread;

	in_handler = left_handler = 0;
	CHECK_EQ(patchbay_arm(ops, "rose", 0), 1);
	pthread_create(&thread, NULL, call_rose, NULL);
	while (!in_handler)
		sched_yield();
	CHECK_EQ(which == 0 ? patchbay_ops_update(ops, second) :
		 which == 1 ? patchbay_ops_disable(ops) :
			      patchbay_ops_destroy(ops), 0);
	CHECK(left_handler);
	pthread_join(thread, NULL);
	if (which < 2)
		CHECK_EQ(patchbay_ops_destroy(ops), 0);
}

extern const struct patchbay_module __patchbay_module
	__attribute__((visibility("hidden")));

/* The same after the module was unloaded. The module's text stays mapped, as at exit. */
static void waits_for_gone(void)
{
	struct patchbay_ops *ops = create(0, linger);
	pthread_t thread;

	in_handler = left_handler = 0;
	CHECK_EQ(patchbay_arm(ops, "rose", 0), 1);
	pthread_create(&thread, NULL, call_rose, NULL);
	while (!in_handler)
		sched_yield();
	CHECK_EQ(patchbay_module_unregister(&__patchbay_module), 0);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	CHECK(left_handler);
	pthread_join(thread, NULL);
	rose(1);
	CHECK_EQ(patchbay_module_register(&__patchbay_module), 0);
}

static void *caller(void *arg)
{
	while (!stop) {
		rose(1);
		tulip(1);
	}
	return arg;
}

/* Other threads change tracers at the same time; the library serializes changes. */
static void *changer(void *arg)
{
	while (!stop) {
		struct patchbay_ops *ops = create(PATCHBAY_OPS_FAST, second);

		CHECK_EQ(patchbay_arm(ops, "aster", 0), 1);
		CHECK_EQ(patchbay_ops_disable(ops), 0);
		CHECK_EQ(patchbay_ops_destroy(ops), 0);
	}
	return arg;
}

/* After a removal has returned, the removed tracer is not called. */
static void while_called(int rounds)
{
	struct patchbay_ops *ops = create(PATCHBAY_OPS_FAST, first);
	struct patchbay_ops *other = create(0, second);
	pthread_t threads[3];
	int sum = 0;

	CHECK_EQ(patchbay_arm(ops, "rose", 0), 1);
	CHECK_EQ(patchbay_arm(ops, "tulip", 0), 1);
	CHECK_EQ(patchbay_arm(other, "tulip", 0), 1);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, caller, NULL);
	pthread_create(&threads[2], NULL, changer, NULL);
	while (!first_calls)
		sched_yield();
	while (rounds--) {
		CHECK_EQ(patchbay_ops_update(ops, second), 0);
		first_over = 1;
		sum += calls();
		first_over = 0;
		CHECK_EQ(patchbay_ops_update(ops, first), 0);
		CHECK_EQ(patchbay_ops_disable(other), 0);
		CHECK_EQ(patchbay_ops_disable(ops), 0);
		off = 1;
		sum += calls();
		off = 0;
		CHECK_EQ(patchbay_ops_enable(other), 0);
		CHECK_EQ(patchbay_ops_enable(ops), 0);
	}
	stop = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	CHECK_EQ(patchbay_ops_destroy(other), 0);
	printf("done: %d calls\n", sum);
}

int main(int argc, char **argv)
{
	CHECK(argc > 2);
	for (unsigned int i = 0; i < 4; i++)
		changed(i & 1 ? PATCHBAY_OPS_FAST : 0,
			i & 2 ? PATCHBAY_OPS_FAST : 0);
	nested();
	refused();
	future(argv[1]);
	for (int i = 0; i < 3; i++)
		waits(i);
	while_called(atoi(argv[2]));
	waits_for_gone();
	return 0;
}
#endif
