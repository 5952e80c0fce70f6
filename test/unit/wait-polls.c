/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A waiting thread polls seldom, and continues soon after the handler's end or the
 * limit. The test's clock advances while the thread sleeps. A wait for a short handler
 * is short. Each poll costs CPU time, so a long handler is polled less often, without a
 * noticeable delay.
 */
// RUN: %clang -std=c11 -DPB_LIBC_MEMORY -D_GNU_SOURCE -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover %s -I %patchbay_include -I %patchbay_source/runtime/core -o %t
// RUN: %t | FileCheck %s --match-full-lines
//      CHECK:after 100 us: {{[1-5]}} looks, late by {{[1-3]?[0-9]}} us
// CHECK-NEXT:after 10000 us: {{[1-4][0-9]}} looks, late by {{1?[0-9]?[0-9]?[0-9]}} us
// CHECK-NEXT:after 2600000 us: {{1[0-9][0-9]|2[0-4][0-9]}} looks, late by {{1?[0-9]?[0-9]?[0-9]?[0-9]|2[0-2][0-9][0-9][0-9]}} us
// CHECK-NEXT:limit of 5000 us: given up, late by {{[1-6]?[0-9]?[0-9]}} us
// CHECK-NEXT:no limit: waited for
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "system/private.h"
#include "quiesce/quiesce.h"

static int64_t clock_ns, over_ns;
static int looks;

static int tell(clockid_t id, struct timespec *time)
{
	(void)id;
	*time = (struct timespec){ clock_ns / 1000000000, clock_ns % 1000000000 };
	return 0;
}

static int sleep_for(const struct timespec *pause, struct timespec *left)
{
	(void)left;
	clock_ns += pause->tv_sec * 1000000000 + pause->tv_nsec;
	looks++;
	return 0;
}

#define clock_gettime tell
#define nanosleep sleep_for
#include "quiesce/wait.c"

unsigned int pb_wait_limit = PATCHBAY_WAIT_LIMIT;

struct pb_stats pb_stats;

int pb_thread_inside_below(const void *frame)
{
	(void)frame;
	return 0;
}

int pb_quiesce_begin(uint64_t *phase)
{
	*phase = 1;
	return 0;
}

int pb_quiesce_over(uint64_t phase)
{
	(void)phase;
	return clock_ns >= over_ns;
}

int pb_quiesce_thread(uint64_t phase, int *over)
{
	*over = pb_quiesce_over(phase);
	return 42;
}

uint64_t pb_quiesce_until(uint64_t phase, int closely)
{
	(void)closely;
	return phase;
}

static int wait_for(int64_t us)
{
	looks = 0;
	clock_ns = 1;
	over_ns = clock_ns + us * 1000;
	return pb_wait();
}

static int late_us(int64_t us)
{
	return (int)((clock_ns - 1) / 1000 - us);
}

int main(void)
{
	static const int64_t times[] = { 100, 10000, 2600000 };

	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		if (!wait_for(times[i]))
			printf("after %d us: %d looks, late by %d us\n", (int)times[i], looks,
			       late_us(times[i]));
	patchbay_set_wait_limit(5);
	if (wait_for(1000000) == -ETIMEDOUT)
		printf("limit of 5000 us: given up, late by %d us\n", late_us(5000));
	patchbay_set_wait_limit(PATCHBAY_WAIT_FOREVER);
	if (!wait_for(3600ll * 1000000))
		puts("no limit: waited for");
	return 0;
}
