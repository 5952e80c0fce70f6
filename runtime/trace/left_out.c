/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "left_out.h"
#include "parent.h"
#include "session.h"

#include <stdlib.h>
#include <string.h>

#define NEVER (PATCHBAY_RECORD_VARIADIC | PATCHBAY_RECORD_UNKNOWN_ARGS | \
	       PATCHBAY_RECORD_NORETURN)

/*
 * By address, each once: a function is asked about for each filter that selects
 * it. The session's lock guards them.
 */
static struct left_out {
	uint64_t address;
	uint32_t flags;
	uint32_t written;
} *left_out;
static size_t nr_left_out, room, nr_written;

/* Without memory there are fewer. */
static void add(uint64_t address, uint32_t flags)
{
	size_t at = 0, end = nr_left_out;

	while (at < end) {
		size_t middle = at + (end - at) / 2;

		if (left_out[middle].address < address)
			at = middle + 1;
		else
			end = middle;
	}
	if (at < nr_left_out && left_out[at].address == address)
		return;
	if (nr_left_out == room) {
		size_t more = room ? 2 * room : 64;
		void *list = realloc(left_out, more * sizeof(*left_out));

		if (!list)
			return;
		left_out = list;
		room = more;
	}
	memmove(&left_out[at + 1], &left_out[at],
		(nr_left_out - at) * sizeof(*left_out));
	left_out[at] = (struct left_out){ .address = address, .flags = flags };
	nr_left_out++;
}

int pb_left_out_check(void *arg, const struct patchbay_target *target)
{
	pb_sigset signals;

	(void)arg;
	if (!(target->record->flags & NEVER))
		return 0;
	pb_signal_lock(&pb_session->lock, &signals);
	add(target->entry, target->record->flags);
	pb_signal_unlock(&pb_session->lock, signals);
	return -EOPNOTSUPP;
}

void pb_left_out_write_locked(void)
{
	size_t nr = nr_left_out - nr_written;
	struct pb_left_out_map *map;
	struct pbd_left_out *chunk;
	int error;

	if (!nr || !pb_session->file.header)
		return;
	map = malloc(sizeof(*map));
	if (!map) {
		pb_data_note(&pb_session->file, -ENOMEM);
		return;
	}
	chunk = pb_data_reserve(&pb_session->file, PBD_LEFT_OUT,
				sizeof(*chunk) + nr * sizeof(chunk->function[0]),
				&error);
	if (!chunk) {
		pb_data_note(&pb_session->file, error);
		free(map);
		return;
	}
	for (size_t i = 0; i < nr_left_out; i++) {
		if (left_out[i].written)
			continue;
		chunk->function[chunk->nr].address = left_out[i].address;
		chunk->function[chunk->nr++].flags = left_out[i].flags;
		left_out[i].written = 1;
	}
	pb_session->file.header->left_out += nr;
	nr_written = nr_left_out;
	pb_data_commit(&pb_session->file, &chunk->chunk);
	pb_parent_is_self();
	map->chunk = chunk;
	map->next = pb_left_out_maps;
	/* A child that is forked at this moment reads a list that is whole. */
	__atomic_store_n(&pb_left_out_maps, map, __ATOMIC_RELEASE);
}

void pb_left_out_write(void)
{
	pb_sigset signals;

	pb_signal_lock(&pb_session->lock, &signals);
	pb_left_out_write_locked();
	pb_signal_unlock(&pb_session->lock, signals);
}
