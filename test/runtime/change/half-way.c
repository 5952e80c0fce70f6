/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Arming a thousand functions fails completely if any write to text fails: then no
 * function is armed, and a later attempt succeeds. The test repeats this in four cases:
 * - Writes fail at each point, also before the first function is armed.
 * - A few functions have a private cell because they were armed alone.
 * - Some functions of a shared cell get other tracers. On failure all keep what they
 *   had.
 * - Functions with an empty cell join others in a cell. After a failure they can join.
 */
// RUN: %build %s -o %t %link
// RUN: %t | FileCheck %s
// CHECK: {{^}}failed at {{[1-9][0-9]*}} places{{$}}
// CHECK-NEXT: {{^}}with own cells failed at {{[1-9][0-9]*}} places
// CHECK-NEXT: {{^}}parting failed at {{[1-9][0-9]*}} places{{$}}
// CHECK-NEXT: {{^}}joining failed at {{[1-9][0-9]*}} places{{$}}
// CHECK-NEXT: {{^}}for good failed at {{[1-9][0-9]*}} places{{$}}
// CHECK-NEXT: {{^}}for good again failed at {{[1-9][0-9]*}} places{{$}}

#include "../Inputs/check.h"
#include "../Inputs/count-calls.h"
#include "../Inputs/repeat.h"

#include <patchbay/patchbay.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FUNCTION(n) OPAQUE int at##n(int a) { return a; }
#define NAME(n) at##n,
X1024(FUNCTION, _)
static int (*const functions[])(int) = { X1024(NAME, _) };
enum { NR = sizeof(functions) / sizeof(functions[0]) };

/*
 * The number of the write that fails (0: none), whether later writes fail, and the
 * error.
 */
static int fails, failed, all_fail, how_it_fails = EACCES;
static uint64_t written;

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset)
{
	if ((fails && !--fails) || (failed && all_fail)) {
		failed = 1;
		errno = how_it_fails;
		return -1;
	}
	written++;
	return syscall(SYS_pwrite64, file, bytes, size, offset);
}

static int calls_seen(void)
{
	calls = 0;
	for (int i = 0; i < NR; i++)
		CHECK_EQ(functions[i](i), i);
	return calls;
}

static int count_armed(const struct patchbay_site_info *site, void *nr)
{
	*(int *)nr += site->state == PATCHBAY_SITE_ARMED;
	return 0;
}

static int sites_armed(void)
{
	int nr = 0;

	CHECK_EQ(patchbay_for_each_site(count_armed, &nr), 0);
	return nr;
}

/* Lets the n-th write fail. Returns whether it did. */
static int fail_at(struct patchbay_ops *ops, int n)
{
	int nr;

	fails = n;
	failed = 0;
	nr = patchbay_arm(ops, "at_*", 0);
	fails = 0;
	if (!failed) {
		CHECK_EQ(nr, NR);
		return 0;
	}
	CHECK_EQ(nr, -EACCES);
	CHECK_EQ(calls_seen(), 0);
	CHECK_EQ(sites_armed(), 0);
	return 1;
}

#if defined(__x86_64__)
/* Another writer has armed one site, whose function has a cell; most have none yet. */
static void armed_by_others(struct patchbay_ops *ops)
{
	const char call = (char)0xe8;
	int text = open("/proc/self/mem", O_RDWR);

	CHECK_EQ(patchbay_arm(ops, "at_00000", 0), 1);
	CHECK_EQ(patchbay_disarm(ops, "at_00000"), 1);
	CHECK_EQ(pwrite(text, &call, 1, (off_t)functions[0]), 1);
	close(text);
	CHECK(fail_at(ops, 1));
}
#else
static void armed_by_others(struct patchbay_ops *ops)
{
	(void)ops;
}
#endif

/*
 * Arms all functions in a process where nothing was armed before. Returns whether the
 * n-th write failed.
 */
static int try(int n)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = handler };
	struct patchbay_ops *ops;
	int status, failed_there;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid) {
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) >= 10);
		return WEXITSTATUS(status) - 10;
	}
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	if (!n)
		armed_by_others(ops);
	failed_there = fail_at(ops, n);
	if (failed_there)
		CHECK_EQ(patchbay_arm(ops, "at_*", 0), NR);
	CHECK_EQ(calls_seen(), NR);
	CHECK_EQ(sites_armed(), NR);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	CHECK_EQ(calls_seen(), 0);
	_exit(10 + failed_there);
}

static uint64_t text_writes(void)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	CHECK_EQ(patchbay_get_stats(&stats), 0);
	return stats.text_writes;
}

/*
 * Failures are rolled back for functions with a private cell, too: one function was
 * armed alone. Another one shared a cell and got separate data, so a gate precedes its
 * cell. Returns the number of failures.
 */
static int with_own_cells(void)
{
	const char *gated = "at_33333", *alone = "at_00003";
	void *cookie = &cookie;
	const struct patchbay_filter cookies = { .size = sizeof(cookies),
						 .syms = &gated,
						 .cnt = 1,
						 .cookies = &cookie };
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = handler };
	struct patchbay_ops *ops, *second;
	uint64_t before, calls_before;
	int times = 0, n = 0;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_ops_create(&attr, &second), 0);
	CHECK_EQ(patchbay_arm(ops, alone, 0), 1);
	CHECK_EQ(patchbay_disarm(ops, alone), 1);
	CHECK_EQ(patchbay_arm(ops, "at_3*", 0), NR / 4);
	CHECK_EQ(patchbay_arm_filter(second, &cookies, 0), 1);
	CHECK_EQ(patchbay_disarm(second, gated), 1);
	CHECK_EQ(patchbay_disarm(ops, "*"), NR / 4);
	while (fail_at(ops, ++n)) {
		times++;
		CHECK_EQ(patchbay_arm(ops, "at_*", 0), NR);
		CHECK_EQ(calls_seen(), NR);
		CHECK_EQ(patchbay_disarm(ops, "*"), NR);
		CHECK_EQ(calls_seen(), 0);
	}
	CHECK_EQ(calls_seen(), NR);
	/* Disarm half of the functions: some with a shared cell, and those without. */
	CHECK_EQ(patchbay_disarm(ops, "at_[03]*"), NR / 2);
	CHECK_EQ(calls_seen(), NR / 2);
	CHECK_EQ(patchbay_arm(ops, "at_[03]*", 0), NR / 2);
	CHECK_EQ(calls_seen(), NR);
	CHECK_EQ(patchbay_disarm(ops, "*"), NR);
	before = text_writes();
	calls_before = written;
	CHECK_EQ(patchbay_arm(ops, "at_*", 0), NR);
	CHECK_EQ(patchbay_disarm(ops, "*"), NR);
	CHECK_EQ(patchbay_arm(second, "at_*", 0), NR);
	CHECK_EQ(calls_seen(), NR);
	CHECK_EQ(text_writes() - before, written - calls_before);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	CHECK_EQ(patchbay_ops_destroy(second), 0);
	CHECK_EQ(calls_seen(), 0);
	CHECK_EQ(sites_armed(), 0);
	return times;
}

/*
 * In one process, removes the tracer from half of the functions, or adds a second
 * tracer. The functions are at two distant addresses that need one write each. Sites
 * that could not be disarmed call no tracer. Returns the number of failures.
 */
static int part(int disarm)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = handler };
	struct patchbay_ops *ops, *second;
	int times = 0, n = 0, nr;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_ops_create(&attr, &second), 0);
	CHECK_EQ(patchbay_arm(ops, "at_*", 0), NR);
	do {
		fails = ++n;
		failed = 0;
		nr = disarm ? patchbay_disarm(ops, "at_[03]*") :
			      patchbay_arm(second, "at_[03]*", 0);
		fails = 0;
		if (nr == -EACCES) {
			times++;
			CHECK_EQ(calls_seen(), NR);
			CHECK_EQ(sites_armed(), NR);
			continue;
		}
		CHECK_EQ(nr, NR / 2);
		CHECK_EQ(calls_seen(), disarm ? NR - NR / 2 : NR + NR / 2);
		if (disarm)
			CHECK_EQ(patchbay_arm(ops, "at_[03]*", 0), NR / 2);
		else
			CHECK_EQ(patchbay_disarm(second, "*"), NR / 2);
		CHECK_EQ(calls_seen(), NR);
	} while (failed);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	CHECK_EQ(patchbay_ops_destroy(second), 0);
	CHECK_EQ(sites_armed(), 0);
	CHECK_EQ(calls_seen(), 0);
	return times;
}

/*
 * Arms the @nr functions of @glob, which share an empty cell with other functions, and
 * join the functions that have the tracer. Returns the number of failures.
 */
static int join(const char *glob, int nr)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = handler };
	struct patchbay_ops *ops, *before;
	int times = 0, n = 0;

	do {
		CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
		CHECK_EQ(patchbay_ops_create(&attr, &before), 0);
		CHECK_EQ(patchbay_arm(before, "at_[123]*", 0), NR / 4 * 3);
		CHECK_EQ(patchbay_ops_destroy(before), 0);
		CHECK_EQ(patchbay_arm(ops, "at_0*", 0), NR / 4);
		fails = ++n;
		failed = 0;
		if (patchbay_arm(ops, glob, 0) < 0) {
			times++;
			CHECK_EQ(calls_seen(), NR / 4);
			CHECK_EQ(sites_armed(), NR / 4);
			fails = 0;
			CHECK_EQ(patchbay_arm(ops, glob, 0), nr);
		}
		fails = 0;
		CHECK_EQ(calls_seen(), NR / 4 + nr);
		CHECK_EQ(patchbay_ops_destroy(ops), 0);
		CHECK_EQ(calls_seen(), 0);
	} while (failed);
	return times;
}

static size_t armed(const struct patchbay_ops *ops)
{
	struct patchbay_ops_info info = { .size = sizeof(info) };

	CHECK_EQ(patchbay_ops_get_info(ops, &info), 0);
	return info.armed;
}

/*
 * All writes fail, including writes of the rollback. Functions that have joined others
 * stay in their cell, and count as armed until they are disarmed.
 */
static int stay(void)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = handler };
	struct patchbay_ops *ops;
	int times = 0, n = 0, nr;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	do {
		CHECK_EQ(patchbay_arm(ops, "at_0*", 0), NR / 4);
		fails = ++n;
		failed = 0;
		all_fail = 1;
		nr = patchbay_arm(ops, "at_[123]*", 0);
		all_fail = fails = 0;
		CHECK_EQ(nr, failed ? -how_it_fails : NR / 4 * 3);
		nr = (int)armed(ops);
		CHECK(calls_seen() <= nr);
		times += failed;
		CHECK_EQ(patchbay_disarm(ops, "*"), nr);
		CHECK_EQ(calls_seen(), 0);
	} while (failed);
	CHECK_EQ(patchbay_arm(ops, "*", 0) > NR, 1);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	CHECK_EQ(calls_seen(), 0);
	return times;
}

#if defined(__x86_64__)
static void patch(int (*function)(int), int offset, const void *bytes, size_t size)
{
	int text = open("/proc/self/mem", O_RDWR);

	CHECK_EQ(pwrite(text, bytes, size, (off_t)function + offset), size);
	close(text);
}

static uint64_t refused(void)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };
	uint64_t sum = 0;

	CHECK_EQ(patchbay_get_stats(&stats), 0);
	for (int i = 0; i < PATCHBAY_SITE_NR_STATES; i++)
		sum += stats.refused[i];
	return sum;
}

/*
 * Other writers have changed the site of one function. Arming that function is refused
 * and counted once, even if another function has a tracer already. If the function's
 * slot was changed instead, disarming the functions of its cell still works.
 */
static void patched_by_others(void)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = handler };
	const uint64_t nowhere = 0, before = refused();
	const uint8_t trap = 0xcc, *site = (const uint8_t *)functions[7];
	const uint8_t old = *site;
	struct patchbay_ops *ops, *second;
	uint64_t slot;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_ops_create(&attr, &second), 0);
	CHECK_EQ(patchbay_arm(second, "at_33333", 0), 1);
	patch(functions[7], 0, &trap, 1);
	CHECK_EQ(patchbay_arm(ops, "at_*", PATCHBAY_ARM_SKIP), NR - 1);
	CHECK_EQ(refused(), before + 1);
	CHECK_EQ(patchbay_disarm(ops, "*"), NR - 1);
	CHECK_EQ(patchbay_ops_destroy(second), 0);
	CHECK_EQ(patchbay_arm(ops, "at_*", 0), -EILSEQ);
	CHECK_EQ(refused(), before + 2);
	patch(functions[7], 0, &old, 1);

	CHECK_EQ(patchbay_arm(ops, "at_*", 0), NR);
	slot = *(const uint64_t *)(functions[7] + PATCHBAY_SLOT_OFFSET);
	CHECK(slot);
	patch(functions[7], PATCHBAY_SLOT_OFFSET, &nowhere, sizeof(nowhere));
	CHECK_EQ(patchbay_disarm(ops, "at_[03]*"), NR / 2);
	CHECK_EQ(sites_armed(), NR / 2);
	CHECK_EQ(calls_seen(), NR / 2);
	CHECK_EQ(patchbay_arm(ops, "at_0*", PATCHBAY_ARM_SKIP), NR / 4 - 1);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	CHECK_EQ(calls_seen(), 0);
}
#else
static void patched_by_others(void)
{
}
#endif

int main(void)
{
	int n = 1;

	CHECK_EQ(try(0), 0);
	while (try(n))
		n++;
	printf("failed at %d places\n", n - 1);
	/*
	 * If many functions can be changed at once, failures also occur in the next
	 * cases.
	 */
	printf("with own cells failed at %d places\n", with_own_cells());
	n = part(0);
	printf("parting failed at %d places\n", n + part(1));
	n = join("at_200*", NR / 64);
	printf("joining failed at %d places\n", n + join("at_[23]*", NR / 2));
	printf("for good failed at %d places\n", stay());
	/* A seccomp filter may return this error, too. */
	how_it_fails = EAGAIN;
	printf("for good again failed at %d places\n", stay());
	patched_by_others();
	return 0;
}
