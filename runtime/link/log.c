/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "log.h"

void pb_log(const struct patchbay_link_opts *opts, const char *name,
	    uintptr_t entry, int error, const char *reason)
{
	if (opts->log)
		opts->log(opts->log_arg, name, entry, error, reason);
}
