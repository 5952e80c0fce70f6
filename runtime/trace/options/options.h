/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The environment variable PATCHBAY tells what to trace in a process from its start.
 *
 *	PATCHBAY=tracer=duration,threshold=200us,filter=lua_*,output=DIR
 *
 * A list of NAME=VALUE, separated by commas; `\,` is a comma within a value and
 * `\\` a backslash. AT_SECURE processes ignore the variable. If its value is
 * invalid, nothing is traced, and one line on standard error says why.
 *
 *	tracer=NAME    count, entry, duration or graph; tracers.h has their longer names
 *	output=DIR     directory for data files
 *	filter=GLOB    trace functions whose name in the symbol table matches;
 *	               may be repeated
 *	symbol=NAME    also trace functions of this name; may be repeated: one search
 *	               finds all of them, so thousands cost as much as one filter
 *	notrace=GLOB   but not these; may be repeated
 *	notrace-symbol=NAME
 *	               nor functions of this name; may be repeated thousands of times
 *	selection=FILE the rest of the options; must be the last one (selection.h)
 *	args=GLOB      also trace these, with arguments and results; may be repeated
 *	typed=FILE|ENTRY|SYMBOL|TEXT
 *	               also trace this function, with the arguments and results in TEXT
 *	               (typed_spec.h). FILE: the build id of its module, or, if it has
 *	               none, the path; ENTRY: its ELF address in hexadecimal; may be
 *	               repeated
 *	under=GLOB     record only calls of functions with a matching name, and calls
 *	               that the thread makes within them; may be repeated
 *	thread=GLOB    record only threads whose name matches, or whose id it is; may
 *	               be repeated
 *	threshold=TIME drop calls that took less: a number with ns, us, ms,
 *	               s, m or h; 0 needs no unit; like ftrace's tracing_thresh
 *	why=TIME       for calls that took at least TIME, record the stack and the
 *	               thread's off-CPU times
 *	depth=N        drop calls that are nested in N or more traced ones; N is from
 *	               1 to PB_DEPTH_MAX
 *	sample=1/N     for each thread and function, choose the first outermost call and
 *	               every N-th after it, and record it with all calls inside;
 *	               tracer=function: of all calls, only the chosen ones; count the
 *	               others; N is from 1 to PB_SAMPLE_MAX
 *	buffer=SIZE    memory for events, per thread: a number, with K, M or G; from
 *	               PB_BUFFER_MIN to PB_BUFFER_MAX
 *	max-memory=SIZE
 *	               memory for events, of all threads of a process together; from
 *	               PB_LIMIT_MIN on
 *	max-size=SIZE  disk space of all processes of the recording together; more
 *	               events are lost; with rotation the command removes the oldest
 *	               files; from PB_LIMIT_MIN on
 *	rotate-size=SIZE
 *	rotate-every=TIME
 *	               write several files, each of at most this size, or for this
 *	               time: a number with ms, s, m or h (rotate.h). Both start
 *	               the thread of live=1, too
 *	arena=PATH     memory that another process writes to the data files
 *	               (format/arena.h)
 *	arena-id=N     the number in that memory. In another PID namespace the path
 *	               may refer to other memory, which has another number
 *	recording=N    identifies the files of this recording; the default is a hash
 *	               of all options, so processes with the same options make one
 *	               recording
 *	keep=N         keep at most N complete files, and remove the oldest
 *	overwrite=1    a full buffer drops its oldest events, not the newest; if a new
 *	               thread takes over the buffer of a thread that has ended, it
 *	               drops that thread's events, too
 *	histogram=1    count also counts the durations of calls
 *	sleep-time=0   durations, and threshold=, exclude off-CPU time, as with
 *	               ftrace's option
 *	names=0        omit the names of functions (names.h)
 *	max-rate=N     disarm functions that all threads together call more than N
 *	               times a second; the thread of live=1 does that
 *	max-overhead=P disarm the busiest functions, until tracing costs at
 *	               most P of the CPU time of the process itself, such as 2.5%, with
 *	               at most two decimals. The thread of live=1 does that
 *	call-cost=PS   the cost of tracing a call, in picoseconds, for max-overhead=
 *	               (PB_CALL_COST_DEFAULT)
 *	cost=INSIDE/OUTSIDE/PAGES/ERROR
 *	               the cost of recording a call, for readers of the data file
 *	               (struct pbd_session), in picoseconds
 *	clock=TICKS/NS an earlier moment, by the processor's counter and
 *	               CLOCK_MONOTONIC: readers compute the counter's rate from
 *	               then on, so it is known even if the process ends at once
 *	trace-context=WHERE
 *	               for functions in args=, record the trace that a call is part
 *	               of (context.h): arg0 to arg5, or tls:VARIABLE
 *	pid-outside=N  this process's pid as the recording command sees it; a process
 *	               in another PID namespace does not know it
 *	by=PID         the command that begins a recording later (visit.h): if it dies
 *	               before it holds the recording, the process stops waiting
 *	follow=1       for a command's recording (visit.h): also record forked
 *	               children, which other recordings always do
 *	idle=1         the command begins no recording (visit.h): the runtime serves
 *	               attached programs, and output= is not needed
 *	live=1         listen for `patchbay live`, in a thread
 *	start-at=GLOB  record nothing before a call of one of these functions; may be
 *	               repeated
 *	stop-at=GLOB   record nothing after a call of one of these functions; may
 *	               be repeated
 *	checked=1      the caller has reported globs without a match to the user: do
 *	               not report them again; checked=later: the caller will report
 *	               them at the end, from the data files
 *
 * option_table.c has the ranges, and what options need and exclude.
 *
 * A GLOB matches the name in the symbol table. For C++ functions it also matches
 * the demangled name, with or without parameters and template arguments. NAME is
 * a name in the symbol table.
 */
#ifndef PB_TRACE_OPTIONS_H
#define PB_TRACE_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

/* Maximum number of nested levels of depth=. */
#define PB_DEPTH_MAX 64
/*
 * Limits of an event buffer. The minimum is the size of its first block. The maximum
 * limits the table of blocks, which is allocated in advance, to 8 MB.
 */
#define PB_BUFFER_MIN ((uint64_t)4 << 10)
#define PB_BUFFER_MAX ((uint64_t)1 << 40)
#define PB_BUFFER_DEFAULT ((uint64_t)256 << 20)

/* For users that set PATCHBAY by hand. `patchbay record` measures it instead. */
#define PB_CALL_COST_DEFAULT ((uint64_t)60000)
/* Minimum of max-memory=, max-size= and rotate-size=: a few blocks must fit. */
#define PB_LIMIT_MIN ((uint64_t)1 << 20)
#define PB_SAMPLE_MAX ((uint64_t)1000000000)
/* Hundredths of a percent. */
#define PB_OVERHEAD_MAX ((uint64_t)100000)

/* Strings point into @text. Those of options that were not set are NULL. */
struct pb_options {
	const char *tracer_name;
	const char *output;
	const char *arena;
	uint64_t arena_id;
	const char **filters;
	size_t nr_filters;
	const char **symbols;
	size_t nr_symbols;
	const char **notrace;
	size_t nr_notrace;
	const char **notrace_symbols; /* sorted by strcmp() */
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
	uint64_t why_ns; /* 0: off */
	uint64_t pid_outside; /* 0: not given */
	uint64_t buffer;
	uint64_t max_memory, max_size; /* 0: any */
	uint64_t rotate_size, rotate_ms; /* 0: never */
	uint64_t keep; /* 0: all */
	uint64_t recording; /* never 0 */
	int has_command;    /* recording= was given */
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
	const char *context_tls;   /* NULL: the context is an argument */
	unsigned int context_arg;
	intptr_t context_offset;   /* @context_tls's offset from the thread pointer */
	char *text;
};

/* The options of this recording. */
extern struct pb_options pb_options;

static inline int pb_options_rotate(const struct pb_options *options)
{
	return options->rotate_size || options->rotate_ms;
}

/* Size of the buffer for the description of an error, which may be cut off. */
#define PB_WHY_MAX 256

/*
 * Parse @value. Returns 0, -EINVAL (an unknown name, an invalid value, a word
 * that is not NAME=VALUE), -ERANGE (a number that is too large) or -ENOMEM. On
 * error nothing needs to be freed, and @why has the reason.
 */
int pb_options_parse(struct pb_options *options, const char *value,
		     char why[PB_WHY_MAX]);
void pb_options_free(struct pb_options *options);

#endif /* PB_TRACE_OPTIONS_H */
