/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <patchbay/link.h>

/* Call the log function of @opts, if there is one. */
void pb_log(const struct patchbay_link_opts *opts, const char *name,
	    uintptr_t entry, int error, const char *reason);
