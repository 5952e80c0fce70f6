/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "names/filter.h"

#include "system/attr.h"
#include "system/memory.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <string.h>

struct pb_filter pb_filter_all = { .by = PB_BY_GLOB,
				   .pattern = (char[]){ "*" } };

static int check_filter(const struct patchbay_filter *from, int notrace)
{
	int list = from->syms || from->addrs;

	if (!!from->glob + !!from->regex + !!from->syms + !!from->addrs != 1)
		return -EINVAL;
	if (list ? !from->cnt : from->cnt || from->cookies)
		return -EINVAL;
	if (from->match && !from->glob)
		return -EINVAL;
	if (notrace && (from->cookies || from->notrace))
		return -EINVAL;
	return from->cnt > INT_MAX ? -E2BIG : 0;
}

/*
 * regcomp(3) and regexec(3) allocate from the program's heap. The recorder uses no regular
 * expressions, so this happens only for a program's own filters.
 */
static int new_regex(struct pb_filter *filter, const char *regex)
{
	filter->pattern = pb_copy_string(regex);
	if (!filter->pattern)
		return -ENOMEM;
	switch (regcomp(&filter->regex, regex, REG_EXTENDED | REG_NOSUB)) {
	case 0:
		filter->by = PB_BY_REGEX;
		return 0;
	case REG_ESPACE:
		return -ENOMEM;
	default:
		return -EINVAL;
	}
}

/* The slot of @name in the hash table, or the free slot to store it in. */
static uint32_t *find_name(const struct pb_filter *filter, const char *name,
			   uint32_t hash)
{
	uint32_t at = hash & filter->mask;

	for (; filter->table[at]; at = (at + 1) & filter->mask) {
		const struct pb_filter_item *item =
			&filter->items[filter->table[at] - 1];

		if (item->hash == hash && !strcmp(item->name, name))
			break;
	}
	return &filter->table[at];
}

/* Allocate the items and the names in one block, and a hash table at most half full. */
static int new_syms(struct pb_filter *filter, const char *const *syms,
		    void *const *cookies, size_t nr)
{
	size_t size = 0, places = 4;
	char *names;

	filter->by = PB_BY_SYMS;
	for (size_t i = 0; i < nr; i++) {
		if (!syms[i])
			return -EINVAL;
		size += strlen(syms[i]) + 1;
	}
	while (places < 2 * nr)
		places *= 2;
	filter->items = pb_malloc(nr * sizeof(*filter->items) + size);
	filter->table = pb_calloc(places, sizeof(*filter->table));
	if (!filter->items || !filter->table)
		return -ENOMEM;
	filter->mask = (uint32_t)places - 1;
	names = (char *)(filter->items + nr);
	for (size_t i = 0; i < nr; i++) {
		struct pb_filter_item *item = &filter->items[filter->nr];
		uint32_t hash = pb_name_hash(syms[i]);
		uint32_t *place = find_name(filter, syms[i], hash);

		if (*place)
			continue;
		item->name = names;
		item->hash = hash;
		item->cookie = cookies ? cookies[i] : NULL;
		names = stpcpy(names, syms[i]) + 1;
		*place = (uint32_t)++filter->nr;
	}
	return 0;
}

static int new_addrs(struct pb_filter *filter, const uintptr_t *addrs,
		     void *const *cookies, size_t nr)
{
	struct pb_filter_item *items = pb_malloc(nr * sizeof(*items));

	filter->by = PB_BY_ADDRS;
	filter->items = items;
	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		items[i] = (struct pb_filter_item){
			.addr = addrs[i],
			.cookie = cookies ? cookies[i] : NULL,
		};
	filter->nr = nr;
	return 0;
}

int pb_filter_new(const struct patchbay_filter *given, int notrace, struct pb_filter **filter)
{
	struct patchbay_filter read, *from = &read;
	struct pb_filter *new;
	int error = pb_read_attr(from, sizeof(*from), given,
				 PATCHBAY_FILTER_SIZE_VER0);

	if (!error)
		error = check_filter(from, notrace);
	if (error)
		return error;
	new = pb_calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	new->users = 1;
	new->cookies = from->cookies != NULL;
	new->match = from->match;
	new->arg = from->arg;
	if (from->glob) {
		new->by = PB_BY_GLOB;
		new->prefix = strcspn(from->glob, "*?[\\");
		new->pattern = pb_copy_string(from->glob);
		error = new->pattern ? 0 : -ENOMEM;
	} else if (from->regex) {
		error = new_regex(new, from->regex);
	} else if (from->syms) {
		error = new_syms(new, from->syms, from->cookies, from->cnt);
	} else {
		error = new_addrs(new, from->addrs, from->cookies, from->cnt);
	}
	if (!error && from->notrace)
		error = pb_filter_new(from->notrace, 1, &new->notrace);
	if (error) {
		pb_filter_free(new);
		return error;
	}
	*filter = new;
	return 0;
}

void pb_filter_free(struct pb_filter *filter)
{
	if (!filter || --filter->users)
		return;
	pb_filter_free(filter->notrace);
	if (filter->by == PB_BY_REGEX)
		regfree(&filter->regex);
	pb_free(filter->pattern);
	pb_free(filter->items);
	pb_free(filter->table);
	pb_free(filter);
}

static int equal_syms(const struct pb_filter *a, const struct pb_filter *b)
{
	if (a->nr != b->nr)
		return 0;
	for (size_t i = 0; i < a->nr; i++)
		if (!pb_filter_name(b, a->items[i].name))
			return 0;
	return 1;
}

int pb_filter_equal(const struct pb_filter *a, const struct pb_filter *b)
{
	if (a->by != b->by || !a->notrace != !b->notrace)
		return 0;
	if (a->notrace && !pb_filter_equal(a->notrace, b->notrace))
		return 0;
	return a->by == PB_BY_SYMS ? equal_syms(a, b) :
				     !strcmp(a->pattern, b->pattern);
}

static int match_glob(const struct pb_filter *filter, const char *name)
{
	const char *rest = filter->pattern + filter->prefix;

	if (filter->match)
		return filter->match(filter->pattern, name, filter->arg);
	/* Compare the prefix first: most names differ there, and fnmatch() is slow. */
	if (strncmp(name, filter->pattern, filter->prefix))
		return 0;
	if (!strcmp(rest, "*"))
		return 1;
	if (!*rest)
		return !name[filter->prefix];
	switch (fnmatch(filter->pattern, name, 0)) {
	case 0:
		return 1;
	case FNM_NOMATCH:
		return 0;
	default:
		return -ENOMEM;
	}
}

static int match_regex(const struct pb_filter *filter, const char *name)
{
	switch (regexec(&filter->regex, name, 0, NULL, 0)) {
	case 0:
		return 1;
	case REG_NOMATCH:
		return 0;
	default:
		return -ENOMEM;
	}
}

int pb_filter_name(const struct pb_filter *filter, const char *name)
{
	switch (filter->by) {
	case PB_BY_GLOB:
		return match_glob(filter, name);
	case PB_BY_REGEX:
		return match_regex(filter, name);
	case PB_BY_SYMS:
		return (int)*find_name(filter, name, pb_name_hash(name));
	default:
		return 0;
	}
}

int pb_filter_is_all(const struct pb_filter *filter)
{
	return filter->by == PB_BY_GLOB && !strcmp(filter->pattern, "*");
}

const char *pb_filter_plain_name(const struct pb_filter *filter)
{
	return filter->by == PB_BY_GLOB && !filter->match &&
			       !filter->pattern[filter->prefix] ?
		       filter->pattern :
		       NULL;
}
