/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Several tracers on one function are each called once per call, in the order of arming
 * and with their own data. Meanwhile, tracers are added and removed.
 */
// RUN: %build %s -o %t %link
// RUN: %t 20000 | FileCheck %s
// CHECK: {{^}}done: {{[1-9][0-9]*}} calls{{$}}

#include "../Inputs/check.h"

#include <patchbay/patchbay.h>

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { NR = 5 };

OPAQUE int shared_function(int a) { return a; }
OPAQUE int other_function(int a) { return a; }

static struct patchbay_ops *ops[NR];
static char order[64];

static void note(uintptr_t ip, uintptr_t parent_ip,
		 const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	char name[2] = { (char)('a' + (long)cell->data) };

	(void)ip;
	(void)parent_ip;
	CHECK_EQ(*patchbay_regs_gp(regs, 0), 7);
	CHECK(cell->ops == ops[(long)cell->data]);
	strcat(order, name);
}

static void expect(const char *names)
{
	order[0] = '\0';
	CHECK_EQ(shared_function(7), 7);
	if (strcmp(order, names)) {
		printf("called %s, not %s\n", order, names);
		exit(1);
	}
}

/* Goes through all transitions between sets; every second tracer is FAST. */
static void one_by_one(void)
{
	for (long i = 0; i < NR; i++) {
		struct patchbay_ops_attr attr = {
			.size = sizeof(attr),
			.flags = i % 2 ? PATCHBAY_OPS_FAST : 0,
			.handler = note,
			.data = (void *)i,
		};

		CHECK_EQ(patchbay_ops_create(&attr, &ops[i]), 0);
	}
	expect("");
	for (int first = 0; first < NR; first++) {
		char names[NR + 1] = "", left[NR + 1];
		int which[NR], nr = 0;

		for (int i = 0; i < NR; i++) {
			int n = which[i] = (first + i) % NR;

			CHECK_EQ(patchbay_arm(ops[n], "shared_*", 0), 1);
			CHECK_EQ(patchbay_arm(ops[n], "shared_*", 0), 0);
			names[nr++] = (char)('a' + n);
			expect(names);
		}
		/*
		 * Remove the first and last tracers alternately, and the middle one at
		 * the end.
		 */
		for (int i = 0; i < NR; i++) {
			int gone = i % 2 ? NR - 1 - i / 2 : i / 2;
			char *at = strchr(names, 'a' + which[gone]);

			strcpy(left, at + 1);
			strcpy(at, left);
			CHECK_EQ(patchbay_disarm(ops[which[gone]], "*"), 1);
			expect(names);
		}
	}
	for (int i = 0; i < NR; i++)
		CHECK_EQ(patchbay_ops_destroy(ops[i]), 0);
}

static atomic_int stop;
static _Atomic long made, seen;
/* A tracer that stays armed sees every call; removed ones never see a late call. */
static _Atomic int live[NR];

static void count(uintptr_t ip, uintptr_t parent_ip,
		  const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	long which = (long)cell->data;

	(void)ip;
	(void)parent_ip;
	(void)regs;
	CHECK(live[which]);
	if (!which)
		seen++;
}

static void *caller(void *arg)
{
	(void)arg;
	while (!stop) {
		CHECK_EQ(shared_function(3), 3);
		CHECK_EQ(other_function(4), 4);
		made++;
	}
	return NULL;
}

static void while_called(long rounds)
{
	pthread_t threads[2];
	unsigned int random = 1;
	int on[NR] = { 0 };

	for (long i = 0; i < NR; i++) {
		struct patchbay_ops_attr attr = {
			.size = sizeof(attr),
			.flags = i % 3 ? 0 : PATCHBAY_OPS_FAST,
			.handler = count,
			.data = (void *)i,
		};

		CHECK_EQ(patchbay_ops_create(&attr, &ops[i]), 0);
	}
	live[0] = 1;
	CHECK_EQ(patchbay_arm(ops[0], "shared_function", 0), 1);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, caller, NULL);
	while (rounds--) {
		int n = 1 + (int)((random = random * 1103515245 + 12345) >> 16) %
				    (NR - 1);

		if (on[n]) {
			CHECK_EQ(patchbay_disarm(ops[n], "*_function"), 2);
			live[n] = 0;
		} else {
			live[n] = 1;
			CHECK_EQ(patchbay_arm(ops[n], "*_function", 0), 2);
		}
		on[n] = !on[n];
	}
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < NR; i++)
		CHECK_EQ(patchbay_ops_destroy(ops[i]), 0);
	CHECK_EQ(made, seen);
	printf("done: %ld calls\n", (long)seen);
}

int main(int argc, char **argv)
{
	one_by_one();
	while_called(argc > 1 ? atol(argv[1]) : 1000);
	return 0;
}
