/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * --thread selects threads by name or ID. Other threads record nothing and have no
 * buffer. The runtime checks a renamed thread again.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link
// DEFINE: %{calls} = %patchbay dump --csv %t/patchbay.data | cut -d, -f4,9 | sort | uniq -c | sed 's/  *//' | FileCheck %s --match-full-lines --implicit-check-not={{.}} --check-prefix
// RUN: cd %t && %patchbay record -t function -F 'step*' --thread 'w?rker-[1-3]' -- ./prog 2>&1 | FileCheck %s --check-prefix=SAID --implicit-check-not=lost
// RUN: %patchbay dump --csv %t/patchbay.data 2>&1 | FileCheck %s --check-prefix=NONE-LOST --implicit-check-not=lost
// SAID: 1 process recorded
// NONE-LOST: step
// RUN: %{calls}=THREE
// THREE: 1 thread,function
// THREE: 1000 worker-1,step
// THREE: 1000 worker-2,step
// THREE: 1000 worker-3,step
/* Each selected thread has a buffer, and no other thread has one. */
// RUN: %patchbay info %t/patchbay.data | grep -c ' thread ' | FileCheck %s --check-prefix=NR --match-full-lines
// NR: 3
// RUN: cd %t && %patchbay record -t function_duration -F 'step*' --thread 'prog*' --thread '*-[!2-9*]' --thread '\*' -- ./prog
// RUN: %{calls}=SETS
// SETS: 1000 prog,step
// SETS: 1 thread,function
// SETS: 1000 worker-1,step
// RUN: cd %t && %patchbay record -t function_duration --no-sleep-time -F 'step*' --thread '*-2' --thread '*-6' -- ./prog 2>&1 | FileCheck %s --check-prefix=SIX
// SIX: {{^}}patchbay: warning: patchbay.data: no thread matches '*-6': only threads that make a traced call under that name count
// RUN: %{calls}=TWO
// TWO: 1 thread,function
// TWO: 1000 worker-2,step
// RUN: cd %t && %patchbay record -t function_duration -F 'step*' --thread 'prog*' --thread '*-[^2-9*]' --thread '\*' -- ./prog
// RUN: %{calls}=SETS
/* The main thread is selected by its ID, which equals the process ID. */
// RUN: cd %t && %patchbay record --force -t function -F 'step*' -- sh -c 'PATCHBAY="$PATCHBAY,thread=$$" exec ./prog'
// RUN: %{calls}=MAIN
// MAIN: 1000 prog,step
// MAIN: 1 thread,function
// RUN: cd %t && %patchbay record --histogram -F 'step*' --thread 'worker-4' -- ./prog
// RUN: %patchbay report --json %t/patchbay.data | FileCheck %s --check-prefix=COUNTED
// COUNTED: "calls": 1000,
/* Calls that the thread made before the runtime noticed its new name are missing. */
// RUN: cd %t && %patchbay record -t function -F 'rename*' --thread 'late' -- ./prog rename
// RUN: %{calls}=RENAMED
// RENAMED: {{1|2}} late,renamed
// RENAMED: 1 thread,function
/* The runtime checks the name of a new thread soon, even in a short run. */
// RUN: cd %t && %patchbay record -t function -F 'rename*' --thread 'soon' -- ./prog soon
// RUN: %{calls}=SOON
// SOON: 100 soon,renamed
// SOON: 1 thread,function
#include "../Inputs/check.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

OPAQUE void step(void) {}
OPAQUE void renamed(void) {}
OPAQUE void rename_next(void) {}

static void *work(void *arg)
{
	char name[16];

	snprintf(name, sizeof(name), "worker-%d", (int)(intptr_t)arg);
	pthread_setname_np(pthread_self(), name);
	for (int i = 0; i < 1000; i++)
		step();
	return NULL;
}

static void *rename_thread(void *arg)
{
	const struct timespec wait = { .tv_nsec = 50000000 };

	rename_next();
	pthread_setname_np(pthread_self(), "late");
	renamed(); /* too soon for the runtime to see the new name, except on a busy
	              machine */
	nanosleep(&wait, NULL);
	renamed();
	return arg;
}

static double microseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* The thread's first call is traced. Often this is its start function. */
static void *name_itself(void *arg)
{
	double begin;

	rename_next();
	pthread_setname_np(pthread_self(), "soon");
	begin = microseconds();
	while (microseconds() - begin < 200)
		;
	for (int i = 0; i < 100; i++)
		renamed();
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread[5];

	if (argc > 1) {
		CHECK(!pthread_create(&thread[0], NULL,
				      !strcmp(argv[1], "soon") ? name_itself :
								 rename_thread,
				      NULL));
		pthread_join(thread[0], NULL);
		return 0;
	}
	for (int i = 0; i < 5; i++)
		CHECK(!pthread_create(&thread[i], NULL, work,
				      (void *)(intptr_t)(i + 1)));
	for (int i = 0; i < 1000; i++)
		step();
	for (int i = 0; i < 5; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
