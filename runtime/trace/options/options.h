/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The environment variable PATCHBAY configures tracing of a process from its start.
 *
 *	PATCHBAY=tracer=duration,threshold=200us,filter=lua_*,output=DIR
 *
 * The value is a list of NAME=VALUE, separated by commas; `\,` is a comma within a value
 * and `\\` a backslash. AT_SECURE processes ignore the variable. An invalid value disables
 * tracing and prints one line with the reason on standard error.
 *
 *	tracer=NAME    count, entry, duration or graph; tracers.h has their longer names
 *	output=DIR     directory for data files
 *	filter=GLOB    trace functions whose name in the symbol table matches; may be
 *	               repeated
 *	symbol=NAME    also trace functions of this name; may be repeated: one search
 *	               finds all of them, so thousands cost as much as one filter
 *	notrace=GLOB   exclude functions whose name matches; may be repeated
 *	notrace-symbol=NAME
 *	               exclude functions of this name; may be repeated thousands of times
 *	selection=FILE file with the rest of the options; must be last (selection.h)
 *	args=GLOB      also trace functions whose name matches, with arguments and
 *	               results; may be repeated
 *	typed=FILE|ENTRY|SYMBOL|TEXT
 *	               also trace this function, with the arguments and results in TEXT
 *	               (typed_spec.h). FILE: the build id of the module, or the path of a
 *	               module without one; ENTRY: the function's ELF address in
 *	               hexadecimal; may be repeated
 *	under=GLOB     record only calls of functions with a matching name, and calls
 *	               that the thread makes within them; may be repeated
 *	thread=GLOB    record only threads whose name or id matches; may be repeated
 *	threshold=TIME drop shorter calls: a number with ns, us, ms, s, m or h; 0 needs no
 *	               unit; like ftrace's tracing_thresh
 *	why=TIME       for calls that took at least TIME, record the stack and the
 *	               thread's off-CPU times
 *	depth=N        drop calls that are nested in N or more traced calls; N is from
 *	               1 to PB_DEPTH_MAX
 *	sample=1/N     for each thread and function, record the first outermost call and
 *	               every N-th call after it, with all nested calls, and count the
 *	               rest; with tracer=function the first call and every N-th call,
 *	               without nested calls; N is from 1 to PB_SAMPLE_MAX
 *	buffer=SIZE    memory for events, per thread: a number, with K, M or G; from
 *	               PB_BUFFER_MIN to PB_BUFFER_MAX
 *	max-memory=SIZE
 *	               memory for events, of all threads of a process together; from
 *	               PB_LIMIT_MIN on
 *	max-size=SIZE  disk space of all processes of the recording together; later
 *	               events are lost or, with rotation, the command removes the oldest
 *	               files; from PB_LIMIT_MIN on
 *	rotate-size=SIZE
 *	rotate-every=TIME
 *	               begin a new file at this size, or after this time: a number with
 *	               ms, s, m or h (rotate.h). Both imply live=1
 *	arena=PATH     memory file whose contents the recorder writes to the data files
 *	               (format/arena.h)
 *	arena-id=N     the id in the head of that file. In another PID namespace the path
 *	               may name another file, which has another id
 *	recording=N    identifies the files of this recording; the default is a hash
 *	               of all options, so that processes with equal options share a
 *	               recording
 *	keep=N         keep at most N complete files, and remove the oldest
 *	overwrite=1    a full buffer drops its oldest events instead of the newest, even
 *	               events of an ended thread whose buffer a new thread has taken
 *	               over
 *	histogram=1    with tracer=count: also count the durations of calls
 *	sleep-time=0   durations, and threshold=, exclude off-CPU time, as with
 *	               ftrace's option
 *	names=0        omit the names of functions (names.h)
 *	max-rate=N     disarm functions that all threads together call more than N
 *	               times a second; implies live=1
 *	max-overhead=P disarm the busiest functions, until tracing costs at
 *	               most P of the CPU time of the process itself, such as 2.5%, with
 *	               at most two decimals; implies live=1
 *	call-cost=PS   the cost of tracing a call, in picoseconds, for max-overhead=
 *	               (PB_CALL_COST_DEFAULT)
 *	cost=INSIDE/OUTSIDE/PAGES/ERROR
 *	               the cost of recording a call, for readers of the data file
 *	               (struct pbd_session), in picoseconds
 *	clock=TICKS/NS an earlier moment, by the processor's counter and
 *	               CLOCK_MONOTONIC: readers compute the counter's rate from
 *	               this moment, so the rate is exact even in a short recording
 *	trace-context=WHERE
 *	               for functions in args=, record the trace that a call is part
 *	               of (context.h): arg0 to arg5, or tls:VARIABLE
 *	pid-outside=N  this process's pid as the recording command sees it; unknown to a
 *	               process in another PID namespace
 *	by=PID         pid of the command that will begin the recording (visit.h): if it
 *	               dies before that, the process stops waiting
 *	follow=1       with `record -p` (visit.h): also record forked children; other
 *	               recordings always do
 *	idle=1         the command begins no recording (visit.h): the runtime serves
 *	               attached programs, and output= is not needed
 *	live=1         start a thread that listens for `patchbay live`
 *	start-at=GLOB  start recording at a call of a function whose name matches; may
 *	               be repeated
 *	stop-at=GLOB   stop recording at a call of a function whose name matches; may
 *	               be repeated
 *	checked=1      the caller has reported globs without a match to the user: do
 *	               not report them again; checked=later: the caller will report
 *	               them at the end, from the data files
 *
 * option_table.c contains ranges, required options and excluded options.
 *
 * A GLOB is matched against the name in the symbol table. For C++ functions it is also
 * matched against the demangled name, with and without parameters and template arguments.
 * NAME is a name in the symbol table.
 */
#ifndef PB_TRACE_OPTIONS_H
#define PB_TRACE_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

/* Maximum number of nested levels of depth=. */
#define PB_DEPTH_MAX 64
/*
 * Limits of an event buffer. The minimum is the size of the first block. The maximum limits
 * the table of blocks, which is allocated in advance, to about 8 MB.
 */
#define PB_BUFFER_MIN ((uint64_t)4 << 10)
#define PB_BUFFER_MAX ((uint64_t)1 << 40)
#define PB_BUFFER_DEFAULT ((uint64_t)256 << 20)

/*
 * The default of call-cost=, for users that set PATCHBAY by hand. `patchbay record`
 * measures the cost.
 */
#define PB_CALL_COST_DEFAULT ((uint64_t)60000)
/* Minimum of max-memory=, max-size= and rotate-size=: a few blocks must fit. */
#define PB_LIMIT_MIN ((uint64_t)1 << 20)
#define PB_SAMPLE_MAX ((uint64_t)1000000000)
/* The maximum of max-overhead=, in hundredths of a percent. */
#define PB_OVERHEAD_MAX ((uint64_t)100000)

/* Strings point into @text, or are NULL if the option is not set. */
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
	uint64_t max_memory, max_size; /* 0: no limit */
	uint64_t rotate_size, rotate_ms; /* 0: never */
	uint64_t keep; /* 0: all */
	uint64_t recording; /* never 0 */
	int has_command;    /* recording= was given */
	uint64_t depth; /* 0: no limit */
	uint64_t sample; /* 0: all calls */
	uint64_t max_rate; /* 0: no limit */
	uint64_t max_overhead; /* hundredths of a percent; 0: no limit */
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

/* Buffer size for the description of an error, which may be truncated. */
#define PB_WHY_MAX 256

/*
 * Parse @value. Returns 0, -EINVAL (unknown name, invalid value, or no NAME=VALUE), -ERANGE
 * (number too large) or -ENOMEM. On error sets @why to the reason and frees all memory.
 */
int pb_options_parse(struct pb_options *options, const char *value,
		     char why[PB_WHY_MAX]);
void pb_options_free(struct pb_options *options);

#endif /* PB_TRACE_OPTIONS_H */
