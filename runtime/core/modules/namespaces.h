/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Modules in other namespaces of the loader than the library's own (dlmopen(3)). They are
 * not registered and cannot be traced. Such a namespace has its own C library, which ends
 * threads without notice to this library, although pb_thread is part of each thread.
 * Handlers and unwinders would have to ask that C library instead of ours. So the library
 * only reports such modules to the user.
 */
#ifndef PB_CORE_NAMESPACES_H
#define PB_CORE_NAMESPACES_H

#include <patchbay/abi.h>

/*
 * Call @visit, under a lock of the loader, for each such module with its file and its
 * descriptor. Finds none if the loader has no namespaces or does not list them, and in a
 * forked child.
 */
void pb_elsewhere_visit(void (*visit)(const char *path,
				      const struct patchbay_module *desc, void *arg),
			void *arg);

#endif /* PB_CORE_NAMESPACES_H */
