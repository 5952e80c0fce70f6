/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "parent.h"

#include "maps.h"
#include "session.h"

/* "4294967295.9999.spare.pbd" */
#define NAME_MAX_HERE 32

/* What a child writes to its struct pbd_parent, and the number of module ids in use. */
struct origin {
	uint64_t size;
	uint64_t start_ns;
	uint32_t pid;
	uint32_t nr_modules;
	char file[NAME_MAX_HERE];
};

/*
 * In memory that fork() copies: a child finds the data that its parent wrote or inherited.
 * Another thread may fork at any moment, so the newest element, @of[@nr % 2], never
 * changes. @nr is 0 until an element exists.
 */
static struct {
	uint64_t nr;
	struct origin of[2];
} newest;

static const struct origin *origin(void)
{
	uint64_t nr = __atomic_load_n(&newest.nr, __ATOMIC_ACQUIRE);

	return nr ? &newest.of[nr % 2] : NULL;
}

void pb_parent_is_self(void)
{
	const struct pb_data_file *file = &pb_session->file;
	const char *name = pb_data_name(file);
	uint64_t nr = newest.nr + 1;
	struct origin *next = &newest.of[nr % 2];

	/* Until pb_parent_write() has run, @newest is the data of this process's parent. */
	if (!pb_session->knows_parent)
		return;
	next->size = file->header->committed;
	next->start_ns = file->header->start_ns;
	next->pid = file->header->pid;
	next->nr_modules = pb_session->nr_modules;
	pb_copy(next->file, name, pb_length(name) + 1);
	__atomic_store_n(&newest.nr, nr, __ATOMIC_RELEASE);
}

void pb_parent_forget(void)
{
	__atomic_store_n(&newest.nr, 0, __ATOMIC_RELEASE);
}

size_t pb_parent_size(void)
{
	const struct origin *of = origin();

	return of && !pb_options_rotate(&pb_options) ?
		       sizeof(struct pbd_parent) + pb_length(of->file) + 1 :
		       0;
}

int pb_parent_write(void)
{
	const struct origin *of = origin();
	struct pbd_parent *chunk;
	int error;

	if (pb_session->knows_parent)
		return 0;
	/* With rotation this file gets copies of the chunks instead (rotate.h). */
	if (of && pb_options_rotate(&pb_options)) {
		pb_session->nr_modules = of->nr_modules;
	} else if (of) {
		chunk = pb_data_reserve(&pb_session->file, PBD_PARENT,
					pb_parent_size(), &error);
		if (!chunk)
			return error;
		chunk->size = of->size;
		chunk->start_ns = of->start_ns;
		chunk->pid = of->pid;
		pb_copy(chunk->file, of->file, pb_length(of->file) + 1);
		pb_data_commit(&pb_session->file, &chunk->chunk);
		pb_session->parent = chunk;
		pb_session->nr_modules = of->nr_modules;
		pb_session->maps_to_copy =
			__atomic_load_n(&pb_maps, __ATOMIC_ACQUIRE);
		pb_session->left_out_to_copy =
			__atomic_load_n(&pb_left_out_maps, __ATOMIC_ACQUIRE);
	}
	pb_session->knows_parent = 1;
	return 0;
}

int pb_parent_copy(void)
{
	const struct pb_map **map = &pb_session->maps_to_copy;
	const struct pb_left_out_map **left_out = &pb_session->left_out_to_copy;
	const struct pbd_chunk *copies[PB_MAP_CHUNKS];
	int error = 0;

	if (!pb_session->parent || pb_session->parent->here)
		return 0;
	/* After an error the next call continues with the rest. */
	while (*map && !(error = pb_map_copy(*map, copies)))
		*map = (*map)->next;
	while (!error && *left_out && !(error = pb_left_out_copy(*left_out, copies)))
		*left_out = (*left_out)->next;
	/*
	 * Release: a reader that sees @here in a file that is still being written also
	 * sees the copies.
	 */
	if (!error)
		__atomic_store_n(&pb_session->parent->here, 1, __ATOMIC_RELEASE);
	return error;
}
