/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * With PATCHBAY_OPS_MODULE_DATA, a tracer gives all functions of a module the same data,
 * and its callback runs once. The functions share cells, whether they are many or few.
 * If the callback returns different data, the library returns an error and arms nothing.
 */
// RUN: %build %s -o %t %link
// RUN: %t
#include "../Inputs/check.h"
#include "../Inputs/repeat.h"

#include <patchbay/patchbay.h>

#include <errno.h>

#define FUNCTION(n) OPAQUE static int f##n(int a) { return a + 1; }
X256(FUNCTION, _)

#define ADDRESS(n) f##n,
static int (*const functions[])(int) = { X256(ADDRESS, _) };
enum { NR = sizeof(functions) / sizeof(functions[0]) };

static int data, nr_asked, nr_targets, result;
static int differ_at; /* targets from this index on get other data */
static long calls;

static void count(uintptr_t ip, uintptr_t parent_ip,
		  const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)parent_ip;
	(void)regs;
	CHECK_EQ((uintptr_t)cell->data, (uintptr_t)&data);
	CHECK(ip);
	calls++;
}

static int attach(void *arg, const struct patchbay_module_info *module,
		  struct patchbay_target *targets, size_t nr)
{
	CHECK_EQ((uintptr_t)arg, 0);
	nr_asked++;
	nr_targets = (int)nr;
	for (size_t i = 0; i < nr; i++) {
		CHECK(targets[i].entry >= module->low);
		CHECK(targets[i].entry < module->high);
		targets[i].data = (char *)&data + ((int)i >= differ_at);
	}
	return result;
}

static size_t armed(const struct patchbay_ops *ops)
{
	struct patchbay_ops_info info = { .size = sizeof(info) };

	CHECK_EQ(patchbay_ops_get_info(ops, &info), 0);
	return info.armed;
}

static void arm(struct patchbay_ops *ops, const struct patchbay_filter *filter,
		int nr)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	nr_asked = nr_targets = 0;
	differ_at = NR;
	CHECK_EQ(patchbay_arm_filter(ops, filter, 0), nr);
	CHECK_EQ(nr_asked, 1);
	CHECK_EQ(nr_targets, nr);
	CHECK_EQ(armed(ops), (size_t)nr);
	CHECK_EQ(patchbay_get_stats(&stats), 0);
	CHECK(stats.memory / NR < 32);
	calls = 0;
	for (int i = 0; i < NR; i++)
		CHECK_EQ(functions[i](i), i + 1);
	CHECK_EQ(calls, nr);
	CHECK_EQ(patchbay_disarm_filter(ops, filter), nr);

	differ_at = nr - 1;
	CHECK_EQ(patchbay_arm_filter(ops, filter, 0), -EINVAL);
	CHECK_EQ(armed(ops), 0);
	differ_at = NR;
	result = -ENOSPC;
	CHECK_EQ(patchbay_arm_filter(ops, filter, 0), -ENOSPC);
	CHECK_EQ(armed(ops), 0);
	result = 0;
}

int main(void)
{
	struct patchbay_ops_attr attr = {
		.size = sizeof(attr),
		.flags = PATCHBAY_OPS_FAST | PATCHBAY_OPS_MODULE_DATA,
		.handler = count,
	};
	const struct patchbay_filter all = { .size = sizeof(all), .glob = "f_*" };
	const char *const syms[] = { "f_0000", "f_1230", "f_3332", "f_3333" };
	const struct patchbay_filter few = { .size = sizeof(few), .syms = syms,
					     .cnt = 4 };
	/* Functions that were armed alone have private cells. */
	const struct patchbay_filter two = { .size = sizeof(two), .syms = syms,
					     .cnt = 2 };
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), -EINVAL);
	attr.attach = attach;
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	arm(ops, &two, 2);
	arm(ops, &all, NR);
	arm(ops, &few, 4);
	arm(ops, &all, NR);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	return 0;
}
