/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "mappings.h"

#include "session.h"

#include <core/system/maps_text.h>

#define LOOK_NS 1000000000u

/* Static, since stacks may be small. The session's lock guards it. */
static struct pb_maps_text reader;

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

/*
 * Other threads may add mappings after @size was computed. The next look finds lines
 * that do not fit.
 */
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
	pb_maps_rewind(&reader);
	while (pb_maps_next(&reader))
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
	if (pb_maps_open(&reader))
		return mapped->id;
	mapped->looked_ns = now_ns;
	while (pb_maps_next(&reader))
		if (is_executable()) {
			sum = add_to(sum);
			size += reader.length;
		}
	if (sum != mapped->sum || !mapped->id) {
		mapped->sum = sum;
		write_down(size);
	}
	pb_maps_close(&reader);
	return mapped->id;
}
