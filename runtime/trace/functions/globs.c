/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "globs.h"

#include "options/sorted_names.h"
#include "own_stack.h"
#include "readable.h"
#include "session/requested_names.h"

#include <string.h>

/* Wildcards never match names that begin with '@': <patchbay/filter.h>. */
static int match_name(const char *glob, const char *name)
{
	return *name == '@' ? !strcmp(glob, name) : pb_readable_match(glob, name);
}

struct search {
	const char *const *globs;
	size_t nr;
	const char *name;
	int matched;
};

static void match_until_found(void *arg)
{
	struct search *search = arg;

	for (size_t i = 0; i < search->nr && !search->matched; i++)
		search->matched = match_name(search->globs[i], search->name);
}

/* Uses another stack, because the thread that loads a module may have little stack left. */
static int match_any(const char *const *globs, size_t nr, const char *name)
{
	struct search search = { globs, nr, name, 0 };
	int error = nr ? pb_on_own_stack(match_until_found, &search) : 0;

	return error ? error : search.matched;
}

static int match_glob(const char *glob, const char *name, void *arg)
{
	int matched = name ? match_any(&glob, 1, name) : 0;

	if (matched >= 0)
		pb_asked_match(arg, matched);
	return matched;
}

struct patchbay_filter pb_glob_filter(enum pbd_asked_by by, const char *text)
{
	return (struct patchbay_filter){
		.size = sizeof(struct patchbay_filter),
		.glob = text,
		.match = match_glob,
		.arg = pb_asked_find(by, text),
	};
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

static int has_all(const char *const *globs, size_t nr)
{
	size_t i = 0;

	while (i < nr && strcmp(globs[i], "*"))
		i++;
	return i < nr;
}

struct patchbay_filter pb_glob_list_filter(const char *name,
					   struct pb_glob_list *list)
{
	/* Functions without a name are selected only by the glob "*", not by @match. */
	if (has_all(list->globs, list->nr) || has_all(list->others, list->nr_others))
		return (struct patchbay_filter){ .size = sizeof(struct patchbay_filter),
						 .glob = "*" };
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
