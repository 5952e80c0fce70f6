/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "recording.h"

struct patchbay_ops *pb_tracer, *pb_values_tracer, *pb_typed_tracer;
struct patchbay_ops **const pb_tracers[] = { &pb_tracer, &pb_values_tracer, &pb_typed_tracer };
int pb_tracer_needs_blocks;
int pb_recording;
uint64_t pb_threshold = UINT64_MAX;
uint64_t pb_threshold_when_recording;
int pb_waiting;
int pb_under_waiting;
uint64_t pb_nr_functions;
uint64_t pb_nr_places;
