/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The environment variable PATCHBAY: what to trace in a process from its start.
 *
 *	PATCHBAY=tracer=function_duration,thresh=200us,filter=lua_*,output=DIR
 *
 * A list of NAME=VALUE, separated by commas; `\,` is a comma within a value
 * and `\\` a backslash. Ignored in a process of the kind AT_SECURE.
 *
 *	tracer=NAME    one of tracers.h
 *	output=DIR     where data files are made
 *	filter=GLOB    trace functions whose name in the symbol table matches;
 *	               may be repeated
 *	notrace=GLOB   but not these; may be repeated
 *	thresh=TIME    drop calls that take less: a number with ns, us, ms or s;
 *	               without a unit it is microseconds, as ftrace's
 *	               tracing_thresh
 *	buffer=SIZE    of events, per thread: a number, with K, M or G
 *	overwrite=1    a full buffer loses its oldest events, not the next ones
 *	live=1         listen for `patchbay live`, in a thread
 *	start_at=NAME  record nothing before the entry of a function
 *	stop_at=NAME   record nothing from the entry of a function on
 */
#ifndef PB_TRACE_OPTIONS_H
#define PB_TRACE_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#define PB_BUFFER_DEFAULT ((uint64_t)256 << 20)

/* Strings point into @text; those that were not given are NULL. */
struct pb_options {
	const char *tracer_name;
	const char *output;
	const char **filters;
	size_t nr_filters;
	const char **notrace;
	size_t nr_notrace;
	const char *start_at, *stop_at;
	uint64_t threshold_ns;
	uint64_t buffer;
	int overwrite;
	int live;
	char *text;
};

/*
 * Parse @value. Returns 0, -EINVAL (a name that is not known, a value that is
 * none, a word that is not NAME=VALUE), -ERANGE (a number that is too large) or
 * -ENOMEM; then there is nothing to free.
 */
int pb_options_parse(struct pb_options *options, const char *value);
/* What thresh= takes, in nanoseconds. Returns 0, -EINVAL or -ERANGE. */
int pb_parse_time(const char *text, uint64_t *ns);
void pb_options_free(struct pb_options *options);

#endif /* PB_TRACE_OPTIONS_H */
