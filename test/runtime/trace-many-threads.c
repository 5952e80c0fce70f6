/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What it costs a thread to begin to be recorded does not depend on how many
 * others there are: each makes as many system calls among 600 as among 20, and
 * asks after no thread that has not ended. Threads that come after others went
 * take over what those had, also when some never go.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link -rdynamic
// DEFINE: %{run} = cd %t && timeout 60 %patchbay record -F step -F again
// RUN: %{run} -p function -- ./prog | FileCheck %s
// RUN: %patchbay dump --csv %t/patchbay.data | cut -d, -f9 | sort | uniq -c | FileCheck %s --check-prefix=CALLS
// CALLS: 700 again
// CALLS: 620 step
// RUN: %{run} -p function_duration --no-sleep-time -- ./prog | FileCheck %s
// RUN: %patchbay dump --csv %t/patchbay.data | cut -d, -f9 | sort | uniq -c | FileCheck %s --check-prefix=CALLS
// RUN: %{run} -p function_duration --overwrite -- ./prog | FileCheck %s
// RUN: %patchbay dump --csv %t/patchbay.data | cut -d, -f9 | sort | uniq -c | FileCheck %s --check-prefix=CALLS
// RUN: %{run} --histogram -- ./prog | FileCheck %s
// RUN: %patchbay report --json %t/patchbay.data | FileCheck %s --check-prefix=COUNTED
// COUNTED-DAG: "calls": 700,
// COUNTED-DAG: "calls": 620,
// CHECK: each thread asked as often
// CHECK-NEXT: 700 threads in at most {{[1-4]?[0-9]}} mappings
#include "Inputs/check.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define UNTRACED __attribute__((no_profile_instrument_function))
#define FEW 20
#define MANY 600

OPAQUE void step(void) {}
OPAQUE void again(void) {}

static long calls, asked;

/* What libpatchbay-trace makes its system calls by. */
UNTRACED long syscall(long number, ...)
{
	long result, arg[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		arg[i] = va_arg(args, long);
	va_end(args);
	register long r10 __asm__("r10") = arg[3];
	register long r8 __asm__("r8") = arg[4];
	register long r9 __asm__("r9") = arg[5];
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(arg[0]), "S"(arg[1]), "d"(arg[2]),
			   "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	/* Whether another thread is waited for is chance. */
	if (number != SYS_futex)
		__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
	if (number == SYS_tgkill)
		__atomic_fetch_add(&asked, 1, __ATOMIC_RELAXED);
	if (result < 0 && result > -4096) {
		errno = (int)-result;
		return -1;
	}
	return result;
}

static pthread_barrier_t barrier;

UNTRACED static void *one_call(void *arg)
{
	step();
	pthread_barrier_wait(&barrier);
	return arg;
}

/* System calls of @nr threads that are there at the same time. */
UNTRACED static long calls_of(int nr)
{
	static pthread_t thread[MANY];
	long before = calls;

	CHECK(!pthread_barrier_init(&barrier, NULL, (unsigned int)nr));
	for (int i = 0; i < nr; i++)
		CHECK(!pthread_create(&thread[i], NULL, one_call, NULL));
	for (int i = 0; i < nr; i++)
		pthread_join(thread[i], NULL);
	return calls - before;
}

UNTRACED static void *call_again(void *arg)
{
	again();
	if (arg)
		pthread_barrier_wait(&barrier);
	return arg;
}

UNTRACED static int mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	int nr = 0;

	CHECK(maps);
	while (fgets(line, sizeof(line), maps))
		nr += strstr(line, ".pbd") != NULL;
	fclose(maps);
	return nr;
}

UNTRACED int main(void)
{
	pthread_t stays, comes;
	long few, many;
	int before;

	few = calls_of(FEW);
	CHECK_EQ(asked, 0);
	many = calls_of(MANY);
	/* These may ask after those of before, four each. */
	CHECK(asked <= 4 * MANY);
	if (many / MANY > few / FEW + 6)
		printf("%ld calls of %d, %ld of %d\n", few, FEW, many, MANY);
	else
		puts("each thread asked as often");
	CHECK(!pthread_barrier_init(&barrier, NULL, 2));
	CHECK(!pthread_create(&stays, NULL, call_again, &barrier));
	before = mappings();
	for (int i = 1; i < 700; i++) {
		CHECK(!pthread_create(&comes, NULL, call_again, NULL));
		pthread_join(comes, NULL);
	}
	printf("700 threads in at most %d mappings\n",
	       mappings() > before ? mappings() - before : 0);
	pthread_barrier_wait(&barrier);
	pthread_join(stays, NULL);
	return 0;
}
