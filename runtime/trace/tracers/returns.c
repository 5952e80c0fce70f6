/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tracers.h"

#include <core/system/private.h>
#include <patchbay/exit.h>

/* Session word of a call that is not recorded; otherwise the word is a time. */
#define NOT_RECORDED 0

#define ENTRY(name)                                                            \
	PB_HANDLER(name##_counted)                                             \
	{                                                                      \
		name(ip, parent_ip, cell, regs);                               \
		if (*patchbay_session_word(cell, regs) != NOT_RECORDED)        \
			pb_private_count_open_call(1);                         \
	}

/*
 * Counts after the handler has returned, because a signal handler may interrupt the handler
 * and leave by siglongjmp(3).
 */
#define EXIT(name)                                                             \
	PB_HANDLER(name##_counted)                                             \
	{                                                                      \
		const int is_counted =                                         \
			*patchbay_session_word(cell, regs) != NOT_RECORDED;    \
                                                                               \
		name(ip, parent_ip, cell, regs);                               \
		if (is_counted)                                                \
			pb_private_count_open_call(-1);                        \
	}

ENTRY(pb_graph_entry)
ENTRY(pb_values_duration_entry)
ENTRY(pb_depth_duration_entry)
ENTRY(pb_depth_graph_entry)
ENTRY(pb_awake_entry)
ENTRY(pb_awake_graph_entry)
ENTRY(pb_sample_duration_entry)
ENTRY(pb_sample_graph_entry)
ENTRY(pb_typed_duration_entry)
ENTRY(pb_typed_graph_entry)
EXIT(pb_threshold_graph_exit)
EXIT(pb_values_graph_exit)
EXIT(pb_depth_exit)
EXIT(pb_awake_exit)
EXIT(pb_awake_histogram_exit)
EXIT(pb_sample_exit)
EXIT(pb_sample_values_exit)
EXIT(pb_typed_exit)
