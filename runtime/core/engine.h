/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Arming and disarming in batches: plan, validate, publish, sync, arm. The
 * caller holds both locks (lock.h) and is not in a handler. Both functions may
 * let go of the engine lock for a while.
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
 * Arm @ops on what matches. Returns the number of newly armed functions or a
 * negative errno, with nothing changed; -ENOENT: nothing matches.
 */
int pb_engine_arm(struct patchbay_ops *ops, const char *glob);

/*
 * Disarm @ops on what matches and wait until nobody is in its handler on
 * behalf of that. Returns how many functions it was armed on, 0 included. On
 * error they may be without a tracer already, but nobody has waited.
 */
int pb_engine_disarm(struct patchbay_ops *ops, const char *glob);

/* The tracers that are armed on the function of @record; *@nr may be 0. */
const struct patchbay_cell *pb_engine_cells(const struct pb_module *module,
					    const struct patchbay_record *record,
					    size_t *nr);

/*
 * A module came: arm what tracers wait for. One goes: none of its functions
 * calls a handler from now on. These do not wait, and need no caller lock.
 */
void pb_engine_module_added(struct pb_module *module);
void pb_engine_module_leaving(struct pb_module *module);

#endif /* PB_CORE_ENGINE_H */
