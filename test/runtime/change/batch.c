/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A batch changes several tracers in one transaction. A tracer that stays armed sees
 * every call exactly once, whatever else changes.
 */
// RUN: %build %s -o %t %link
// RUN: %t 2000 | FileCheck %s
// CHECK: {{^}}done: {{[1-9][0-9]*}} calls{{$}}

#include "../Inputs/check.h"

#include <patchbay/patchbay.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

OPAQUE int go_north(int a) { return a; }
OPAQUE int go_south(int a) { return a; }
OPAQUE int go_west(int a) { return a; }

enum { NR = 4 };

static struct patchbay_ops *ops[NR];
static struct patchbay_batch *batch;
static char order[64];

/* A tracer's data is a string: the tracer's letter, or a letter set as cookie. */
static void note(uintptr_t ip, uintptr_t parent_ip,
		 const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)regs;
	strcat(order, cell->data);
}

static void expect(int (*function)(int), const char *names)
{
	order[0] = '\0';
	CHECK_EQ(function(7), 7);
	if (strcmp(order, names)) {
		printf("called %s, not %s\n", order, names);
		exit(1);
	}
}

static void expect_all(const char *north, const char *south, const char *west)
{
	expect(go_north, north);
	expect(go_south, south);
	expect(go_west, west);
}

static int attached;
static int attach_error;

static int attach(void *data, const struct patchbay_module_info *module,
		  struct patchbay_target *targets, size_t nr)
{
	(void)data;
	(void)module;
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(targets[i].data, "x"))
			targets[i].data = "y";
	attached += (int)nr;
	return attach_error;
}

static const struct patchbay_filter *glob(const char *glob)
{
	static struct patchbay_filter filter = { .size = sizeof(filter) };

	filter.glob = glob;
	return &filter;
}

static void create_all(patchbay_handler handler)
{
	static char names[NR][2] = { "a", "b", "c", "d" };

	for (int i = 0; i < NR; i++) {
		struct patchbay_ops_attr attr = {
			.size = sizeof(attr),
			.flags = i % 2 ? PATCHBAY_OPS_FAST : 0,
			.handler = handler,
			.data = names[i],
			.attach = i == 3 ? attach : NULL,
		};

		CHECK_EQ(patchbay_ops_create(&attr, &ops[i]), 0);
	}
}

static void destroy_all(void)
{
	for (int i = 0; i < NR; i++)
		CHECK_EQ(patchbay_ops_destroy(ops[i]), 0);
}

static void arm(int n, const char *name)
{
	CHECK_EQ(patchbay_batch_arm(batch, ops[n], glob(name), 0), 0);
}

static void disarm(int n, const char *name)
{
	CHECK_EQ(patchbay_batch_disarm(batch, ops[n], glob(name)), 0);
}

static void together(void)
{
	const char *const syms[] = { "go_south" };
	void *const x[] = { "x" };
	const struct patchbay_filter with_cookie = {
		.size = sizeof(with_cookie),
		.syms = syms,
		.cookies = x,
		.cnt = 1,
	};

	CHECK_EQ(patchbay_batch_commit(batch), 0); /* nothing to do */

	/* Arm several tracers in one batch, on functions without tracers. */
	arm(0, "go_*th");
	arm(1, "go_north");
	arm(2, "go_west");
	expect_all("", "", "");
	CHECK_EQ(patchbay_batch_commit(batch), 4);
	expect_all("ab", "a", "c");
	CHECK_EQ(patchbay_batch_commit(batch), 0); /* the commit has emptied the batch */

	/* Two tracers leave all their functions, two are added, and one stays. */
	disarm(2, "*");
	disarm(0, "*");
	arm(3, "go_south");
	arm(2, "go_north");
	CHECK_EQ(patchbay_batch_commit(batch), 5);
	expect_all("bc", "d", "");
	CHECK_EQ(attached, 1);

	/* Requests apply in order. A request that a later one reverses has no effect. */
	arm(0, "go_*");
	disarm(0, "go_*th");
	arm(3, "go_west");
	disarm(3, "go_west");
	disarm(1, "go_south"); /* the tracer is not armed there */
	CHECK_EQ(patchbay_batch_commit(batch), 7);
	expect_all("bc", "d", "a");
	CHECK_EQ(attached, 1);

	/*
	 * Disarming and arming again gives the tracer new data, and makes it the last
	 * in call order.
	 */
	disarm(1, "go_north");
	arm(1, "go_north");
	disarm(3, "go_south");
	CHECK_EQ(patchbay_batch_arm(batch, ops[3], &with_cookie, 0), 0);
	CHECK_EQ(patchbay_batch_commit(batch), 4);
	expect_all("cb", "y", "a");
	CHECK_EQ(attached, 2);

	/* Destroying a batch drops its requests. */
	disarm(0, "*");
	patchbay_batch_destroy(batch);
	CHECK_EQ(patchbay_batch_create(&batch), 0);
	CHECK_EQ(patchbay_batch_commit(batch), 0);
	expect_all("cb", "y", "a");
	patchbay_batch_destroy(NULL);
}

/* Copies the bytes that arming may write: prefix and site of each function. */
static void look(unsigned char text[3][24])
{
	int (*const functions[])(int) = { go_north, go_south, go_west };

	for (int i = 0; i < 3; i++)
		memcpy(text[i], (const char *)functions[i] - 16, 24);
}

/* Checks that the batch fails with @error and changes nothing. */
static void fails(int error)
{
	unsigned char before[3][24], after[3][24];

	look(before);
	CHECK_EQ(patchbay_batch_commit(batch), error);
	look(after);
	CHECK(!memcmp(before, after, sizeof(before)));
	expect_all("cb", "y", "a");
}

static void or_nothing(void)
{
	struct patchbay_filter none = { .size = sizeof(none) };

	/* Many requests of all kinds precede the failing request. */
	disarm(0, "*");
	arm(1, "go_*");
	arm(0, "go_*th");
	arm(2, "east");
	fails(-ENOENT);
	fails(-ENOENT); /* the batch still has its requests */
	patchbay_batch_destroy(batch);
	CHECK_EQ(patchbay_batch_create(&batch), 0);

	/* A tracer's @attach refuses the last request. */
	attach_error = -ENOSPC;
	disarm(2, "go_*");
	arm(1, "go_west");
	arm(3, "go_west");
	fails(-ENOSPC);
	attach_error = 0;

	/* An invalid request is not added. */
	CHECK_EQ(patchbay_batch_arm(batch, ops[0], &none, 0), -EINVAL);
	CHECK_EQ(patchbay_batch_arm(batch, ops[0], glob("go_*"), 8), -EINVAL);
	CHECK_EQ(patchbay_batch_disarm(batch, ops[0], &none), -EINVAL);
	CHECK_EQ(patchbay_batch_commit(batch), 3);
	expect_all("b", "y", "abd");
	destroy_all();
	expect_all("", "", "");
}

static int refused;

static void commit(uintptr_t ip, uintptr_t parent_ip,
		   const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	refused = patchbay_batch_commit(batch);
}

static void from_handler(void)
{
	create_all(commit);
	CHECK_EQ(patchbay_arm(ops[0], "go_north", 0), 1);
	disarm(0, "*");
	go_north(1);
	CHECK_EQ(refused, -EDEADLK);
	CHECK_EQ(patchbay_batch_commit(batch), 1);
	destroy_all();
}

static atomic_int stop;
static _Atomic long made, seen[NR];
static _Atomic int live[NR];

/*
 * Each tracer's data points to a flag that is 1 while the tracer may be called. A late
 * call of a removed tracer would read 0.
 */
static void count(uintptr_t ip, uintptr_t parent_ip,
		  const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	_Atomic int *alive = cell->data;

	(void)ip;
	(void)parent_ip;
	(void)regs;
	CHECK(*alive);
	for (int i = 0; i < 2; i++)
		if (cell->ops == ops[i])
			seen[i]++;
}

static void *caller(void *arg)
{
	(void)arg;
	while (!stop) {
		CHECK_EQ(go_north(3), 3);
		CHECK_EQ(go_south(4), 4);
		CHECK_EQ(go_west(5), 5);
		made++;
	}
	return NULL;
}

/*
 * Each batch keeps tracer 0 on one function and replaces tracer 1 on another. Tracers 0
 * and 1 see every call. Other tracers are added and removed.
 */
static void while_called(long rounds)
{
	static _Atomic int generation[2];
	const char *const syms[] = { "go_south" };
	void *cookie[1];
	const struct patchbay_filter south = {
		.size = sizeof(south),
		.syms = syms,
		.cookies = cookie,
		.cnt = 1,
	};
	pthread_t threads[2];
	unsigned int random = 1;

	for (int i = 0; i < NR; i++) {
		struct patchbay_ops_attr attr = {
			.size = sizeof(attr),
			.flags = i % 3 ? PATCHBAY_OPS_FAST : 0,
			.handler = count,
			.data = (void *)&live[i],
		};

		CHECK_EQ(patchbay_ops_create(&attr, &ops[i]), 0);
	}
	live[0] = generation[0] = 1;
	cookie[0] = (void *)&generation[0];
	arm(0, "go_north");
	CHECK_EQ(patchbay_batch_arm(batch, ops[1], &south, 0), 0);
	CHECK_EQ(patchbay_batch_commit(batch), 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, caller, NULL);
	/* On a slow machine the first call may come after all rounds. */
	for (long round = 1; round <= rounds || !made; round++) {
		int armed[NR] = { 0 };

		generation[round % 2] = 1;
		cookie[0] = (void *)&generation[round % 2];
		CHECK_EQ(patchbay_batch_disarm(batch, ops[1], &south), 0);
		CHECK_EQ(patchbay_batch_arm(batch, ops[1], &south, 0), 0);
		for (int i = 2; i < NR; i++) {
			random = random * 1103515245 + 12345;
			armed[i] = random >> 16 & 1;
			live[i] |= armed[i];
			disarm(i, "go_*");
			if (armed[i])
				arm(i, random >> 17 & 1 ? "go_*" : "go_*th");
		}
		CHECK(patchbay_batch_commit(batch) >= 2);
		generation[(round + 1) % 2] = 0;
		for (int i = 2; i < NR; i++)
			live[i] = armed[i];
	}
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	destroy_all();
	CHECK_EQ(made, seen[0]);
	CHECK_EQ(made, seen[1]);
	printf("done: %ld calls\n", (long)made);
}

/* Arms and disarms in one batch, in a module where nothing was armed before. */
static void there_and_back(void)
{
	CHECK_EQ(patchbay_batch_arm(batch, ops[0], glob("go_*"), 0), 0);
	CHECK_EQ(patchbay_batch_disarm(batch, ops[0], glob("go_?o*")), 0);
	CHECK_EQ(patchbay_batch_commit(batch), 5);
	expect_all("", "", "a");
	CHECK_EQ(patchbay_disarm(ops[0], "go_*"), 1);
}

int main(int argc, char **argv)
{
	CHECK_EQ(patchbay_batch_create(&batch), 0);
	create_all(note);
	there_and_back();
	together();
	or_nothing();
	from_handler();
	while_called(argc > 1 ? atol(argv[1]) : 100);
	patchbay_batch_destroy(batch);
	return 0;
}
