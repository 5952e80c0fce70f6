/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Arming and disarming in batches: plan, validate, publish, sync, arm. The
 * caller holds the engine lock and is not in a handler.
 */
#ifndef PB_CORE_ENGINE_H
#define PB_CORE_ENGINE_H

#include "module.h"

/* A glob that also holds for modules to come. */
struct pb_future {
	struct pb_future *next;
	char glob[];
};

struct patchbay_ops {
	struct patchbay_ops_attr attr;
	struct patchbay_ops *next;
	struct pb_future *future;
};

/* All tracers. */
extern struct patchbay_ops *pb_tracers;

/*
 * Arm @ops on what matches in @only, or in all modules if that is NULL.
 * Returns the number of newly armed functions or a negative errno, with
 * nothing changed.
 */
int pb_engine_arm(struct patchbay_ops *ops, const char *glob,
		  struct pb_module *only);

/* Disarm and wait until nobody is in the handler; the same returns. */
int pb_engine_disarm(struct patchbay_ops *ops, const char *glob,
		     struct pb_module *only);

/* The tracers that are armed on the function of @record; *@nr may be 0. */
const struct patchbay_cell *pb_engine_cells(const struct pb_module *module,
					    const struct patchbay_record *record,
					    size_t *nr);

/* A module came: arm what tracers wait for. One goes: disarm all of it. */
void pb_engine_module_added(struct pb_module *module);
int pb_engine_module_leaving(struct pb_module *module);

#endif /* PB_CORE_ENGINE_H */
