/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object.h"

int pb_bpf_log(const struct patchbay_bpf_opts *opts, const char *name,
	       int error, const char *reason)
{
	if (opts && opts->log)
		opts->log(opts->log_arg, name, error, reason);
	return error;
}
