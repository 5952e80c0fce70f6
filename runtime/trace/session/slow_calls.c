/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "slow_calls.h"

#include "memory_limit.h"
#include "session.h"

#include <core/system/maps_text.h>

#define SLOW_SIZE (sizeof(struct pbd_slow) + PB_WHY_STACK)
/* The number of slow calls that are stored even if the buffer is smaller. */
#define SLOW_MIN 16u

/*
 * The maximum number of slow calls. Slow calls use at most half of the memory limit
 * (max-memory=).
 */
static uint64_t most(void)
{
	uint64_t fit = pb_options.buffer / SLOW_SIZE;
	const uint64_t half = pb_options.max_memory / 2 / SLOW_SIZE;

	if (pb_options.max_memory && fit > half)
		fit = half;
	return fit < SLOW_MIN ? SLOW_MIN : fit;
}

int pb_slow_calls_begin(void)
{
	struct pbd_why *why;
	int error;

	if (!pb_options.why_ns)
		return 0;
	why = pb_data_reserve(&pb_session->file, PBD_WHY, sizeof(*why), &error);
	if (!why)
		return error;
	why->threshold_ns = pb_options.why_ns;
	pb_data_commit(&pb_session->file, &why->chunk);
	pb_session->why = why;
	return 0;
}

/* Returns the oldest element that no thread is filling in, or NULL. */
static struct pbd_slow *oldest(void)
{
	for (uint64_t tries = 0; tries < pb_session->nr_slow; tries++) {
		struct pbd_slow *slow =
			pb_session->slow[pb_session->oldest_slow++ %
					 pb_session->nr_slow];

		if (__atomic_load_n(&slow->id, __ATOMIC_ACQUIRE))
			return slow;
	}
	return NULL;
}

struct pbd_slow *pb_slow_calls_take(void)
{
	struct pbd_slow *slow;
	int error;

	if (!pb_session->slow && pb_options.overwrite) {
		pb_session->slow = pb_session_alloc(
			most() * sizeof(*pb_session->slow), &error);
		if (!pb_session->slow)
			return NULL;
	}
	if (pb_session->nr_slow >= most() || !pb_memory_has_room(SLOW_SIZE, 0))
		return pb_options.overwrite ? oldest() : NULL;
	slow = pb_data_reserve(&pb_session->file, PBD_SLOW, SLOW_SIZE, &error);
	if (!slow) {
		pb_data_note(&pb_session->file, error);
		return pb_options.overwrite ? oldest() : NULL;
	}
	pb_data_commit(&pb_session->file, &slow->chunk);
	pb_memory_take(SLOW_SIZE);
	if (pb_options.overwrite)
		pb_session->slow[pb_session->nr_slow] = slow;
	pb_session->nr_slow++;
	return slow;
}

void pb_slow_calls_forget(void)
{
	if (pb_session->slow)
		pb_sys(SYS_munmap, pb_session->slow,
		       most() * sizeof(*pb_session->slow));
}

#define LOOK_NS 1000000000u

/* Static, because stacks may be small. The session's lock guards @reader. */
static struct pb_maps_text reader;

/* A line has the format "START-END rwxp ...". */
static int is_executable(void)
{
	uint32_t at = 0;

	while (at < reader.length && reader.line[at] != ' ')
		at++;
	return at + 3 < reader.length && reader.line[at + 3] == 'x';
}

/* The hash function is FNV-1a. */
static uint64_t add_to(uint64_t sum)
{
	for (uint32_t i = 0; i < reader.length; i++)
		sum = (sum ^ (unsigned char)reader.line[i]) * 0x100000001b3;
	return sum;
}

/*
 * Other threads may add mappings after @size was computed. The next check stores lines that
 * do not fit now.
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
