/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The environment variable PATCHBAY: what to trace in a process from its start.
 *
 *	PATCHBAY=tracer=function_profile,filter=lua_*,filter=main,output=DIR
 *
 * A list of NAME=VALUE, separated by commas; `\,` is a comma within a value
 * and `\\` a backslash. Ignored in a process of the kind AT_SECURE.
 */
#ifndef PB_TRACE_OPTIONS_H
#define PB_TRACE_OPTIONS_H

#include <stddef.h>

enum pb_tracer { PB_TRACER_NONE, PB_TRACER_FUNCTION_PROFILE };

/* Strings point into @text. */
struct pb_options {
	enum pb_tracer tracer;
	const char *output;
	const char **filters;
	size_t nr_filters;
	char *text;
};

/*
 * Parse @value. Returns 0, -EINVAL (a name or a tracer that is not known, a
 * word that is not NAME=VALUE) or -ENOMEM; then there is nothing to free.
 */
int pb_options_parse(struct pb_options *options, const char *value);
void pb_options_free(struct pb_options *options);

#endif /* PB_TRACE_OPTIONS_H */
