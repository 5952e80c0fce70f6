/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Patchbay, with links. The option is "KIND/WHERE" or "KIND/WHERE/NUMBER". KIND
 * "fmodret-skip" replaces the function's result. WHERE "one" attaches only to the function
 * of the hot loop, "all" to every function of the program. NUMBER is the number of links.
 */
#include "handlers.h"
#include "link_programs.h"
#include "worker.h"

#include <patchbay/link.h>

#include <stdio.h>
#include <string.h>

static const struct kind {
	const char *name;
	enum patchbay_link_kind kind;
	patchbay_handler count_entry, count_exit, entry, exit;
} kinds[] = {
	{ "fentry", PATCHBAY_FENTRY, count_call, NULL, ignore_call, NULL },
	{ "fexit", PATCHBAY_FEXIT, NULL, count_call, NULL, ignore_call },
	{ "fmodret", PATCHBAY_MODIFY_RETURN, count_call, NULL, ignore_call,
	  NULL },
	{ "fmodret-skip", PATCHBAY_MODIFY_RETURN, count_and_answer, NULL,
	  answer, NULL },
	{ "session", PATCHBAY_SESSION, count_call, count_call, ignore_call,
	  ignore_call },
};

#define MAX_LINKS 10

static struct patchbay_link *links[MAX_LINKS];
static unsigned int nr_links;
static char message[256];

static void note(void *arg, const char *name, uintptr_t entry, int error,
		 const char *reason)
{
	(void)arg, (void)entry, (void)error;
	snprintf(message, sizeof(message), "%s: %s", name ? name : "attach",
		 reason);
}

static const struct kind *find_kind(const char *option)
{
	size_t length = strcspn(option, "/");

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strlen(kinds[i].name) == length &&
		    !strncmp(option, kinds[i].name, length))
			return &kinds[i];
	return NULL;
}

static const char *attach_one(const char *option, int counting,
			      struct patchbay_link **link)
{
	const struct kind *kind = find_kind(option);
	int all = strstr(option, "/all") != NULL;
	struct patchbay_program program = { .size = sizeof(program),
					    .flags = PATCHBAY_OPS_FAST };
	struct patchbay_filter filter = { .size = sizeof(filter) };
	const struct patchbay_link_opts opts = { .size = sizeof(opts),
						 .filter = &filter,
						 .log = note };
	int nr;

	if (!kind)
		return "which kind of link?";
	program.entry = counting ? kind->count_entry : kind->entry;
	program.exit = counting ? kind->count_exit : kind->exit;
	filter.glob = all ? "*" : "hot_callee";
	nr = patchbay_link_attach(kind->kind, &program, &opts, link);
	if (nr < 0)
		return message;
	return (nr > 1) == all ? NULL : "not as many functions as was asked for";
}

static const char *attach(const char *option, int counting)
{
	const char *error = NULL;

	nr_links = 1;
	if (sscanf(option, "%*[^/]/%*[^/]/%u", &nr_links) == 1 &&
	    nr_links > MAX_LINKS)
		return "too many links";
	for (unsigned int i = 0; i < nr_links && !error; i++)
		error = attach_one(option, counting, &links[i]);
	return error;
}

const char *tracer_count(const char *option)
{
	return attach(option, 1);
}

const char *tracer_empty(const char *option)
{
	for (unsigned int i = 0; i < nr_links; i++)
		if (patchbay_link_destroy(links[i]))
			return "patchbay_link_destroy failed";
	return attach(option, 0);
}

uint64_t tracer_events(void)
{
	return counted_calls;
}
