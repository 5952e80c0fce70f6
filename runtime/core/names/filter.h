/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The library's copy of a filter: checked, compiled, and with copies of its lists. The copy
 * outlives the call that passed the filter.
 */
#pragma once

#include <patchbay/patchbay.h>

#include <regex.h>

enum pb_selector { PB_BY_GLOB, PB_BY_REGEX, PB_BY_SYMS, PB_BY_ADDRS };

/*
 * An item of a list. A name that the list repeats is one item.
 * @hash: pb_name_hash() of the name
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
 * @users:        the reference count: the number of pb_filter_free() calls to come
 * @next, @link:  in the list of all filters for future modules: the next filter, and the
 *                pointer to this filter
 * @same:         the next filter for future modules of the same tracer
 * @ops, @flags:  the tracer to arm in future modules, and PATCHBAY_ARM_*
 * @pattern:      glob or regular expression, as it was given
 * @prefix:       the length of the glob up to its first wildcard
 * @match, @arg:  a callback that replaces fnmatch(3), or NULL
 * @table:        for names: a hash table with open addressing. An entry is 0, or 1 + the
 *                index of an item
 * @mask:         the size of the table minus 1
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

/* "*": every function, even without a name. */
extern struct pb_filter pb_filter_all;

/* @notrace: @from is the notrace of another filter. Returns 0, -EINVAL, -E2BIG or -ENOMEM. */
int pb_filter_new(const struct patchbay_filter *from, int notrace, struct pb_filter **filter);
void pb_filter_free(struct pb_filter *filter);

/* Are the filters equal? Ignores cookies. Not for PB_BY_ADDRS. */
int pb_filter_equal(const struct pb_filter *a, const struct pb_filter *b);

/*
 * Does the filter select functions of this name? Returns 1 if so, or for lists 1 + the index
 * of the item; 0 if not; or -ENOMEM. Not for PB_BY_ADDRS.
 */
int pb_filter_name(const struct pb_filter *filter, const char *name);

static inline int pb_filter_is_list(const struct pb_filter *filter)
{
	return filter->by == PB_BY_SYMS || filter->by == PB_BY_ADDRS;
}

int pb_filter_is_all(const struct pb_filter *filter);

/* If the filter is a glob without wildcards, the only name that it matches; otherwise NULL. */
const char *pb_filter_plain_name(const struct pb_filter *filter);

/* The hash of a function's name, in lists and in tables of symbols. */
static inline uint32_t pb_name_hash(const char *name)
{
	uint32_t hash = 5381;

	while (*name)
		hash = hash * 33 + (unsigned char)*name++;
	return hash;
}
