/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tracer_table.h"

#include "functions/modules.h"
#include "session/recording.h"
#include "session/session.h"
#include "tracers.h"

#include <string.h>

/* function_graph with a threshold, whose handlers count calls without a return. */
static const struct pb_tracer_kind graph = {
	.name = "function_graph", .events = 1, .with_threshold = &graph,
	.attr = { .handler = pb_graph_entry_counted, .exit = pb_graph_exit_counted,
		  .attach = pb_session_attach },
	.values = { .handler = pb_graph_entry_counted,
		    .exit = pb_values_graph_exit_counted,
		    .attach = pb_session_attach },
	.typed = { .handler = pb_typed_graph_entry_counted,
		   .exit = pb_typed_exit_counted, .attach = pb_typed_attach },
};
static const struct pb_tracer_kind depth_graph = {
	.name = "function_graph", .events = 1, .depth = 1,
	.with_threshold = &depth_graph,
	.attr = { .handler = pb_depth_graph_entry_counted,
		  .exit = pb_depth_exit_counted, .attach = pb_session_attach },
};
static const struct pb_tracer_kind sample_graph = {
	.name = "function_graph", .events = 1, .sample = 1,
	.with_threshold = &sample_graph,
	.attr = { .handler = pb_sample_graph_entry_counted,
		  .exit = pb_sample_exit_counted, .attach = pb_sample_attach },
	.values = { .handler = pb_sample_graph_entry_counted,
		    .exit = pb_sample_values_exit_counted,
		    .attach = pb_sample_attach },
};
static const struct pb_tracer_kind awake_graph = {
	.name = "function_graph", .events = 1, .no_sleep_time = 1,
	.with_threshold = &awake_graph,
	.attr = { .handler = pb_awake_graph_entry_counted,
		  .exit = pb_awake_exit_counted, .attach = pb_session_attach },
};

static const struct pb_tracer_kind tracers[] = {
	{ .name = "function_profile",
	  .attr = { .handler = pb_profile_call, .attach = pb_profile_attach } },
	{ .name = "function_profile", .events = 1, .histogram = 1,
	  .attr = { .exit = pb_histogram_exit, .threshold = &pb_threshold,
		    .attach = pb_histogram_attach } },
	{ .name = "function_profile", .events = 1, .histogram = 1,
	  .no_sleep_time = 1,
	  .attr = { .handler = pb_awake_entry_counted,
		    .exit = pb_awake_histogram_exit_counted,
		    .attach = pb_histogram_attach } },
	{ .name = "function", .events = 1,
	  .attr = { .handler = pb_function_entry,
		    .attach = pb_session_attach },
	  .values = { .handler = pb_values_entry,
		      .attach = pb_session_attach },
	  .typed = { .handler = pb_typed_entry, .attach = pb_typed_attach } },
	{ .name = "function_duration", .events = 1,
	  .attr = { .exit = pb_duration_exit, .threshold = &pb_threshold,
		    .attach = pb_session_attach },
	  .values = { .exit = pb_values_exit, .threshold = &pb_threshold,
		      .attach = pb_session_attach },
	  .typed = { .handler = pb_typed_duration_entry_counted,
		     .exit = pb_typed_exit_counted,
		     .attach = pb_typed_attach } },
	{ .name = "function_duration", .events = 1, .depth = 1,
	  .attr = { .handler = pb_depth_duration_entry_counted,
		    .exit = pb_depth_exit_counted,
		    .attach = pb_session_attach } },
	{ .name = "function_duration", .events = 1, .no_sleep_time = 1,
	  .attr = { .handler = pb_awake_entry_counted,
		    .exit = pb_awake_exit_counted,
		    .attach = pb_session_attach } },
	{ .name = "function_graph", .events = 1, .with_threshold = &graph,
	  .attr = { .handler = pb_graph_entry, .exit = pb_graph_exit,
		    .attach = pb_session_attach },
	  .values = { .handler = pb_graph_entry, .exit = pb_values_graph_exit,
		      .attach = pb_session_attach },
	  .typed = { .handler = pb_typed_graph_entry, .exit = pb_typed_exit,
		     .attach = pb_typed_attach } },
	{ .name = "function_graph", .events = 1, .depth = 1,
	  .with_threshold = &depth_graph,
	  .attr = { .handler = pb_depth_graph_entry, .exit = pb_depth_exit,
		    .attach = pb_session_attach } },
	{ .name = "function", .events = 1, .sample = 1,
	  .attr = { .handler = pb_sample_function_entry,
		    .attach = pb_sample_attach },
	  .values = { .handler = pb_sample_function_values,
		      .attach = pb_sample_attach } },
	{ .name = "function_duration", .events = 1, .sample = 1,
	  .attr = { .handler = pb_sample_duration_entry_counted,
		    .exit = pb_sample_exit_counted, .attach = pb_sample_attach },
	  .values = { .handler = pb_sample_duration_entry_counted,
		      .exit = pb_sample_values_exit_counted,
		      .attach = pb_sample_attach } },
	{ .name = "function_graph", .events = 1, .sample = 1,
	  .with_threshold = &sample_graph,
	  .attr = { .handler = pb_sample_graph_entry, .exit = pb_sample_exit,
		    .attach = pb_sample_attach },
	  .values = { .handler = pb_sample_graph_entry,
		      .exit = pb_sample_values_exit,
		      .attach = pb_sample_attach } },
	{ .name = "function_graph", .events = 1, .no_sleep_time = 1,
	  .with_threshold = &awake_graph,
	  .attr = { .handler = pb_awake_graph_entry, .exit = pb_awake_exit,
		    .attach = pb_session_attach } },
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
