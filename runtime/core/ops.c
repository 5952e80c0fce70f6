/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tracers: the public functions, each a lock around the engine. */
#include "engine.h"

#include "quiesce.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Not from a handler: whoever waits for handlers to end holds the lock. */
static int enter_library(void)
{
	if (pb_thread_inside())
		return -EDEADLK;
	pb_engine_lock();
	return 0;
}

unsigned int patchbay_abi_version(void)
{
	return PATCHBAY_ABI_VERSION;
}

int patchbay_ops_create(const struct patchbay_ops_attr *attr,
			struct patchbay_ops **ops)
{
	struct patchbay_ops *new;
	int error;

	if (attr->size != sizeof(*attr) || !attr->handler ||
	    attr->flags & ~PATCHBAY_OPS_FAST)
		return -EINVAL;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	new->attr = *attr;
	error = enter_library();
	if (error) {
		free(new);
		return error;
	}
	new->next = pb_tracers;
	pb_tracers = new;
	pb_engine_unlock();
	*ops = new;
	return 0;
}

static void forget_future(struct patchbay_ops *ops, const char *glob)
{
	struct pb_future **link = &ops->future, *f;

	while ((f = *link)) {
		if (glob && strcmp(f->glob, glob)) {
			link = &f->next;
			continue;
		}
		*link = f->next;
		free(f);
	}
}

int patchbay_ops_destroy(struct patchbay_ops *ops)
{
	struct patchbay_ops **link;
	int nr, error;

	if (!ops)
		return 0;
	error = enter_library();
	if (error)
		return error;
	nr = pb_engine_disarm(ops, "*", NULL);
	if (nr < 0 && nr != -ENOENT) {
		pb_engine_unlock();
		return nr;
	}
	for (link = &pb_tracers; *link != ops; link = &(*link)->next)
		;
	*link = ops->next;
	forget_future(ops, NULL);
	pb_engine_unlock();
	free(ops);
	return 0;
}

int patchbay_arm(struct patchbay_ops *ops, const char *glob,
		 unsigned int flags)
{
	struct pb_future *future = NULL;
	int nr, error;

	if (flags & ~PATCHBAY_ARM_FUTURE)
		return -EINVAL;
	if (flags & PATCHBAY_ARM_FUTURE) {
		future = malloc(sizeof(*future) + strlen(glob) + 1);
		if (!future)
			return -ENOMEM;
		strcpy(future->glob, glob);
	}
	error = enter_library();
	if (error) {
		free(future);
		return error;
	}
	nr = pb_engine_arm(ops, glob, NULL);
	if (future && nr == -ENOENT)
		nr = 0;
	if (future && nr >= 0) {
		future->next = ops->future;
		ops->future = future;
		future = NULL;
	}
	pb_engine_unlock();
	free(future);
	return nr;
}

int patchbay_disarm(struct patchbay_ops *ops, const char *glob)
{
	int nr, error = enter_library();

	if (error)
		return error;
	nr = pb_engine_disarm(ops, glob, NULL);
	if (nr >= 0 || nr == -ENOENT)
		forget_future(ops, glob);
	pb_engine_unlock();
	return nr;
}

int patchbay_for_each_site(int (*visit)(const struct patchbay_site_info *site,
					void *arg),
			   void *arg)
{
	int value = enter_library();

	if (value)
		return value;
	for (struct pb_module *m = pb_modules; m && !value; m = m->next) {
		for (size_t i = 0; i < m->nr && !value; i++) {
			const struct patchbay_record *record = &m->records[i];
			struct patchbay_site_info site = {
				.module = &m->info,
				.record = record,
				.entry = pb_record_entry(record),
			};

			site.cells = pb_engine_cells(m, record, &site.nr_cells);
			value = visit(&site, arg);
		}
	}
	pb_engine_unlock();
	return value;
}
