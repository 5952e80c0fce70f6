/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "types/tracer.h"

#include "types/call_state.h"
#include "types/module.h"

/* Defined here, so that rooms that read these lists need not include a higher room. */
struct pb_module *pb_modules;
struct pb_other *pb_others;
uint64_t pb_since;

void pb_begin_batch(void)
{
	pb_since = pb_call_next_number(pb_since);
}
