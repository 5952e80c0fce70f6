/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "parked.h"

#include <core/system/memory.h>

#include <dlfcn.h>
#include <string.h>

/*
 * @base, @path: identify the module, because another module may be loaded at this address
 *               later
 * @armed:       it was rearmed; if it must be disarmed once more, the wait was too short
 */
static struct parked {
	struct parked *next;
	uintptr_t entry;
	struct patchbay_ops *of;
	uintptr_t base;
	char *path;
	double part;
	uint64_t wait_ns, next_ns;
	int armed;
} *all;

static int find_module(uintptr_t entry, uintptr_t *base, const char **path)
{
	Dl_info info;

	if (!dladdr((void *)entry, &info))
		return 0;
	*base = (uintptr_t)info.dli_fbase;
	*path = info.dli_fname;
	return 1;
}

static int is_there(const struct parked *parked)
{
	const char *path;
	uintptr_t base;

	return find_module(parked->entry, &base, &path) &&
	       base == parked->base && !strcmp(path, parked->path);
}

static struct parked *find_parked(uintptr_t entry)
{
	struct parked *parked = all;

	while (parked && parked->entry != entry)
		parked = parked->next;
	return parked;
}

/* Returns NULL if there is no memory: the function stays disarmed. */
static struct parked *add_parked(uintptr_t entry)
{
	struct parked *parked = pb_calloc(1, sizeof(*parked));
	const char *path;

	if (!parked || !find_module(entry, &parked->base, &path) ||
	    !(parked->path = pb_copy_string(path))) {
		pb_free(parked);
		return NULL;
	}
	parked->entry = entry;
	parked->wait_ns = PB_PARKED_WAIT_NS;
	parked->next = all;
	all = parked;
	return parked;
}

void pb_parked_add(uintptr_t entry, struct patchbay_ops *of, double part,
		   uint64_t now_ns)
{
	struct parked *parked = find_parked(entry);

	if (parked && parked->wait_ns < PB_PARKED_WAIT_MAX_NS)
		parked->wait_ns *= 2;
	if (!parked && !(parked = add_parked(entry)))
		return;
	parked->of = of;
	parked->part = part;
	parked->next_ns = now_ns + parked->wait_ns;
	parked->armed = 0;
}

static void drop(struct parked *parked)
{
	struct parked **at = &all;

	while (*at != parked)
		at = &(*at)->next;
	*at = parked->next;
	pb_free(parked->path);
	pb_free(parked);
}

uintptr_t pb_parked_take(double room, uint64_t now_ns, struct patchbay_ops **of)
{
	struct parked *best = NULL;

	for (struct parked *each = all; each; each = each->next) {
		if (each->armed || now_ns < each->next_ns)
			continue;
		if (each->part > room) {
			each->part /= 2;
			each->next_ns = now_ns + each->wait_ns;
		} else if (!best || each->part < best->part) {
			best = each;
		}
	}
	if (!best)
		return 0;
	if (!is_there(best)) {
		drop(best);
		return 0;
	}
	best->armed = 1;
	*of = best->of;
	return best->entry;
}

void pb_parked_forget(void)
{
	while (all)
		drop(all);
}
