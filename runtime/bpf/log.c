/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * On its own because it is compiled without -fsanitize=kcfi: the log is a
 * function of the program, which need not be compiled with that.
 */
#include "object.h"

int pb_bpf_log(const struct patchbay_bpf_opts *opts, const char *name,
	       int error, const char *reason)
{
	if (opts && opts->log)
		opts->log(opts->log_arg, name, error, reason);
	return error;
}
