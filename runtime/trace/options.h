/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The environment variable PATCHBAY: what to trace in a process from its start.
 *
 *	PATCHBAY=tracer=function_duration,thresh=200us,filter=lua_*,output=DIR
 *
 * A list of NAME=VALUE, separated by commas; `\,` is a comma within a value
 * and `\\` a backslash. Ignored in a process of the kind AT_SECURE. Where it is
 * wrong nothing is traced, and one line on standard error says why.
 *
 *	tracer=NAME    one of tracers.h
 *	output=DIR     where data files are made
 *	filter=GLOB    trace functions whose name in the symbol table matches;
 *	               may be repeated
 *	symbol=NAME    and functions of this name; may be repeated: all of them are
 *	               looked for at once, so thousands cost what one filter does
 *	notrace=GLOB   but not these; may be repeated
 *	notrace-symbol=NAME
 *	               nor functions of this name; may be repeated, by thousands, too
 *	selection=FILE the rest of the options; the last of all (selection.h)
 *	args=GLOB      trace these, too, with arguments and results; may be repeated
 *	typed=FILE|ENTRY|SYMBOL|TEXT
 *	               trace this function, too, with arguments and results as TEXT says
 *	               (typed_spec.h). FILE: the build id of its module, or, if it has
 *	               none, the path; ENTRY: its ELF address in hexadecimal; may be
 *	               repeated
 *	under=GLOB     record only calls that are made while one of a function is open
 *	               whose name matches, and those of it; by thread; may be repeated
 *	thread=GLOB    record only threads whose name matches, or whose id it is; may
 *	               be repeated; not with function_profile without histogram=1
 *	threshold=TIME drop calls that take less: a whole number with ns, us, ms,
 *	               s, m or h; 0 needs no unit
 *	               tracing_thresh
 *	why=TIME       of calls that take as long, record why: the stack, and when the
 *	               thread was off the processor; not with tracer=function,
 *	               histogram=1 or sleep-time=0
 *	depth=N        drop calls that are within N or more traced ones; N is from
 *	               1 to PB_DEPTH_MAX
 *	sample=1/N     of the calls that a thread makes of a function, record the
 *	               first and each N-th behind it, and count the others; N is from
 *	               1 to PB_SAMPLE_MAX; not with function_profile, depth= or
 *	               sleep-time=0
 *	buffer=SIZE    of events, per thread: a number, with K, M or G; from
 *	               PB_BUFFER_MIN to PB_BUFFER_MAX
 *	max-memory=SIZE
 *	               of events, of all threads of a process together; from
 *	               PB_LIMIT_MIN on
 *	max-size=SIZE  of the disk, of all processes of the recording together: what
 *	               does not fit is lost; with rotation the oldest files make room;
 *	               from PB_LIMIT_MIN on
 *	rotate-size=SIZE
 *	rotate-every=TIME
 *	               write one file after the other, of that size at most, or of that
 *	               time: a number with ms, s, m or h (rotate.h). These begin
 *	               the thread of live=1, too. Not for counts without histogram=1
 *	recording=N    what tells the files of this recording from those of others; without
 *	               it, a hash of all options, so that what is started with the same
 *	               ones is one recording
 *	keep=N         of files that are whole, remove the oldest when there are more
 *	overwrite=1    a full buffer loses its oldest events, not the next ones; it
 *	               has those of threads that have ended, too, when a new
 *	               thread takes it over
 *	histogram=1    function_profile counts also how long calls took
 *	sleep-time=0   durations, and what thresh= says, are without the time that
 *	               a thread was not on a processor, as with ftrace's option;
 *	               not with tracer=function, depth= or args=
 *	names=0        leave out the names of functions (names.h)
 *	max-rate=N     disarm functions that are called more than N times a second, by
 *	               all threads together; the thread of live=1 does that
 *	max-overhead=P disarm the functions that are called most, until tracing takes at
 *	               most P % of the processor time that the process takes for
 *	               itself; P has two decimals at most, and may have a % behind
 *	               it. The thread of live=1 does that
 *	call-cost=PS   so many picoseconds a traced call takes more than one that is
 *	               not traced: what max-overhead= reckons with
 *	               (PB_CALL_COST_DEFAULT)
 *	cost=INSIDE/OUTSIDE/PAGES/ERROR
 *	               what recording a call costs, for readers of the data file
 *	               (struct pbd_session), in picoseconds
 *	clock=TICKS/NS an earlier moment, by the processor's counter and
 *	               CLOCK_MONOTONIC: the rate of the counter is computed from
 *	               then on, so it is known in a process that ends at once
 *	trace-context=WHERE
 *	               of functions that args= names, record which trace a call is part
 *	               of (context.h): arg0 to arg5, or tls:VARIABLE
 *	pid-outside=N  this process's number where the command runs that records it, of
 *	               which it says nothing itself if it is in another PID namespace
 *	by=PID         the command that begins a recording later (visit.h): should it be
 *	               killed before it holds that, nobody waits for it
 *	follow=1       of a recording that a command makes (visit.h): forked children
 *	               are recorded, too; elsewhere they are in any case
 *	idle=1         what a command begins (visit.h) is no recording: the runtime is
 *	               there for programs that are attached, and output= need not be
 *	live=1         listen for `patchbay live`, in a thread
 *	start-at=GLOB  record nothing before the entry of one of these functions; may be
 *	               repeated
 *	stop-at=GLOB   record nothing from the entry of one of these functions on; may
 *	               be repeated
 *	thresh, start_at, stop_at: what some of them were called once; a line on standard
 *	               error says so
 *	checked=1      who set this has looked for the functions, and told the user of
 *	               those that are not there: do not do it again; checked=later: will
 *	               tell the user when the recording is over, by what is in the files
 *
 * A GLOB matches the name in the symbol table or, in programs with a C++ library,
 * the demangled one, with or without parameters, and template arguments. NAME is one
 * of the symbol table.
 */
#ifndef PB_TRACE_OPTIONS_H
#define PB_TRACE_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#define PB_BUFFER_DEFAULT ((uint64_t)256 << 20)

/* `patchbay record` measures it; this is for who sets PATCHBAY by hand. */
#define PB_CALL_COST_DEFAULT ((uint64_t)60000)
/* Of max-memory=, max-size= and rotate-size=: some blocks have to fit. */
#define PB_LIMIT_MIN ((uint64_t)1 << 20)
#define PB_SAMPLE_MAX ((uint64_t)1000000000)
/* Hundredths of a percent. */
#define PB_OVERHEAD_MAX ((uint64_t)100000)

/* Strings point into @text; those that were not given are NULL. */
struct pb_options {
	const char *tracer_name;
	const char *output;
	const char **filters;
	size_t nr_filters;
	const char **symbols;
	size_t nr_symbols;
	const char **notrace;
	size_t nr_notrace;
	const char **notrace_symbols; /* in strcmp()'s order */
	size_t nr_notrace_symbols;
	const char **args;
	size_t nr_args;
	const char **typed;
	size_t nr_typed;
	const char **under;
	size_t nr_under;
	const char **threads;
	size_t nr_threads;
	const char **start_at, **stop_at;
	size_t nr_start_at, nr_stop_at;
	uint64_t threshold_ns;
	uint64_t why_ns; /* 0: nobody asks */
	uint64_t pid_outside; /* 0: not given */
	uint64_t buffer;
	uint64_t max_memory, max_size; /* 0: any */
	uint64_t rotate_size, rotate_ms; /* 0: never */
	uint64_t keep; /* 0: all */
	uint64_t recording; /* never 0 */
	uint64_t depth; /* 0: any */
	uint64_t sample; /* 0: all calls */
	uint64_t max_rate; /* 0: any */
	uint64_t max_overhead; /* hundredths of a percent; 0: any */
	uint64_t call_cost_ps;
	uint64_t cost_inside, cost_outside, cost_pages, cost_error; /* 0: not given */
	uint64_t clock_ticks, clock_ns; /* 0: not given */
	int overwrite;
	int live;
	uint64_t by;
	int follow;
	int idle;
	int checked, checked_later;
	int histogram;
	int no_sleep_time;
	int no_names;
	int has_context;
	const char *context_tls;   /* NULL: it is an argument */
	unsigned int context_arg;
	intptr_t context_offset;   /* of @context_tls, from the thread pointer */
	const char *old_word, *new_word; /* of an option that is called otherwise now */
	char *text;
};

static inline int pb_options_rotate(const struct pb_options *options)
{
	return options->rotate_size || options->rotate_ms;
}

/* Has room for what is wrong with an option, which may be cut off. */
#define PB_WHY_MAX 256

/*
 * Parse @value. Returns 0, -EINVAL (a name that is not known, a value that is
 * none, a word that is not NAME=VALUE), -ERANGE (a number that is too large) or
 * -ENOMEM; then there is nothing to free, and @why says what is wrong.
 */
int pb_options_parse(struct pb_options *options, const char *value,
		     char why[PB_WHY_MAX]);
/* What thresh= takes, in nanoseconds. Returns 0, -EINVAL or -ERANGE. */
int pb_parse_time(const char *text, uint64_t *ns);
void pb_options_free(struct pb_options *options);

#endif /* PB_TRACE_OPTIONS_H */
