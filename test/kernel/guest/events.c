// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts a tracepoint as perf stat does, with one event and with two. The tracepoint's
// static call goes to its only handler or, with several, to a function that calls all.
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TRACEPOINT "/sys/kernel/tracing/events/syscalls/sys_enter_getppid/id"
enum { CALLS = 1000, EVENTS = 2 };

static int open_event(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr),
					.sample_period = 1 };
	FILE *file = fopen(TRACEPOINT, "r");
	unsigned long long id;

	if (!file || fscanf(file, "%llu", &id) != 1)
		return -1;
	fclose(file);
	attr.config = id;
	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

int main(void)
{
	int events[EVENTS], n, i;

	for (n = 0; n < EVENTS; n++) {
		events[n] = open_event();
		if (events[n] < 0) {
			printf("perf: %s\n", strerror(errno));
			return 1;
		}
		for (i = 0; i < CALLS; i++)
			syscall(SYS_getppid);
	}
	for (n = 0; n < EVENTS; n++) {
		uint64_t count = 0;

		if (read(events[n], &count, sizeof(count)) != sizeof(count))
			return 1;
		close(events[n]);
		printf("perf event %d: %llu calls\n", n, (unsigned long long)count);
	}
	return 0;
}
