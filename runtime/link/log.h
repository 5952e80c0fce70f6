/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef PB_LINK_LOG_H
#define PB_LINK_LOG_H

#include <patchbay/link.h>

/* Call the log function of @opts, if there is one. */
void pb_log(const struct patchbay_link_opts *opts, const char *name,
	    uintptr_t entry, int error, const char *reason);

#endif /* PB_LINK_LOG_H */
