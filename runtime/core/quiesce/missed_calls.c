/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "quiesce/quiesce.h"

#include "system/private.h"
#include "system/stats.h"
#include "types/tracer.h"

#include <errno.h>
#include <stddef.h>

/* The callback of libpatchbay-trace, or NULL. */
static void (*told)(const struct patchbay_ops *ops);

static void report_missed(const struct patchbay_ops *ops)
{
	void (*also)(const struct patchbay_ops *) =
		__atomic_load_n(&told, __ATOMIC_ACQUIRE);

	if (also)
		also(ops);
}

void pb_miss(const struct patchbay_cell *cell)
{
	__atomic_fetch_add(&cell->ops->missed, 1, __ATOMIC_RELAXED);
	report_missed(cell->ops);
}

void pb_miss_unseen(void)
{
	pb_count(&pb_stats.unseen);
	report_missed(NULL);
}

int pb_private_on_missed(void (*func)(const struct patchbay_ops *ops))
{
	void (*none)(const struct patchbay_ops *) = NULL;

	return __atomic_compare_exchange_n(&told, &none, func, 0,
					   __ATOMIC_RELEASE, __ATOMIC_RELAXED) ?
		       0 :
		       -EBUSY;
}
