/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "mapped.h"

#include "session.h"

#include <fcntl.h>

#define LOOK_NS 1000000000u

/* Longer lines are cut off. The reader then cannot open their file. */
#define MOST_OF_LINE 4096u

/*
 * Reads the file line by line. All data is static, since stacks may be small.
 * The session's lock guards it.
 */
static struct {
	int fd;
	uint32_t used, filled; /* bytes of @piece */
	uint32_t length;       /* bytes of @line */
	char piece[4096];
	char line[MOST_OF_LINE];
} reader;

static int next_byte(void)
{
	if (reader.used == reader.filled) {
		long size = pb_sys(SYS_read, reader.fd, reader.piece,
				   sizeof(reader.piece));

		if (size <= 0)
			return -1;
		reader.used = 0;
		reader.filled = (uint32_t)size;
	}
	return (unsigned char)reader.piece[reader.used++];
}

/* Reads a line with its newline. Returns 0 after the last. */
static int next_line(void)
{
	int byte;

	reader.length = 0;
	while ((byte = next_byte()) >= 0) {
		if (reader.length < MOST_OF_LINE - 1 || byte == '\n')
			reader.line[reader.length++] = (char)byte;
		if (byte == '\n')
			return 1;
	}
	return 0;
}

/* START-END rwxp ... */
static int is_executable(void)
{
	uint32_t at = 0;

	while (at < reader.length && reader.line[at] != ' ')
		at++;
	return at + 3 < reader.length && reader.line[at + 3] == 'x';
}

/* FNV-1a. */
static uint64_t add_to(uint64_t sum)
{
	for (uint32_t i = 0; i < reader.length; i++)
		sum = (sum ^ (unsigned char)reader.line[i]) * 0x100000001b3;
	return sum;
}

static void rewind_file(void)
{
	pb_sys(SYS_lseek, reader.fd, 0l, SEEK_SET);
	reader.used = reader.filled = 0;
}

/* Other threads may add mappings meanwhile. Lines without room are found next time. */
static void write_down(uint64_t size)
{
	struct pbd_maps *maps;
	int error;

	maps = pb_data_reserve(&pb_session->file, PBD_MAPS, sizeof(*maps) + size,
			       &error);
	if (!maps) {
		pb_data_note(&pb_session->file, error);
		return;
	}
	rewind_file();
	while (next_line())
		if (is_executable() && maps->length + reader.length <= size) {
			pb_copy(maps->text + maps->length, reader.line,
				reader.length);
			maps->length += reader.length;
		}
	maps->id = ++pb_session->mapped.id;
	pb_data_commit(&pb_session->file, &maps->chunk);
}

uint32_t pb_mapped_look(uint64_t now_ns)
{
	struct pb_mapped *mapped = &pb_session->mapped;
	uint64_t sum = 0xcbf29ce484222325, size = 0;

	if (mapped->looked_ns && now_ns - mapped->looked_ns < LOOK_NS)
		return mapped->id;
	/* This thread's own: after a main thread has ended, /proc/self has no maps. */
	reader.fd = (int)pb_sys(SYS_openat, AT_FDCWD, "/proc/thread-self/maps",
				O_RDONLY | O_CLOEXEC);
	if (reader.fd < 0)
		return mapped->id;
	mapped->looked_ns = now_ns;
	reader.used = reader.filled = 0;
	while (next_line())
		if (is_executable()) {
			sum = add_to(sum);
			size += reader.length;
		}
	if (sum != mapped->sum || !mapped->id) {
		mapped->sum = sum;
		write_down(size);
	}
	pb_sys(SYS_close, reader.fd);
	return mapped->id;
}
