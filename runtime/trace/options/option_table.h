/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The table of the options in PATCHBAY: types, ranges, accepting tracers, excluded options.
 * The command also checks the options of `record` with this table.
 */
#ifndef PB_TRACE_OPTION_TABLE_H
#define PB_TRACE_OPTION_TABLE_H

#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Set the option @name. Returns 0, -ENOENT (unknown option), -EINVAL, or -ERANGE (number
 * too large). For the last two errors, @why describes valid values. Values of a list whose
 * array is NULL are only counted.
 */
int pb_option_set(struct pb_options *options, const char *name, const char *value,
		  char why[PB_WHY_MAX]);

/*
 * Can the options be combined with the tracer and with each other? Returns 0, or -EINVAL
 * and the reason in @why. @is_command: use the option names of `patchbay record` in the
 * reason.
 */
int pb_options_conflict(const struct pb_options *options, int is_command,
			char why[PB_WHY_MAX]);

/*
 * Describe what the option @name needs and excludes, with the option names of `patchbay
 * record`. Sets @text to "" if there is nothing to describe.
 */
void pb_option_describe(const char *name, char text[PB_WHY_MAX]);

/*
 * Converts a tracer's name in files to its name for users, such as "function_duration" to
 * "duration". Returns other names unchanged.
 */
const char *pb_tracer_name(const char *in_files);

/*
 * Returns the address of the @i-th list of strings, or NULL after the last. The caller
 * allocates and frees the lists.
 */
const char ***pb_options_list(struct pb_options *options, size_t i);

/* Parses "1.5ms" to nanoseconds; 0 needs no unit. Returns 0, -EINVAL or -ERANGE. */
int pb_parse_time(const char *text, uint64_t *ns);

#ifdef __cplusplus
}
#endif

#endif /* PB_TRACE_OPTION_TABLE_H */
