/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "others.h"

#include "session.h"

#include <core/private.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Those that are written down. The session's lock guards them. */
static struct known {
	struct known *next;
	uint32_t why, number;
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

/* Also in a file that there would not be else: nothing else may be traced. */
static int write_down(const struct pb_private_other *other)
{
	const size_t size = strlen(other->path) + 1;
	struct known *k = malloc(sizeof(*k) + size);
	struct pbd_other *chunk;
	int error = k ? pb_session_file() : -ENOMEM;

	chunk = error ? NULL :
			pb_data_reserve(&pb_session->file, PBD_OTHER,
					sizeof(*chunk) + size, &error);
	if (!chunk) {
		free(k);
		return error;
	}
	chunk->why = other->why;
	chunk->number = other->number;
	memcpy(chunk->path, other->path, size);
	pb_data_commit(&pb_session->file, &chunk->chunk);
	*k = (struct known){ .next = known,
			     .why = other->why,
			     .number = other->number };
	memcpy(k->path, other->path, size);
	known = k;
	return 0;
}

static void visit(const struct pb_private_other *other, void *arg)
{
	pb_sigset signals;
	int error;

	(void)arg;
	pb_signal_lock(&pb_session->lock, &signals);
	if (!is_known(other)) {
		error = write_down(other);
		if (pb_session->file.header)
			pb_data_note(&pb_session->file, error);
	}
	pb_signal_unlock(&pb_session->lock, signals);
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
		free(k);
	}
}
