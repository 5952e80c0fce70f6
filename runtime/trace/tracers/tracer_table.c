/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tracer_table.h"

#include "functions/modules.h"
#include "session/recording.h"
#include "session/session.h"
#include "tracers.h"

#include <string.h>

#define ENTRY(entry, how) { .handler = (entry), .attach = (how) }
#define BOTH(entry, at_exit, how) { .handler = (entry), .exit = (at_exit), .attach = (how) }
/* A tracer without an entry handler: libpatchbay times its calls. */
#define TIMED(at_exit, how)                                                    \
	{ .exit = (at_exit), .threshold = &pb_threshold, .attach = (how) }

#define PROFILE .name = "function_profile"
#define FUNCTION .name = "function", .events = 1
#define DURATION .name = "function_duration", .events = 1
#define GRAPH .name = "function_graph", .events = 1

/*
 * Variants of function_graph with a threshold. Their handlers count calls without a return.
 */
static const struct pb_tracer_kind graph = {
	GRAPH, .with_threshold = &graph,
	.attr = {
		BOTH(pb_graph_entry_counted, pb_threshold_graph_exit_counted, pb_session_attach),
		BOTH(pb_graph_entry_counted, pb_values_graph_exit_counted, pb_session_attach),
		BOTH(pb_typed_graph_entry_counted, pb_typed_exit_counted, pb_typed_attach) },
};
static const struct pb_tracer_kind depth_graph = {
	GRAPH, .depth = 1, .with_threshold = &depth_graph,
	.attr = { BOTH(pb_depth_graph_entry_counted, pb_depth_exit_counted,
		       pb_session_attach) },
};
static const struct pb_tracer_kind sample_graph = {
	GRAPH, .sample = 1, .with_threshold = &sample_graph,
	.attr = {
		BOTH(pb_sample_graph_entry_counted, pb_sample_exit_counted, pb_sample_attach),
		BOTH(pb_sample_graph_entry_counted, pb_sample_values_exit_counted,
		     pb_sample_attach) },
};
static const struct pb_tracer_kind awake_graph = {
	GRAPH, .no_sleep_time = 1, .with_threshold = &awake_graph,
	.attr = { BOTH(pb_awake_graph_entry_counted, pb_awake_exit_counted,
		       pb_session_attach) },
};

static const struct pb_tracer_kind tracers[] = {
	{ PROFILE, .attr = { ENTRY(pb_profile_call, pb_profile_attach) } },
	{ PROFILE, .events = 1, .histogram = 1,
	  .attr = { TIMED(pb_histogram_exit, pb_histogram_attach) } },
	{ PROFILE, .events = 1, .histogram = 1, .no_sleep_time = 1,
	  .attr = { BOTH(pb_awake_entry_counted, pb_awake_histogram_exit_counted,
			 pb_histogram_attach) } },
	{ FUNCTION,
	  .attr = { ENTRY(pb_function_entry, pb_session_attach),
		    ENTRY(pb_values_entry, pb_session_attach),
		    ENTRY(pb_typed_entry, pb_typed_attach) } },
	{ FUNCTION, .sample = 1,
	  .attr = { ENTRY(pb_sample_function_entry, pb_sample_attach),
		    ENTRY(pb_sample_function_values, pb_sample_attach) } },
	{ DURATION,
	  .attr = { TIMED(pb_duration_exit, pb_session_attach),
		    BOTH(pb_values_duration_entry_counted, pb_values_graph_exit_counted,
			 pb_session_attach),
		    BOTH(pb_typed_duration_entry_counted, pb_typed_exit_counted,
			 pb_typed_attach) } },
	{ DURATION, .depth = 1,
	  .attr = { BOTH(pb_depth_duration_entry_counted, pb_depth_exit_counted,
			 pb_session_attach) } },
	{ DURATION, .sample = 1,
	  .attr = { BOTH(pb_sample_duration_entry_counted, pb_sample_exit_counted,
			 pb_sample_attach),
		    BOTH(pb_sample_duration_entry_counted, pb_sample_values_exit_counted,
			 pb_sample_attach) } },
	{ DURATION, .no_sleep_time = 1,
	  .attr = { BOTH(pb_awake_entry_counted, pb_awake_exit_counted,
			 pb_session_attach) } },
	{ GRAPH, .with_threshold = &graph,
	  .attr = { BOTH(pb_graph_entry, pb_graph_exit, pb_session_attach),
		    BOTH(pb_graph_entry, pb_values_graph_exit, pb_session_attach),
		    BOTH(pb_typed_graph_entry, pb_typed_exit, pb_typed_attach) } },
	{ GRAPH, .depth = 1, .with_threshold = &depth_graph,
	  .attr = { BOTH(pb_depth_graph_entry, pb_depth_exit, pb_session_attach) } },
	{ GRAPH, .sample = 1, .with_threshold = &sample_graph,
	  .attr = { BOTH(pb_sample_graph_entry, pb_sample_exit, pb_sample_attach),
		    BOTH(pb_sample_graph_entry, pb_sample_values_exit, pb_sample_attach) } },
	{ GRAPH, .no_sleep_time = 1, .with_threshold = &awake_graph,
	  .attr = { BOTH(pb_awake_graph_entry, pb_awake_exit, pb_session_attach) } },
};

const struct pb_tracer_kind *pb_tracer_find(const char *name, int histogram,
					    int depth, int no_sleep_time,
					    int sample)
{
	for (size_t i = 0; i < sizeof(tracers) / sizeof(tracers[0]); i++)
		if (name && !strcmp(tracers[i].name, name) &&
		    tracers[i].histogram == histogram &&
		    tracers[i].depth == depth &&
		    tracers[i].no_sleep_time == no_sleep_time &&
		    tracers[i].sample == sample)
			return &tracers[i];
	return NULL;
}
