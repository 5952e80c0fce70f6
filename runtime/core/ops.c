/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tracers: the public functions, each a lock around the engine. */
#include "engine.h"

#include "lock.h"
#include "quiesce.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Not from a handler: whoever waits for handlers holds the caller lock. */
static int enter_library(void)
{
	if (pb_thread_inside())
		return -EDEADLK;
	pb_caller_lock();
	pb_engine_lock();
	return 0;
}

static void leave_library(void)
{
	pb_engine_unlock();
	pb_caller_unlock();
}

unsigned int patchbay_abi_version(void)
{
	return PATCHBAY_ABI_VERSION;
}

/* As of copy_struct_from_user(): what we do not know must not be asked for. */
static int check_attr(const struct patchbay_ops_attr *attr)
{
	const unsigned char *byte = (const unsigned char *)attr;

	if (attr->size < sizeof(*attr))
		return -EINVAL;
	for (size_t i = sizeof(*attr); i < attr->size; i++)
		if (byte[i])
			return -E2BIG;
	return attr->handler && !(attr->flags & ~PATCHBAY_OPS_FAST) ? 0 :
								     -EINVAL;
}

int patchbay_ops_create(const struct patchbay_ops_attr *attr,
			struct patchbay_ops **ops)
{
	struct patchbay_ops *new;
	int error;

	error = check_attr(attr);
	if (error)
		return error;
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
	leave_library();
	*ops = new;
	return 0;
}

/* Take the globs equal to @glob, or all if it is NULL, from @ops. */
static struct pb_future *take_future(struct patchbay_ops *ops, const char *glob)
{
	struct pb_future **link = &ops->future, *taken = NULL, *f;

	while ((f = *link)) {
		if (glob && strcmp(f->glob, glob)) {
			link = &f->next;
			continue;
		}
		*link = f->next;
		f->next = taken;
		taken = f;
	}
	return taken;
}

static void free_future(struct pb_future *f)
{
	while (f) {
		struct pb_future *next = f->next;

		free(f);
		f = next;
	}
}

/*
 * Disarm, with the globs for modules to come taken first: modules come while
 * we wait. They are put back if it fails.
 */
static int disarm(struct patchbay_ops *ops, const char *glob, int all)
{
	struct pb_future *taken = take_future(ops, all ? NULL : glob), *f;
	int nr = pb_engine_disarm(ops, glob);

	while (nr < 0 && (f = taken)) {
		taken = f->next;
		f->next = ops->future;
		ops->future = f;
	}
	free_future(taken);
	return nr;
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
	nr = disarm(ops, "*", 1);
	if (nr >= 0) {
		for (link = &pb_tracers; *link != ops; link = &(*link)->next)
			;
		*link = ops->next;
	}
	leave_library();
	if (nr < 0)
		return nr;
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
	nr = pb_engine_arm(ops, glob);
	if (future && nr == -ENOENT)
		nr = 0;
	if (future && nr >= 0) {
		future->next = ops->future;
		ops->future = future;
		future = NULL;
	}
	leave_library();
	free(future);
	return nr;
}

int patchbay_disarm(struct patchbay_ops *ops, const char *glob)
{
	int nr, error = enter_library();

	if (error)
		return error;
	nr = disarm(ops, glob, 0);
	leave_library();
	return nr ? nr : -ENOENT;
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
	leave_library();
	return value;
}
