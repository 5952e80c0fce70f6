/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "session.h"

#include <fcntl.h>

/* Static, because cgroup paths may be long and stacks small. */
static char text[4096];

/*
 * Reads a file into @text, with a NUL at the end. Returns the length; 0: the file is
 * unreadable.
 */
static uint64_t read_text(const char *path)
{
	long size = pb_read_path(path, text, sizeof(text) - 1);

	if (size < 0)
		size = 0;
	text[size] = '\0';
	return (uint64_t)size;
}

/* Returns the rest of the line in @text that begins with @name, or NULL. */
static const char *line_of(const char *name)
{
	for (const char *at = text; *at;) {
		const char *n = name;

		while (*n && *at == *n) {
			at++;
			n++;
		}
		if (!*n)
			return at;
		while (*at && *at++ != '\n')
			;
	}
	return NULL;
}

/* Reads the process ids of this process: one number per nested PID namespace. */
static void read_pids(struct pbd_place *place)
{
	const char *at = line_of("NStgid:");

	for (; at && *at && *at != '\n'; at++) {
		if (*at < '0' || *at > '9')
			continue;
		if (place->nr_pids == PBD_PLACE_PIDS)
			return;
		for (; *at >= '0' && *at <= '9'; at++)
			place->pid[place->nr_pids] =
				place->pid[place->nr_pids] * 10 +
				(uint32_t)(*at - '0');
		place->nr_pids++;
		at--;
	}
}

/* The link has the format "pid:[4026531836]". */
static uint64_t pid_namespace(void)
{
	long size = pb_sys(SYS_readlinkat, AT_FDCWD, "/proc/thread-self/ns/pid",
			   text, sizeof(text) - 1);
	uint64_t inode = 0;

	for (long i = 0; i < size; i++)
		if (text[i] >= '0' && text[i] <= '9')
			inode = inode * 10 + (uint64_t)(text[i] - '0');
	return inode;
}

static void fill_in(struct pbd_place *place)
{
	uint64_t size = read_text("/proc/sys/kernel/random/boot_id");

	for (uint64_t i = 0; i < size && i < PBD_BOOT_ID - 1 && text[i] != '\n'; i++)
		place->boot_id[i] = text[i];
	place->pid_namespace = pid_namespace();
	read_text("/proc/thread-self/status");
	read_pids(place);
	place->pid_outside = (uint32_t)pb_options.pid_outside;
}

int pb_place_write(void)
{
	uint64_t size = read_text("/proc/thread-self/cgroup");
	struct pbd_place *place;
	int error;

	place = pb_data_reserve(&pb_session->file, PBD_PLACE,
				sizeof(*place) + size + 1, &error);
	if (!place)
		return error;
	pb_copy(place->cgroup, text, size);
	fill_in(place);
	pb_data_commit(&pb_session->file, &place->chunk);
	return 0;
}
