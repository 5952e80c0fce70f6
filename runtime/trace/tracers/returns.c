/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "returns.h"

#include "tracers.h"
#include "typed.h"

#include <core/system/private.h>
#include <patchbay/exit.h>

/* In a call that is not recorded, entry handlers store this instead of a time. */
#define NOT_RECORDED 0

#define ENTRY(name)                                                            \
	PB_COUNTED_HANDLER(name)                                               \
	{                                                                      \
		name(ip, parent_ip, cell, regs);                               \
		if (*patchbay_session_word(cell, regs) != NOT_RECORDED)        \
			pb_private_count_open_call(1);                         \
	}

#define EXIT(name)                                                             \
	PB_COUNTED_HANDLER(name)                                               \
	{                                                                      \
		if (*patchbay_session_word(cell, regs) != NOT_RECORDED)        \
			pb_private_count_open_call(-1);                        \
		name(ip, parent_ip, cell, regs);                               \
	}

ENTRY(pb_graph_entry)
ENTRY(pb_depth_duration_entry)
ENTRY(pb_depth_graph_entry)
ENTRY(pb_awake_entry)
ENTRY(pb_awake_graph_entry)
ENTRY(pb_sample_duration_entry)
ENTRY(pb_sample_graph_entry)
ENTRY(pb_typed_duration_entry)
ENTRY(pb_typed_graph_entry)
EXIT(pb_graph_exit)
EXIT(pb_values_graph_exit)
EXIT(pb_depth_exit)
EXIT(pb_awake_exit)
EXIT(pb_awake_histogram_exit)
EXIT(pb_sample_exit)
EXIT(pb_sample_values_exit)
EXIT(pb_typed_exit)
