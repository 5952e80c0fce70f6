/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Filters as the library keeps them: checked, compiled, with copies of their
 * lists, so that they outlive the call that brought them.
 */
#ifndef PB_CORE_FILTER_H
#define PB_CORE_FILTER_H

#include <patchbay/patchbay.h>

#include <regex.h>

enum pb_selector { PB_BY_GLOB, PB_BY_REGEX, PB_BY_SYMS, PB_BY_ADDRS };

/*
 * An item of a list. Names that are equal are one item, the first.
 * @hash: of the name, pb_name_hash()
 */
struct pb_filter_item {
	union {
		const char *name;
		uintptr_t addr;
	};
	void *cookie;
	uint32_t hash;
};

/*
 * @users:        how often pb_filter_free() has to be called
 * @next, @link:  of the list of filters for modules to come, and what points to
 *                this one there
 * @same:         the next one there of the same tracer
 * @ops, @flags:  the tracer that is to be armed there, and how
 * @pattern:      glob or regular expression, as it was given
 * @prefix:       how much of a glob is no pattern
 * @match, @arg:  what decides in the place of fnmatch(3), or NULL
 * @table:        names: 1 + the index of an item, or 0, at its hash or behind
 * @mask:         size of the table minus 1
 * @cookies:      items have cookies
 */
struct pb_filter {
	unsigned int users;
	struct pb_filter *next, **link, *same;
	struct patchbay_ops *ops;
	unsigned int flags;
	enum pb_selector by;
	char *pattern;
	size_t prefix;
	int (*match)(const char *glob, const char *name, void *arg);
	void *arg;
	regex_t regex;
	size_t nr;
	struct pb_filter_item *items;
	uint32_t *table;
	uint32_t mask;
	int cookies;
	struct pb_filter *notrace;
};

/* "*": every function, also those without a name. */
extern struct pb_filter pb_filter_all;

/* Returns 0, -EINVAL, -E2BIG or -ENOMEM. */
int pb_filter_new(const struct patchbay_filter *from,
		  struct pb_filter **filter);
void pb_filter_free(struct pb_filter *filter);

/* Do they say the same? Not for PB_BY_ADDRS, nor of cookies. */
int pb_filter_equal(const struct pb_filter *a, const struct pb_filter *b);

/*
 * Does it select functions of this name? 0: no; else 1, of lists 1 + the index
 * of the item. -ENOMEM. Not for PB_BY_ADDRS.
 */
int pb_filter_name(const struct pb_filter *filter, const char *name);

static inline int pb_filter_is_list(const struct pb_filter *filter)
{
	return filter->by == PB_BY_SYMS || filter->by == PB_BY_ADDRS;
}

int pb_filter_is_all(const struct pb_filter *filter);

/* The only name that a glob matches, NULL if it is a pattern or none. */
const char *pb_filter_plain_name(const struct pb_filter *filter);

#endif /* PB_CORE_FILTER_H */
