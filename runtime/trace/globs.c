/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "globs.h"

#include "readable.h"
#include "session.h"
#include "sorted_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct glob {
	const char *text;
	size_t size; /* with its NUL */
	enum pbd_asked_by by;
	uint32_t matched;
} *globs;
static size_t nr_globs;
/* A module with functions exists, so a glob without a match is an error. */
static int has_functions;

static void take_down(enum pbd_asked_by by, const char *const *texts, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (texts[i])
			globs[nr_globs++] = (struct glob){
				.text = texts[i],
				.size = strlen(texts[i]) + 1,
				.by = by,
				.matched = !strcmp(texts[i], "*"),
			};
}

int pb_globs_init(void)
{
	if (pb_options.checked)
		return 0;
	globs = calloc(pb_options.nr_filters + pb_options.nr_args +
			       pb_options.nr_under + pb_options.nr_start_at +
			       pb_options.nr_stop_at,
		       sizeof(*globs));
	if (!globs)
		return -ENOMEM;
	take_down(PBD_FILTER, pb_options.filters, pb_options.nr_filters);
	take_down(PBD_ARGS, pb_options.args, pb_options.nr_args);
	take_down(PBD_UNDER, pb_options.under, pb_options.nr_under);
	take_down(PBD_START_AT, pb_options.start_at, pb_options.nr_start_at);
	take_down(PBD_STOP_AT, pb_options.stop_at, pb_options.nr_stop_at);
	return 0;
}

void pb_globs_forget(void)
{
	free(globs);
	globs = NULL;
	nr_globs = 0;
	has_functions = 0;
}

size_t pb_globs_size(void)
{
	const struct pbd_asked *chunk;
	size_t size = sizeof(*chunk) + nr_globs * sizeof(chunk->asked[0]);

	for (size_t i = 0; i < nr_globs; i++)
		size += globs[i].size;
	return nr_globs ? (size + 7) & ~(size_t)7 : 0;
}

int pb_globs_write(void)
{
	struct pbd_asked *chunk;
	char *text;
	int error;

	if (!nr_globs)
		return 0;
	chunk = pb_data_reserve(&pb_session->file, PBD_ASKED, pb_globs_size(),
				&error);
	if (!chunk)
		return error;
	chunk->nr = nr_globs;
	text = (char *)&chunk->asked[nr_globs];
	for (size_t i = 0; i < nr_globs; i++) {
		chunk->asked[i].by = globs[i].by;
		chunk->asked[i].matched = globs[i].matched;
		pb_copy(text, globs[i].text, globs[i].size);
		text += globs[i].size;
	}
	pb_data_commit(&pb_session->file, &chunk->chunk);
	pb_session->asked = chunk;
	return 0;
}

/*
 * Also mark it in the file. Make the file now if it is missing: a process in
 * which no function is armed would leave none.
 */
static void note(struct glob *glob, int matched)
{
	pb_sigset signals;

	if (!glob)
		return;
	if (has_functions && glob->matched >= (uint32_t)matched)
		return;
	pb_signal_lock(&pb_session->lock, &signals);
	has_functions = 1;
	glob->matched |= (uint32_t)matched;
	if (!pb_session_file() && pb_session->asked)
		pb_session->asked->asked[glob - globs].matched = glob->matched;
	pb_signal_unlock(&pb_session->lock, signals);
}

/* Wildcards never match names that begin with '@': <patchbay/filter.h>. */
static int match_name(const char *glob, const char *name)
{
	return *name == '@' ? !strcmp(glob, name) : pb_readable_match(glob, name);
}

static int match_glob(const char *glob, const char *name, void *arg)
{
	int matched = name ? match_name(glob, name) : 0;

	if (matched >= 0)
		note(arg, matched);
	return matched;
}

struct patchbay_filter pb_glob_filter(enum pbd_asked_by by, const char *text)
{
	struct patchbay_filter filter = {
		.size = sizeof(filter), .glob = text, .match = match_glob,
	};

	for (size_t i = 0; i < nr_globs; i++)
		if (globs[i].by == by && globs[i].text == text)
			filter.arg = &globs[i];
	return filter;
}

static int match_any(const char *const *of, size_t nr, const char *name)
{
	int matched = 0;

	for (size_t i = 0; i < nr && !matched; i++)
		matched = match_name(of[i], name);
	return matched;
}

static int match_list(const char *glob, const char *name, void *arg)
{
	const struct pb_glob_list *list = arg;
	int matched;

	(void)glob;
	if (!name)
		return 0;
	if (pb_names_have(list->sorted, list->nr_sorted, name))
		return 1;
	for (size_t i = 0; i < list->nr_names; i++)
		if (!strcmp(list->names[i], name))
			return 1;
	matched = match_any(list->globs, list->nr, name);
	return matched ? matched : match_any(list->others, list->nr_others, name);
}

struct patchbay_filter pb_glob_list_filter(const char *name,
					   struct pb_glob_list *list)
{
	return (struct patchbay_filter){
		.size = sizeof(struct patchbay_filter),
		.glob = list->nr + list->nr_others + list->nr_names +
						list->nr_sorted ?
				name :
				NULL,
		.match = match_list,
		.arg = list,
	};
}

static const char *option(enum pbd_asked_by by)
{
	switch (by) {
	case PBD_FILTER:
		return "filter";
	case PBD_ARGS:
		return "args";
	case PBD_START_AT:
		return "start-at";
	case PBD_STOP_AT:
		return "stop-at";
	case PBD_UNDER:
		return "under";
	}
	return "";
}

size_t pb_globs_unmatched(char *text, size_t size)
{
	size_t nr = 0, used = 0;

	for (size_t i = 0; i < nr_globs && has_functions; i++) {
		if (globs[i].matched)
			continue;
		if (used < size)
			used += (size_t)snprintf(text + used, size - used,
						 "%s%s='%s'", nr ? ", " : "",
						 option(globs[i].by),
						 globs[i].text);
		nr++;
	}
	return nr;
}
