/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Attaches links with a log. Shared by link.c and link-errors.c. */
#ifndef LINK_ATTACH_H
#define LINK_ATTACH_H

#include "link.h"

#include <string.h>

static int calls;
static void *cookie_seen;

PROGRAM(count)
{
	UNUSED_CONTEXT;
	calls++;
	cookie_seen = patchbay_get_attach_cookie(cell);
}

static const struct patchbay_program fentry = { .size = sizeof(fentry),
						.flags = PATCHBAY_OPS_FAST,
						.entry = count };
static const struct patchbay_program fexit = { .size = sizeof(fexit),
					       .flags = PATCHBAY_OPS_FAST,
					       .exit = count };

/* Prints the log, one line per entry. */
static char logged[4096];

static void log_line(void *arg, const char *name, uintptr_t entry, int error,
		     const char *reason)
{
	size_t length = strlen(logged);

	CHECK(arg == logged);
	(void)entry;
	snprintf(logged + length, sizeof(logged) - length, "%s: %d: %s\n",
		 name ? name : "-", error, reason);
}

static struct patchbay_link *latest;

static int attach_opts(enum patchbay_link_kind kind,
		       const struct patchbay_program *program,
		       struct patchbay_link_opts opts)
{
	opts.size = sizeof(opts);
	opts.log = log_line;
	opts.log_arg = logged;
	logged[0] = 0;
	latest = NULL;
	return patchbay_link_attach(kind, program, &opts, &latest);
}

static int attach(enum patchbay_link_kind kind,
		  const struct patchbay_program *program, const char *glob,
		  unsigned int flags)
{
	const struct patchbay_filter filter = { .size = sizeof(filter),
						.glob = glob };

	return attach_opts(kind, program,
			   (struct patchbay_link_opts){ .filter = &filter,
							.flags = flags });
}

#define CHECK_LOG(text)                                                        \
	do {                                                                   \
		if (strcmp(logged, text)) {                                    \
			printf("%s:%d: the log is\n%s", __FILE__, __LINE__,    \
			       logged);                                        \
			exit(1);                                               \
		}                                                              \
	} while (0)

static struct patchbay_program asking(struct patchbay_program program,
				      unsigned int nr_args,
				      enum patchbay_return result)
{
	program.nr_args = nr_args;
	program.result = result;
	return program;
}

#endif /* LINK_ATTACH_H */
