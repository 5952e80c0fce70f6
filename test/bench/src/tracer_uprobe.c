/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A uprobe on the function of the hot loop that only counts: the minimum cost of a uprobe.
 * With the option "return", a uretprobe.
 */
#include "worker.h"

#include <errno.h>
#include <link.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TYPE "/sys/bus/event_source/devices/uprobe/type"
#define RETURN_PROBE 1 /* format/retprobe: config:0 */

unsigned int hot_callee(unsigned int x);

static int event = -1;
static char message[128];

/* Finds the file offset of the code at @arg. */
static int find_offset(struct dl_phdr_info *info, size_t size, void *arg)
{
	uintptr_t *place = arg;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t in = *place - info->dlpi_addr - ph->p_vaddr;

		if (ph->p_type != PT_LOAD || in >= ph->p_filesz)
			continue;
		*place = ph->p_offset + in;
		return 1;
	}
	return 0;
}

static const char *failure(const char *what)
{
	snprintf(message, sizeof(message), "%s: %s", what, strerror(errno));
	return message;
}

const char *tracer_count(const char *option)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	uintptr_t place = (uintptr_t)hot_callee;
	FILE *file = fopen(TYPE, "r");
	int read;

	if (!file)
		return failure("no uprobes: " TYPE);
	read = fscanf(file, "%u", &attr.type);
	fclose(file);
	if (read != 1 || !dl_iterate_phdr(find_offset, &place))
		return "no uprobes: " TYPE " cannot be read";
	attr.config = strcmp(option, "return") ? 0 : RETURN_PROBE;
	attr.config1 = (uintptr_t)"/proc/self/exe";
	attr.config2 = place;
	event = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			     PERF_FLAG_FD_CLOEXEC);
	return event < 0 ? failure("perf_event_open") : NULL;
}

const char *tracer_empty(const char *option)
{
	(void)option;
	return NULL;
}

uint64_t tracer_events(void)
{
	uint64_t count = 0;

	return read(event, &count, sizeof(count)) == sizeof(count) ? count : 0;
}
