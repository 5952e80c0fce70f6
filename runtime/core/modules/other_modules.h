/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Modules that the library lists on request, but does not trace: struct pb_other. */
#ifndef PB_CORE_OTHER_MODULES_H
#define PB_CORE_OTHER_MODULES_H

#include "types/module.h"

/*
 * Add the module that contains @desc, whose file is @path. Takes the modules lock. If out of
 * memory, the module stays unknown.
 */
void pb_other_add(const struct patchbay_module *desc, const char *path,
		  size_t path_size);

/* Under the modules lock: forget the module, whose destructor has reported its unload. */
void pb_other_forget(const struct patchbay_module *desc);

/*
 * Is the module still loaded? A module that was loaded before the library may not report its
 * unload, because its destructor has no library to call, or one of another version. So this
 * asks the loader, without a lock, and works in any context. If the loader cannot tell, the
 * module counts as loaded until it reports its unload.
 */
int pb_other_is_loaded(const struct pb_other *other);

/* Remove all modules that are no longer loaded. Takes the modules lock. */
void pb_others_forget_unloaded(void);

/*
 * Modules in other namespaces of the loader (dlmopen(3)). They are not registered and cannot
 * be traced: such a namespace has its own C library, which ends threads without notice to this
 * library, although pb_thread is part of each thread. Handlers and unwinders would have to
 * use that C library instead of ours. So the library only reports such modules to the user.
 *
 * Calls @visit for each such module, with its file and its descriptor, under a lock of the
 * loader. Finds none if the loader has no namespaces or does not list them, and in a forked
 * child.
 */
void pb_elsewhere_visit(void (*visit)(const char *path,
				      const struct patchbay_module *desc, void *arg),
			void *arg);

#endif /* PB_CORE_OTHER_MODULES_H */
