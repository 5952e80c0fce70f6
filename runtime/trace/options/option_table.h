/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The table of the options in PATCHBAY: their types and ranges, the tracers that take
 * them, and what they exclude. The command checks the options of `record` with it, too.
 */
#ifndef PB_TRACE_OPTION_TABLE_H
#define PB_TRACE_OPTION_TABLE_H

#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Set the option @name. Returns 0, -ENOENT (there is no such option), -EINVAL, or
 * -ERANGE (a number that is too large). For the last two, @why has what the value
 * must be. A list without memory counts its values only.
 */
int pb_option_set(struct pb_options *options, const char *name, const char *value,
		  char why[PB_WHY_MAX]);

/*
 * Can the options be combined with the tracer and with each other? Returns 0, or
 * -EINVAL and the reason in @why. @is_command: with names as on the command line
 * of `record`.
 */
int pb_options_conflict(const struct pb_options *options, int is_command,
			char why[PB_WHY_MAX]);

/*
 * What the option @name needs and excludes, with the command's names; empty for
 * nothing, and if there is no such option.
 */
void pb_option_describe(const char *name, char text[PB_WHY_MAX]);

/* The name of a tracer for users: "duration" for "function_duration". Others are unchanged. */
const char *pb_tracer_name(const char *in_files);

/* The @i-th list of strings, which the caller allocates and frees; NULL after the last. */
const char ***pb_options_list(struct pb_options *options, size_t i);

/* Parses "1.5ms" to nanoseconds; 0 needs no unit. Returns 0, -EINVAL or -ERANGE. */
int pb_parse_time(const char *text, uint64_t *ns);

#ifdef __cplusplus
}
#endif

#endif /* PB_TRACE_OPTION_TABLE_H */
