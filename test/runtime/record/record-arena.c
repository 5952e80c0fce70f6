/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * `patchbay record` writes the events that the program stores in shared memory. The
 * program maps no accessible page of its file. Events of threads, forked children and
 * daemons are complete, also if the program or the command is killed.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link -pthread
// DEFINE: %{how} = calls
// DEFINE: %{record} = %patchbay record -t function_duration -F step -- ./prog %{how}
// DEFINE: %{report} = %patchbay report %t/patchbay.data
// DEFINE: %{wait-for} = sh %S/../Inputs/wait-for.sh

// RUN: cd %t && %{record} 2>&1 | FileCheck %s --check-prefix=MAPPED
// MAPPED: {{^}}one page of the file is mapped, without access{{$}}
// RUN: %{report} | FileCheck %s -DNR=400000
// CHECK: {{^ *}}[[NR]] {{.*}} step{{$}}

/* The program uses shared memory only if the ID is that of its own command. */
// REDEFINE: %{how} = other
// RUN: cd %t && %{record} 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: {{^}}the file is mapped{{$}}
// RUN: %{report} | FileCheck %s -DNR=400000

// REDEFINE: %{how} = threads
// RUN: cd %t && %{record}
// RUN: %{report} | FileCheck %s -DNR=1600000
// REDEFINE: %{how} = fork
// RUN: cd %t && %{record}
// RUN: %{report} | FileCheck %s -DNR=1600000

/* If the command cannot keep up, threads write their full blocks themselves. */
// REDEFINE: %{how} = stopped
// RUN: cd %t && %{record} 2>&1 | FileCheck %s --check-prefix=MAPPED
// RUN: %{report} | FileCheck %s -DNR=4000000

/* A killed program loses no event, even though it has written none to the file itself. */
// REDEFINE: %{how} = killed
// RUN: cd %t && not %{record}
// RUN: %{report} | FileCheck %s -DNR=400000

/* If the command is killed, the program writes the remaining events when it ends. */
// REDEFINE: %{how} = orphan
// RUN: cd %t && not --crash %{record}
// RUN: %{wait-for} '^800000 .* step' %{report}
// RUN: %{report} | FileCheck %s -DNR=800000

/* A program that may no longer write to files loses the remaining events. */
// REDEFINE: %{how} = limit
// RUN: cd %t && not --crash %{record} | FileCheck %s --check-prefix=LIMIT
// LIMIT: {{^}}a child ended with status 0{{$}}

/* If both are killed, the remaining events are lost. Written events can be read. */
// REDEFINE: %{how} = both
// RUN: cd %t && not --crash %{record}
// RUN: %patchbay info %t/patchbay.data

/* After the command has ended, a background process writes the events. */
// REDEFINE: %{how} = daemon
// RUN: cd %t && %{record}
// RUN: %{wait-for} '^400000 .* step' %{report}

#include "../Inputs/check.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR 400000 /* 10 MB of events */

OPAQUE void step(void)
{
	__asm__ volatile("");
}

static void *calls(void *arg)
{
	for (int i = 0; i < NR; i++)
		step();
	return arg;
}

/* One page is mapped, because the mapping keeps the file's lock. */
static void check_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long begin, end, sum = 0, accessible = 0;
	char line[8192], access[5];

	CHECK(maps);
	while (fgets(line, sizeof(line), maps)) {
		if (!strstr(line, "/patchbay.data/") ||
		    sscanf(line, "%lx-%lx %4s", &begin, &end, access) != 3)
			continue;
		sum += end - begin;
		accessible += strcmp(access, "---s") != 0;
	}
	puts(sum == (unsigned long)getpagesize() && !accessible ?
		     "one page of the file is mapped, without access" :
		     "the file is mapped");
}

static void in_threads(void)
{
	pthread_t thread[4];

	for (int i = 0; i < 4; i++)
		CHECK(!pthread_create(&thread[i], NULL, calls, NULL));
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
}

static void in_children(void)
{
	for (int i = 0; i < 4; i++)
		if (!fork()) {
			calls(NULL);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
}

/* Makes 96 MB of events, more than the shared memory has space for. */
static void while_command_is_stopped(void)
{
	CHECK(!kill(getppid(), SIGSTOP));
	for (int i = 0; i < 10; i++)
		calls(NULL);
	check_mappings();
	CHECK(!kill(getppid(), SIGCONT));
}

static void kill_command(void)
{
	kill(getppid(), SIGKILL);
}

/* Forks a child that gets a file size limit after the command was killed. */
static void end_with_limit(void)
{
	int status = -1;
	pid_t child = fork();

	if (!child) {
		const struct rlimit limit = { 4096, 4096 };

		calls(NULL);
		CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
		exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child);
	printf("a child ended with status %d\n", status);
}

static void look_for_another_number(char *program)
{
	char *id = strstr(getenv("PATCHBAY"), ",arena-id=");
	char *const args[] = { program, "calls", NULL };

	CHECK(id);
	/* The number is odd, so this decrements the last digit. */
	id[strlen(",arena-id=") + strspn(id + strlen(",arena-id="), "0123456789") - 1] ^= 1;
	execv(program, args);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	if (!strcmp(how, "other"))
		look_for_another_number(argv[0]);
	if (!strcmp(how, "threads"))
		in_threads();
	else if (!strcmp(how, "fork"))
		in_children();
	else if (!strcmp(how, "stopped"))
		while_command_is_stopped();
	else
		calls(NULL);
	if (!strcmp(how, "calls"))
		check_mappings();
	if (!strcmp(how, "orphan") || !strcmp(how, "both") || !strcmp(how, "limit"))
		kill_command();
	if (!strcmp(how, "killed") || !strcmp(how, "both"))
		raise(SIGKILL);
	if (!strcmp(how, "orphan"))
		calls(NULL);
	if (!strcmp(how, "limit"))
		end_with_limit();
	if (!strcmp(how, "daemon") && !fork()) {
		setsid();
		sleep(1);
		raise(SIGKILL);
	}
	return 0;
}
