/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Modules in other namespaces of the loader than this library is in (dlmopen(3)). They
 * are not registered with us, and stay alone: such a namespace has a C library of its
 * own, which ends threads without telling us (pb_thread is a part of theirs), and would
 * have to be asked, not ours, for what handlers and unwinders want to know. So who has
 * functions there is only told that nobody traces them.
 */
#ifndef PB_CORE_ELSEWHERE_H
#define PB_CORE_ELSEWHERE_H

#include <patchbay/abi.h>

/*
 * Call @visit for each such module, with its file and its descriptor; with a lock of the
 * loader's held. Of loaders that have no namespaces, or do not tell, there is none.
 */
void pb_elsewhere_visit(void (*visit)(const char *path,
				      const struct patchbay_module *desc, void *arg),
			void *arg);

#endif /* PB_CORE_ELSEWHERE_H */
