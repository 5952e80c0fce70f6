/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * `record` loads a library that creates no thread. Options that need a thread load
 * libpatchbay-live.so instead. Only one of the two libraries is loaded, even if the
 * environment names the other one.
 */
// RUN: rm -rf %t && mkdir %t && %build %s -o %t/prog %link && cd %t
// RUN: %patchbay record -t function_graph -F '*' -o plain -- ./prog | FileCheck %s --check-prefix=PLAIN
// PLAIN: {{^}}1 threads, trace 1, live 0{{$}}
// RUN: %patchbay record -t function_graph -F '*' --live -o live -- ./prog | FileCheck %s --check-prefix=LIVE
// RUN: %patchbay record -t function_graph -F '*' --rotate-every 1s -o rotate -- ./prog | FileCheck %s --check-prefix=LIVE
// RUN: %patchbay record -t function_graph -F '*' --max-rate 100000 -o rate -- ./prog | FileCheck %s --check-prefix=LIVE
// LIVE: {{^}}2 threads, trace 0, live 1{{$}}
// RUN: env LD_PRELOAD=%patchbay_lib/libpatchbay-live.so %patchbay record -t function_graph -F '*' -o inner -- ./prog | FileCheck %s --check-prefix=PLAIN
// RUN: env LD_PRELOAD=%patchbay_lib/libpatchbay-trace.so 'PATCHBAY=tracer=function,filter=*,output=.,live=1' ./prog 2>&1 | FileCheck %s --check-prefix=ENV
// ENV: {{^}}patchbay: error: PATCHBAY: live, rotate-size, rotate-every, max-rate and max-overhead need libpatchbay-live.so: preload it instead of libpatchbay-trace.so; nothing is traced{{$}}
// RUN: %python %S/../Inputs/while-running.py env LD_PRELOAD=%patchbay_lib/libpatchbay-trace.so ./prog wait -- sh -c '! %patchbay record -p PID -F work -o late 2>&1' | FileCheck %s --check-prefix=IDLE
// IDLE: its runtime refused: it was started with libpatchbay-trace.so, which only records from the start: preload libpatchbay-live.so instead
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline)) void work(void)
{
	__asm__ volatile("");
}

static int threads(void)
{
	DIR *folder = opendir("/proc/self/task");
	int nr = 0;

	for (struct dirent *entry; (entry = readdir(folder));)
		nr += entry->d_name[0] != '.';
	closedir(folder);
	return nr;
}

static int loaded(const char *library)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096];
	int found = 0;

	while (fgets(line, sizeof(line), maps))
		found |= strstr(line, library) != NULL;
	fclose(maps);
	return found;
}

int main(int argc, char **argv)
{
	(void)argv;
	work();
	printf("%d threads, trace %d, live %d\n", threads(),
	       loaded("/libpatchbay-trace.so"), loaded("/libpatchbay-live.so"));
	fflush(stdout);
	if (argc > 1)
		sleep(60);
	return 0;
}
