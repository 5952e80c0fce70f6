/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A recorded program is unaffected if another program truncates its data files.
 * `record` reports the files and the number of lost bytes, and the rest can be read.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link -pthread
// DEFINE: %{tracer} = function_duration
// DEFINE: %{how} = 0
// DEFINE: %{record} = rm -rf out && %patchbay record -t %{tracer} -F step -o out -- ./prog %{how}
// DEFINE: %{report} = not %patchbay report -f calls,name %t/out

/*
 * `report` fails, because events are missing. All events before the last calls are
 * lost: 400,000 of 24 bytes, and the heads of their blocks.
 */
// RUN: cd %t && %{record} > %t/said 2>&1 && FileCheck %s --check-prefix=ZERO < %t/said
// ZERO: {{^}}the result is 800010{{$}}
// ZERO: warning: out/[[PID:[0-9]+]].pbd: another program truncated the file: {{(9|10)[0-9]+}} bytes of events are lost
// RUN: %{report} 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT-DAG: another program truncated the file while it was recorded
// LEFT-DAG: {{^ *4[0-9]{5} step}}

// REDEFINE: %{how} = half
// RUN: cd %t && %{record} > %t/said 2>&1 && FileCheck %s --check-prefix=HALF < %t/said
// HALF: {{^}}the result is 800010{{$}}
// HALF: warning: out/{{[0-9]+}}.pbd: another program truncated the file: {{[3-6][0-9]+}} bytes of events are lost
// RUN: %{report} 2>&1 | FileCheck %s --check-prefix=MORE
// MORE-DAG: another program truncated the file while it was recorded
// MORE-DAG: {{^ *[56][0-9]{5} step}}

/*
 * Children, threads that begin later, and files with few events are affected in the
 * same way.
 */
// REDEFINE: %{how} = often
// RUN: cd %t && %{record} > %t/said 2>&1 && FileCheck %s --check-prefix=OFTEN < %t/said
// OFTEN: {{^}}the result is {{[0-9]+}}{{$}}
// OFTEN-NOT: cannot be written
// OFTEN: another program truncated the file
// OFTEN-NOT: cannot be written
// RUN: %{report} 2>&1 | FileCheck %s --check-prefix=SOME
// SOME: {{^ *[0-9]+ step}}

/* Counters and histograms are written again, so their data is complete. */
// REDEFINE: %{how} = 0
// REDEFINE: %{tracer} = function_profile
// RUN: cd %t && %{record} > %t/said 2>&1 && FileCheck %s --check-prefix=SAID < %t/said
// SAID: {{^}}the result is 800010{{$}}
// SAID: another program truncated the file: 0 bytes of events are lost
// RUN: %{report} 2>&1 | FileCheck %s --check-prefix=ALL
// ALL: {{^ *}}800010 step{{$}}

#include "../Inputs/check.h"

#include <dirent.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR 400000 /* 10 MB of events */

static long result;

OPAQUE void step(void)
{
	__atomic_add_fetch(&result, 1, __ATOMIC_RELAXED);
}

static void *calls(void *nr)
{
	for (long i = 0; i < (long)nr; i++)
		step();
	return NULL;
}

static void truncate_all(int to_half)
{
	DIR *folder = opendir("out");
	struct dirent *each;

	CHECK(folder);
	while ((each = readdir(folder))) {
		const char *suffix = strstr(each->d_name, ".pbd");
		char path[300];
		struct stat status;

		snprintf(path, sizeof(path), "out/%s", each->d_name);
		if (suffix && !suffix[4] && !stat(path, &status))
			CHECK(!truncate(path, to_half ? status.st_size / 2 : 0));
	}
	closedir(folder);
}

static void once(int to_half)
{
	calls((void *)NR);
	usleep(500000); /* the command writes the events */
	truncate_all(to_half);
	calls((void *)10);
	usleep(500000);
	calls((void *)NR);
}

/* Each child truncates the files of all processes. */
static void often(void)
{
	pthread_t thread;

	for (int i = 0; i < 20; i++) {
		pid_t child = fork();
		int status = -1;

		if (!child) {
			calls((void *)(i % 4 * 20000L));
			usleep(20000);
			truncate_all(i % 2);
			CHECK(!pthread_create(&thread, NULL, calls, (void *)100000));
			truncate_all(i % 3);
			calls((void *)1000);
			pthread_join(thread, NULL);
			_exit(23);
		}
		calls((void *)10000);
		CHECK(!pthread_create(&thread, NULL, calls, (void *)100));
		pthread_join(thread, NULL);
		CHECK(waitpid(child, &status, 0) == child);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 23);
	}
	usleep(300000);
	calls((void *)NR);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "0";

	if (!strcmp(how, "often"))
		often();
	else
		once(!strcmp(how, "half"));
	printf("the result is %ld\n", result);
	return 0;
}
