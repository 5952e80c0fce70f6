/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Updating static calls. The tramp's code is the architecture's business
 * (arch/<name>/static_call.c); that one update runs at a time is ours.
 */
#include "static_call.h"

#include "text.h"

#include <patchbay/static_call.h>

int __static_call_update(struct static_call_key *key, void *tramp, void *func)
{
	int error;

	pb_engine_lock();
	error = pb_arch_static_call_update(key, (uintptr_t)tramp, func);
	pb_engine_unlock();
	return error;
}
