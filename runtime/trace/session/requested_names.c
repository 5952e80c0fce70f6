/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "requested_names.h"

#include "session.h"

#include <core/system/memory.h>

#include <stdio.h>
#include <string.h>

static struct pb_asked {
	const char *text;
	size_t size; /* size of the name, including NUL */
	enum pbd_asked_by by;
	uint32_t matched;
} *asked;
static size_t nr_asked;
/* A module with functions exists. Before that, a glob without a match is no error. */
static int has_functions;

static void take_down(enum pbd_asked_by by, const char *const *texts, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (texts[i])
			asked[nr_asked++] = (struct pb_asked){
				.text = texts[i],
				.size = strlen(texts[i]) + 1,
				.by = by,
				.matched = !strcmp(texts[i], "*"),
			};
}

int pb_asked_init(void)
{
	if (pb_options.checked)
		return 0;
	asked = pb_calloc(pb_options.nr_filters + pb_options.nr_args +
			       pb_options.nr_under + pb_options.nr_start_at +
			       pb_options.nr_stop_at,
		       sizeof(*asked));
	if (!asked)
		return -ENOMEM;
	take_down(PBD_FILTER, pb_options.filters, pb_options.nr_filters);
	take_down(PBD_ARGS, pb_options.args, pb_options.nr_args);
	take_down(PBD_UNDER, pb_options.under, pb_options.nr_under);
	take_down(PBD_START_AT, pb_options.start_at, pb_options.nr_start_at);
	take_down(PBD_STOP_AT, pb_options.stop_at, pb_options.nr_stop_at);
	return 0;
}

void pb_asked_forget(void)
{
	pb_free(asked);
	asked = NULL;
	nr_asked = 0;
	has_functions = 0;
}

size_t pb_asked_size(void)
{
	const struct pbd_asked *chunk;
	size_t size = sizeof(*chunk) + nr_asked * sizeof(chunk->asked[0]);

	for (size_t i = 0; i < nr_asked; i++)
		size += asked[i].size;
	return nr_asked ? (size + 7) & ~(size_t)7 : 0;
}

int pb_asked_write(void)
{
	struct pbd_asked *chunk;
	char *text;
	int error;

	if (!nr_asked)
		return 0;
	chunk = pb_data_reserve(&pb_session->file, PBD_ASKED, pb_asked_size(),
				&error);
	if (!chunk)
		return error;
	chunk->nr = nr_asked;
	text = (char *)&chunk->asked[nr_asked];
	for (size_t i = 0; i < nr_asked; i++) {
		chunk->asked[i].by = asked[i].by;
		chunk->asked[i].matched = asked[i].matched;
		pb_copy(text, asked[i].text, asked[i].size);
		text += asked[i].size;
	}
	pb_data_commit(&pb_session->file, &chunk->chunk);
	pb_session->asked = chunk;
	return 0;
}

/*
 * Makes the file if necessary, so that the names are written even if no function is armed.
 */
void pb_asked_match(struct pb_asked *glob, int matched)
{
	if (!glob)
		return;
	if (has_functions && glob->matched >= (uint32_t)matched)
		return;
	pb_guard(&pb_session->lock);
	has_functions = 1;
	glob->matched |= (uint32_t)matched;
	if (!pb_session_file() && pb_session->asked)
		pb_session->asked->asked[glob - asked].matched = glob->matched;
}

struct pb_asked *pb_asked_find(enum pbd_asked_by by, const char *text)
{
	struct pb_asked *found = NULL;

	for (size_t i = 0; i < nr_asked; i++)
		if (asked[i].by == by && asked[i].text == text)
			found = &asked[i];
	return found;
}

static const char *const options[] = {
	[PBD_FILTER] = "filter",
	[PBD_ARGS] = "args",
	[PBD_START_AT] = "start-at",
	[PBD_STOP_AT] = "stop-at",
	[PBD_UNDER] = "under",
};

size_t pb_asked_unmatched(char *text, size_t size)
{
	size_t nr = 0, used = 0;

	for (size_t i = 0; i < nr_asked && has_functions; i++) {
		if (asked[i].matched)
			continue;
		if (used < size)
			used += (size_t)snprintf(text + used, size - used,
						 "%s%s='%s'", nr ? ", " : "",
						 options[asked[i].by],
						 asked[i].text);
		nr++;
	}
	return nr;
}
