/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "untraceable_modules.h"

#include "session.h"

#include <core/system/memory.h>
#include <core/system/private.h>

#include <errno.h>
#include <string.h>

/* Modules that are in the file already. The session's lock guards the list. */
static struct known {
	struct known *next;
	uint32_t why, number;
	uint64_t size; /* size of the path, including NUL */
	char path[];
} *known;

static int is_known(const struct pb_private_other *other)
{
	for (const struct known *k = known; k; k = k->next)
		if (k->why == other->why && k->number == other->number &&
		    !strcmp(k->path, other->path))
			return 1;
	return 0;
}

_Static_assert((int)PBD_OTHER_VERSION == (int)PB_PRIVATE_OTHER_VERSION &&
		       (int)PBD_OTHER_NAMESPACE == (int)PB_PRIVATE_OTHER_NAMESPACE,
	       "what is written down is what the library says");

static int write_chunk(const struct known *k)
{
	struct pbd_other *chunk;
	int error;

	chunk = pb_data_reserve(&pb_session->file, PBD_OTHER,
				sizeof(*chunk) + k->size, &error);
	if (!chunk)
		return error;
	chunk->why = k->why;
	chunk->number = k->number;
	pb_copy(chunk->path, k->path, k->size);
	pb_data_commit(&pb_session->file, &chunk->chunk);
	return 0;
}

/* Makes the file if necessary, because the process may have no traceable module. */
static int write_down(const struct pb_private_other *other)
{
	const size_t size = strlen(other->path) + 1;
	struct known *k = pb_calloc(1, sizeof(*k) + size);
	int error = k ? pb_session_file() : -ENOMEM;

	if (!error) {
		*k = (struct known){ .next = known,
				     .why = other->why,
				     .number = other->number,
				     .size = size };
		memcpy(k->path, other->path, size);
		error = write_chunk(k);
	}
	if (error) {
		pb_free(k);
		return error;
	}
	known = k;
	return 0;
}

int pb_others_copy(void)
{
	int error = 0;

	for (const struct known *k = known; k && !error; k = k->next)
		error = write_chunk(k);
	return error;
}

static void visit(const struct pb_private_other *other, void *arg)
{
	int error;

	(void)arg;
	pb_guard(&pb_session->lock);
	if (!is_known(other)) {
		error = write_down(other);
		if (pb_session->file.header)
			pb_data_note(&pb_session->file, error);
	}
}

void pb_others_write(void)
{
	pb_private_visit_others(visit, NULL);
}

void pb_others_forget(void)
{
	struct known *k;

	while ((k = known)) {
		known = k->next;
		pb_free(k);
	}
}
