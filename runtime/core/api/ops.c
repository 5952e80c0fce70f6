/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The public functions for tracers. Each function takes the locks and calls the layer change/. */
#include "api/ops.h"

#include "call/unwinder.h"
#include "cells/cell.h"
#include "change/engine.h"
#include "change/settle.h"
#include "quiesce/quiesce.h"
#include "system/attr.h"
#include "system/lock.h"
#include "system/memory.h"

#include <errno.h>
#include <limits.h>
#include <wchar.h>

/*
 * fnmatch(3) and regexec(3) convert names in multi-byte locales. On the first conversion in
 * a locale other than UTF-8, glibc loads a converter by dlopen(3), which waits for the loader's
 * lock. Convert a character here, where the thread holds no lock.
 */
static void load_converter(void)
{
	mbstate_t state = { 0 };

	(void)mbrlen("a", 1, &state);
}

/*
 * Returns -EDEADLK in a handler: the thread that holds the caller lock may be waiting for
 * this handler.
 */
int pb_enter_library_from(const void *frame)
{
	int error;

	if (pb_thread_inside_below(frame))
		return -EDEADLK;
	load_converter();
	error = pb_caller_lock();
	if (error)
		return error;
	pb_change_lock();
	return 0;
}

void pb_leave_library(void)
{
	pb_modules_reap();
	pb_change_unlock();
	pb_caller_unlock();
}

unsigned int patchbay_abi_version(void)
{
	return PATCHBAY_ABI_VERSION;
}

static int check_attr(const struct patchbay_ops_attr *attr)
{
	if (!attr->handler && !attr->exit)
		return -EINVAL;
	if (attr->threshold && (attr->handler || !attr->exit))
		return -EINVAL;
	if (attr->flags & PATCHBAY_OPS_MODULE_DATA && !attr->attach)
		return -EINVAL;
	return attr->flags & ~(PATCHBAY_OPS_FAST | PATCHBAY_OPS_RECURSION |
			       PATCHBAY_OPS_MODULE_DATA | PATCHBAY_OPS_NO_RESULT_FP) ?
		       -EINVAL :
		       0;
}

/* Structures of destroyed tracers. */
static struct patchbay_ops *unused;

static struct patchbay_ops *take_ops(void)
{
	struct patchbay_ops *ops;

	pb_engine_lock();
	ops = unused;
	if (ops)
		unused = ops->next;
	pb_engine_unlock();
	return ops ? ops : pb_malloc(sizeof(*ops));
}

int patchbay_ops_create_abi(const struct patchbay_ops_attr *from,
			    struct patchbay_ops **ops, unsigned int abi)
{
	struct patchbay_ops_attr attr;
	struct patchbay_ops *new;
	int error;

	if (abi != PATCHBAY_HANDLER_ABI)
		return -EPROTONOSUPPORT;
	if (pb_thread_inside() || pb_is_called_back())
		return -EDEADLK;
	error = pb_read_attr(&attr, sizeof(attr), from,
			     PATCHBAY_OPS_ATTR_SIZE_VER0);
	if (!error)
		error = check_attr(&attr);
	if (error)
		return error;
	pb_unwinder_find();
	if (attr.exit)
		__atomic_store_n(&pb_has_exits, 1, __ATOMIC_RELAXED);
	new = take_ops();
	if (!new)
		return -ENOMEM;
	*new = (struct patchbay_ops){ .attr = attr, .cells = PB_CELLS_NONE };
	if (attr.threshold) {
		new->threshold = *attr.threshold;
		new->attr.handler = pb_timed_entry;
	}
	*ops = new;
	return 0;
}

/*
 * For programs that were compiled with the first headers, where patchbay_ops_create() was not
 * inline, and for programs that look it up by dlsym(3).
 */
int pb_ops_create_first(const struct patchbay_ops_attr *attr,
			struct patchbay_ops **ops)
	__asm__("patchbay_ops_create");

int pb_ops_create_first(const struct patchbay_ops_attr *attr,
			struct patchbay_ops **ops)
{
	return patchbay_ops_create_abi(attr, ops, 0);
}

int patchbay_ops_destroy(struct patchbay_ops *ops)
{
	struct pb_request request = { .ops = ops,
				      .filter = &pb_filter_all,
				      .disarm = 1,
				      .all = 1 };
	int error;

	if (!ops)
		return 0;
	error = pb_enter_library();
	if (error)
		return error;
	error = pb_engine_commit(&request);
	if (!error) {
		pb_engine_lock();
		ops->next = unused;
		unused = ops;
		pb_engine_unlock();
	}
	pb_leave_library();
	return error;
}

/* Set the handlers of @ops: *@exit is the new exit handler. If @exit is NULL, keep the old one. */
static int update(struct patchbay_ops *ops, patchbay_handler handler,
		  const patchbay_handler *exit)
{
	struct pb_ops_change new = { .handler = handler };
	int error = pb_enter_library();

	if (error)
		return error;
	/* A tracer with a threshold keeps the library's own entry handler. */
	if (ops->attr.threshold)
		new.handler = handler ? NULL : pb_timed_entry;
	new.exit = exit ? *exit : ops->attr.exit;
	new.disabled = ops->disabled;
	if (!new.handler != !ops->attr.handler || !new.exit != !ops->attr.exit)
		error = -EINVAL;
	if (!error)
		error = pb_retarget(ops, &new);
	pb_leave_library();
	return error;
}

int patchbay_ops_update(struct patchbay_ops *ops, patchbay_handler handler)
{
	return handler ? update(ops, handler, NULL) : -EINVAL;
}

int patchbay_ops_update_both(struct patchbay_ops *ops, patchbay_handler handler,
			     patchbay_handler exit)
{
	return update(ops, handler, &exit);
}

static int disable(struct patchbay_ops *ops, int disabled)
{
	int error = pb_enter_library();

	if (error)
		return error;
	error = pb_retarget(ops, &(const struct pb_ops_change){ ops->attr.handler,
								ops->attr.exit, disabled });
	pb_leave_library();
	return error;
}

int patchbay_ops_enable(struct patchbay_ops *ops)
{
	return disable(ops, 0);
}

int patchbay_ops_disable(struct patchbay_ops *ops)
{
	return disable(ops, 1);
}

int patchbay_ops_get_info(const struct patchbay_ops *ops,
			  struct patchbay_ops_info *info)
{
	struct patchbay_ops_info now = { 0 };

	pb_engine_lock();
	now.flags = ops->attr.flags;
	now.enabled = !ops->disabled;
	now.armed = pb_cells_count_armed(ops);
	now.nmissed = __atomic_load_n(&ops->missed, __ATOMIC_RELAXED);
	now.future_error = ops->error;
	pb_engine_unlock();
	return pb_write_info(info, &now, sizeof(now),
			     PATCHBAY_OPS_INFO_SIZE_VER0);
}

int pb_request_count(const struct pb_request *requests)
{
	size_t nr = 0;

	for (; requests; requests = requests->next)
		nr += requests->nr;
	return nr > INT_MAX ? INT_MAX : (int)nr;
}

int pb_request_init(struct pb_request *request, struct patchbay_ops *ops,
		    const struct patchbay_filter *filter, unsigned int flags,
		    int disarm)
{
	struct pb_filter *own;
	int error;

	if (flags & ~(PATCHBAY_ARM_FUTURE | PATCHBAY_ARM_SKIP))
		return -EINVAL;
	error = pb_filter_new(filter, 0, &own);
	if (error)
		return error;
	/* Refuse addresses: a future module may have other functions at these addresses. */
	if (flags & PATCHBAY_ARM_FUTURE &&
	    (own->by == PB_BY_ADDRS ||
	     (own->notrace && own->notrace->by == PB_BY_ADDRS))) {
		pb_filter_free(own);
		return -EINVAL;
	}
	*request = (struct pb_request){ .ops = ops,
					.filter = own,
					.flags = flags,
					.disarm = disarm,
					.fresh = 1 };
	return 0;
}

static inline __attribute__((always_inline)) int
carry_out(struct patchbay_ops *ops, const struct patchbay_filter *filter,
	  unsigned int flags, int disarm)
{
	struct pb_request request;
	int error = pb_request_init(&request, ops, filter, flags, disarm);

	if (error)
		return error;
	error = pb_enter_library();
	if (!error) {
		error = pb_engine_commit(&request);
		pb_leave_library();
	}
	pb_filter_free(request.filter);
	return error ? error : pb_request_count(&request);
}

int patchbay_arm_filter(struct patchbay_ops *ops,
			const struct patchbay_filter *filter,
			unsigned int flags)
{
	return carry_out(ops, filter, flags, 0);
}

int patchbay_disarm_filter(struct patchbay_ops *ops,
			   const struct patchbay_filter *filter)
{
	int nr = carry_out(ops, filter, 0, 1);

	return nr ? nr : -ENOENT;
}

int patchbay_arm(struct patchbay_ops *ops, const char *glob,
		 unsigned int flags)
{
	const struct patchbay_filter filter = { .size = sizeof(filter),
						.glob = glob };

	return patchbay_arm_filter(ops, &filter, flags);
}

int patchbay_disarm(struct patchbay_ops *ops, const char *glob)
{
	const struct patchbay_filter filter = { .size = sizeof(filter),
						.glob = glob };

	return patchbay_disarm_filter(ops, &filter);
}

int patchbay_synchronize(void)
{
	int error = pb_enter_library();

	if (error)
		return error;
	error = pb_settle(NULL);
	pb_leave_library();
	return error;
}
