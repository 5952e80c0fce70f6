/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "option_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum kind {
	LIST,
	TEXT,
	NUMBER,
	SIZE, /* a number with an optional unit: K, M or G */
	NS,
	MS,
	SAMPLE, /* 1/N */
	PERCENT, /* a percentage, stored in hundredths */
	NUMBERS, /* numbers separated by /, as many as in @word */
	SWITCH, /* @word is the only allowed value */
	CONTEXT,
	TRACER,
};

/* Tracers. HISTOGRAM is count with histogram=1, COUNT is count without it. */
enum {
	COUNT = 1,
	HISTOGRAM = 2,
	ENTRY = 4,
	DURATION = 8,
	GRAPH = 16,
	TIMED = DURATION | GRAPH,
	EVENTS = ENTRY | TIMED,
};

struct option {
	const char *name;
	enum kind kind;
	size_t at, nr; /* offsets in struct pb_options; @nr: for lists */
	uint64_t least, most;
	const char *word;
	unsigned int tracers; /* tracers that accept the option; 0: all */
	/*
	 * Names of options, separated by blanks: this option excludes all of @not_beside,
	 * and needs one of @needs.
	 */
	const char *not_beside, *needs;
	const char *in_command; /* the name on the command line, if different */
	const char *which; /* for messages: why other options exclude this one */
};

#define AT(field) .at = offsetof(struct pb_options, field)
#define NAMES(field) .kind = LIST, AT(field), .nr = offsetof(struct pb_options, nr_##field)
#define ANY .least = 1, .most = UINT64_MAX
#define ONE_FILE "sample rotate-size rotate-every"

static const struct option table[] = {
	{ "tracer", .kind = TRACER, AT(tracer_name) },
	{ "output", .kind = TEXT, AT(output) },
	{ "arena", .kind = TEXT, AT(arena) },
	{ "arena-id", .kind = NUMBER, AT(arena_id), .least = 1, .most = UINT32_MAX,
	  .needs = "arena" },
	{ "filter", NAMES(filters) },
	{ "symbol", NAMES(symbols) },
	{ "notrace", NAMES(notrace) },
	{ "notrace-symbol", NAMES(notrace_symbols) },
	{ "args", NAMES(args), .tracers = EVENTS, .not_beside = "depth sleep-time" },
	{ "typed", NAMES(typed), .tracers = EVENTS,
	  .not_beside = "depth sleep-time " ONE_FILE,
	  .in_command = "args with names of arguments" },
	{ "under", NAMES(under) },
	{ "thread", NAMES(threads), .tracers = HISTOGRAM | EVENTS },
	{ "start-at", NAMES(start_at), .tracers = HISTOGRAM | EVENTS },
	{ "stop-at", NAMES(stop_at), .tracers = HISTOGRAM | EVENTS },
	{ "histogram", .kind = SWITCH, AT(histogram), .word = "1", .tracers = HISTOGRAM },
	{ "threshold", .kind = NS, AT(threshold_ns), .most = UINT64_MAX,
	  .tracers = HISTOGRAM | TIMED,
	  .which = "may drop a thread's first call, where recording of waits begins" },
	{ "why", .kind = NS, AT(why_ns), ANY, .tracers = TIMED,
	  .not_beside = "threshold sleep-time " ONE_FILE },
	{ "depth", .kind = NUMBER, AT(depth), .least = 1, .most = PB_DEPTH_MAX,
	  .tracers = TIMED },
	{ "sample", .kind = SAMPLE, AT(sample), .least = 1, .most = PB_SAMPLE_MAX,
	  .tracers = EVENTS, .not_beside = "depth sleep-time" },
	{ "sleep-time", .kind = SWITCH, AT(no_sleep_time), .word = "0",
	  .tracers = HISTOGRAM | TIMED, .not_beside = "depth",
	  .in_command = "no-sleep-time" },
	{ "trace-context", .kind = CONTEXT, AT(has_context), .needs = "args typed" },
	{ "names", .kind = SWITCH, AT(no_names), .word = "0" },
	{ "overwrite", .kind = SWITCH, AT(overwrite), .word = "1" },
	{ "live", .kind = SWITCH, AT(live), .word = "1" },
	{ "buffer", .kind = SIZE, AT(buffer), .least = PB_BUFFER_MIN, .most = PB_BUFFER_MAX },
	{ "max-memory", .kind = SIZE, AT(max_memory), .least = PB_LIMIT_MIN,
	  .most = UINT64_MAX, .tracers = HISTOGRAM | EVENTS },
	{ "max-size", .kind = SIZE, AT(max_size), .least = PB_LIMIT_MIN, .most = UINT64_MAX },
	/* Excludes overwrite, because an overwritten file never grows. */
	{ "rotate-size", .kind = SIZE, AT(rotate_size), .least = PB_LIMIT_MIN,
	  .most = UINT64_MAX, .tracers = HISTOGRAM | EVENTS, .not_beside = "overwrite" },
	{ "rotate-every", .kind = MS, AT(rotate_ms), ANY, .tracers = HISTOGRAM | EVENTS },
	{ "keep", .kind = NUMBER, AT(keep), ANY, .needs = "rotate-size rotate-every" },
	{ "max-rate", .kind = NUMBER, AT(max_rate), ANY },
	{ "max-overhead", .kind = PERCENT, AT(max_overhead), .least = 1,
	  .most = PB_OVERHEAD_MAX },
	{ "call-cost", .kind = NUMBER, AT(call_cost_ps), ANY },
	{ "cost", .kind = NUMBERS, AT(cost_inside), .word = "INSIDE/OUTSIDE/PAGES/ERROR" },
	{ "clock", .kind = NUMBERS, AT(clock_ticks), .word = "TICKS/NANOSECONDS" },
	{ "recording", .kind = NUMBER, AT(recording), ANY },
	{ "pid-outside", .kind = NUMBER, AT(pid_outside), ANY },
	{ "by", .kind = NUMBER, AT(by), ANY },
	{ "follow", .kind = SWITCH, AT(follow), .word = "1" },
	{ "idle", .kind = SWITCH, AT(idle), .word = "1" },
	{ "checked", .kind = SWITCH, AT(checked_later), .word = "later" },
	{ "checked", .kind = SWITCH, AT(checked), .word = "1" },
};

static const struct option *const end = table + sizeof(table) / sizeof(table[0]);

/*
 * Names of tracers: for users, and in data files. Users may also write the name in data
 * files.
 */
static const struct {
	const char *name, *in_files;
} tracer_names[] = {
	{ "count", "function_profile" },
	{ "entry", "function" },
	{ "duration", "function_duration" },
	{ "graph", "function_graph" },
};

#define NR_TRACERS (sizeof(tracer_names) / sizeof(tracer_names[0]))

const char *pb_tracer_name(const char *in_files)
{
	for (size_t i = 0; i < NR_TRACERS; i++)
		if (!strcmp(in_files, tracer_names[i].in_files))
			return tracer_names[i].name;
	return in_files;
}

/* Values */

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit time_units[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", 1000000000 },
	{ "m", 60 * UINT64_C(1000000000) },
	{ "h", 3600 * UINT64_C(1000000000) },
	{ NULL, 0 },
};
static const struct unit no_units[] = { { "", 1 }, { NULL, 0 } };
static const struct unit percent[] = { { "%", 100 }, { NULL, 0 } };
static const struct unit size_units[] = {
	{ "", 1 },
	{ "K", 1 << 10 }, { "M", 1 << 20 }, { "G", 1 << 30 },
	{ "k", 1 << 10 }, { "m", 1 << 20 }, { "g", 1 << 30 },
	{ NULL, 0 },
};

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Parses a number such as "1.5ms", with at most @decimals digits after the point. */
static int parse_number(const char *text, const struct unit *unit, int decimals,
			uint64_t *number)
{
	uint64_t part = 0, scale = 1, value = 0;
	int is_large = 0;

	if (!is_digit(*text))
		return -EINVAL;
	for (; is_digit(*text); text++)
		is_large |= __builtin_mul_overflow(value, 10, &value) ||
			    __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value);
	if (*text == '.' && decimals)
		for (text++; is_digit(*text) && decimals; text++, decimals--) {
			part = part * 10 + (uint64_t)(*text - '0');
			scale *= 10;
		}
	while (unit->name && strcmp(text, unit->name))
		unit++;
	if (!unit->name)
		return -EINVAL;
	/* The fraction has few digits, so the product fits into a double. */
	part = (uint64_t)((double)part / (double)scale * (double)unit->factor + 0.5);
	if (is_large || __builtin_mul_overflow(value, unit->factor, number) ||
	    __builtin_add_overflow(*number, part, number))
		return -ERANGE;
	return 0;
}

int pb_parse_time(const char *text, uint64_t *ns)
{
	/* 0 is the same in all units. */
	if (!strcmp(text, "0")) {
		*ns = 0;
		return 0;
	}
	return parse_number(text, time_units, 9, ns);
}

static int parse_numbers(const char *text, const char *word, uint64_t *numbers)
{
	for (;; text++, numbers++) {
		if (!is_digit(*text))
			return -EINVAL;
		for (*numbers = 0; is_digit(*text); text++)
			if (__builtin_mul_overflow(*numbers, 10, numbers) ||
			    __builtin_add_overflow(*numbers, (uint64_t)(*text - '0'), numbers))
				return -ERANGE;
		word = strchr(word, '/');
		if (*text != (word ? '/' : '\0'))
			return -EINVAL;
		if (!word++)
			return 0;
	}
}

static int parse_context(const char *text, struct pb_options *options)
{
	options->has_context = 1;
	if (!strncmp(text, "tls:", 4) && text[4]) {
		options->context_tls = text + 4;
		return 0;
	}
	if (strncmp(text, "arg", 3) || text[3] < '0' || text[3] > '5' || text[4])
		return -EINVAL;
	options->context_arg = (unsigned int)(text[3] - '0');
	return 0;
}

static int parse_value(struct pb_options *options, const struct option *option,
		       const char *value)
{
	void *const field = (char *)options + option->at;
	uint64_t *const number = field;
	size_t *nr;
	int error = 0;

	switch (option->kind) {
	case LIST:
		nr = (size_t *)((char *)options + option->nr);
		if (*(const char ***)field)
			(*(const char ***)field)[*nr] = value;
		++*nr;
		return 0;
	case TRACER:
		for (size_t i = 0; i < NR_TRACERS; i++)
			if (!strcmp(value, tracer_names[i].name))
				value = tracer_names[i].in_files;
		*(const char **)field = value;
		return 0;
	case TEXT:
		*(const char **)field = value;
		return 0;
	case SWITCH:
		if (strcmp(value, option->word))
			return -EINVAL;
		*(int *)field = 1;
		return 0;
	case CONTEXT:
		return parse_context(value, options);
	case NUMBERS:
		return parse_numbers(value, option->word, number);
	case NUMBER:
		error = parse_number(value, no_units, 0, number);
		break;
	case SIZE:
		error = parse_number(value, size_units, 0, number);
		break;
	case PERCENT:
		error = parse_number(value, percent, 2, number);
		break;
	case SAMPLE:
		error = strncmp(value, "1/", 2) ? -EINVAL :
						  parse_number(value + 2, no_units, 0, number);
		break;
	case NS:
	case MS:
		error = pb_parse_time(value, number);
		if (option->kind == MS)
			*number /= 1000000;
		break;
	}
	if (error)
		return error;
	return *number >= option->least && *number <= option->most ? 0 : -EINVAL;
}

static void say_wanted(const struct option *option, char why[PB_WHY_MAX])
{
	char range[64] = "";

	if (option->kind == SIZE && option->most != UINT64_MAX)
		snprintf(range, sizeof(range), " from %" PRIu64 "K to %" PRIu64 "G",
			 option->least >> 10, option->most >> 30);
	else if (option->kind == SIZE)
		snprintf(range, sizeof(range), " of at least %" PRIu64 "M", option->least >> 20);
	else if (option->least && option->most == UINT64_MAX)
		snprintf(range, sizeof(range), " of at least %" PRIu64, option->least);
	else if (option->least)
		snprintf(range, sizeof(range), " from %" PRIu64 " to %" PRIu64, option->least,
			 option->most);
	switch (option->kind) {
	case SIZE:
		snprintf(why, PB_WHY_MAX,
			 "a size%s, a whole number with one of the units K, M, G", range);
		break;
	case NS:
		snprintf(why, PB_WHY_MAX, "%s",
			 option->least ? "a duration of at least 1ns, such as 10ms" :
					 "a number with one of the units ns, us, ms, s, m, h");
		break;
	case MS:
		snprintf(why, PB_WHY_MAX, "a duration of at least 1ms, such as 60s");
		break;
	case SAMPLE:
		snprintf(why, PB_WHY_MAX, "1/N, with N%s", range);
		break;
	case PERCENT:
		snprintf(why, PB_WHY_MAX,
			 "a percentage from 0.01%% to %" PRIu64 "%%, with two decimals at most",
			 option->most / 100);
		break;
	case CONTEXT:
		snprintf(why, PB_WHY_MAX, "arg0 to arg5, or tls:NAME");
		break;
	case NUMBER:
		snprintf(why, PB_WHY_MAX, "a number%s", range);
		break;
	default:
		snprintf(why, PB_WHY_MAX, "%s", option->word);
	}
}

int pb_option_set(struct pb_options *options, const char *name, const char *value,
		  char why[PB_WHY_MAX])
{
	int error = -ENOENT;

	for (const struct option *option = table; option != end && error; option++)
		if (!strcmp(option->name, name)) {
			error = parse_value(options, option, value);
			if (error)
				say_wanted(option, why);
		}
	return error;
}

const char ***pb_options_list(struct pb_options *options, size_t i)
{
	for (const struct option *option = table; option != end; option++)
		if (option->kind == LIST && !i--)
			return (const char ***)((char *)options + option->at);
	return NULL;
}

/* Combinations */

static int is_set(const struct pb_options *options, const struct option *option)
{
	const void *const field = (const char *)options + option->at;

	switch (option->kind) {
	case LIST:
		return *(const size_t *)((const char *)options + option->nr) != 0;
	case TEXT:
	case TRACER:
		return *(const char *const *)field != NULL;
	case SWITCH:
	case CONTEXT:
		return *(const int *)field;
	default:
		return *(const uint64_t *)field != 0;
	}
}

static unsigned int tracer_of(const struct pb_options *options)
{
	for (size_t i = 1; i < NR_TRACERS; i++)
		if (!strcmp(options->tracer_name, tracer_names[i].in_files))
			return HISTOGRAM << i;
	return options->histogram ? HISTOGRAM : COUNT;
}

static const char *name_of(const struct option *option, int is_command)
{
	return is_command && option->in_command ? option->in_command : option->name;
}

/* Find the option whose name is the first @length bytes of @name. The option must exist. */
static const struct option *find_option(const char *name, size_t length)
{
	const struct option *option = table;

	while (strncmp(option->name, name, length) || option->name[length])
		option++;
	return option;
}

static void say_tracers(unsigned int tracers, int is_command, char text[PB_WHY_MAX])
{
	const char *const names[] = { "count", is_command ? "--histogram" : "histogram=1",
				      "entry", "duration", "graph" };

	text[0] = '\0';
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!(tracers & 1u << i))
			continue;
		snprintf(text + strlen(text), PB_WHY_MAX - strlen(text), "%s%s",
			 !*text			    ? "" :
			 tracers >> (i + 1)	    ? ", " : " and ",
			 names[i]);
	}
}

/*
 * Returns the first option of @names that is set, or NULL. Writes all of @names to @all,
 * joined by "or".
 */
static const struct option *any_of(const struct pb_options *options, const char *names,
				   int is_command, char all[PB_WHY_MAX])
{
	const struct option *found = NULL;

	all[0] = '\0';
	while (names && *names) {
		const size_t length = strcspn(names, " ");
		const struct option *option = find_option(names, length);

		if (!found && is_set(options, option))
			found = option;
		/*
		 * Omit "args with names of arguments", because the message already names
		 * args.
		 */
		if (!strchr(name_of(option, is_command), ' '))
			snprintf(all + strlen(all), PB_WHY_MAX - strlen(all), "%s%s%s",
				 *all ? " or " : "", is_command ? "--" : "",
				 name_of(option, is_command));
		names += length + (names[length] == ' ');
	}
	return found;
}

int pb_options_conflict(const struct pb_options *options, int is_command,
			char why[PB_WHY_MAX])
{
	const char *const dashes = is_command ? "--" : "";
	const unsigned int tracer = tracer_of(options);
	char text[PB_WHY_MAX];

	for (const struct option *option = table; option != end; option++) {
		const char *const name = name_of(option, is_command);
		const struct option *other;

		if (!is_set(options, option))
			continue;
		if (option->tracers && !(option->tracers & tracer)) {
			say_tracers(option->tracers == HISTOGRAM ? COUNT : option->tracers,
				    is_command, text);
			snprintf(why, PB_WHY_MAX, "%s%s is for %s%s", dashes, name, text,
				 is_command ? ": choose one with -t" : "");
			return -EINVAL;
		}
		other = any_of(options, option->not_beside, is_command, text);
		if (other) {
			snprintf(why, PB_WHY_MAX,
				 "%s%s cannot be combined with %s%s%s%s: leave out one of them",
				 dashes, name, dashes, name_of(other, is_command),
				 other->which ? ", which " : "",
				 other->which ? other->which : "");
			return -EINVAL;
		}
		if (option->needs && !any_of(options, option->needs, is_command, text)) {
			snprintf(why, PB_WHY_MAX, "%s%s needs %s", dashes, name, text);
			return -EINVAL;
		}
	}
	/*
	 * The command removes the oldest file while the newest file grows, so two files
	 * must fit.
	 */
	if (options->max_size && options->rotate_size > options->max_size / 2) {
		snprintf(why, PB_WHY_MAX, "%smax-size has no room for two files of %srotate-size",
			 dashes, dashes);
		return -EINVAL;
	}
	return 0;
}

void pb_option_describe(const char *name, char text[PB_WHY_MAX])
{
	static const struct pb_options none;
	const struct option *option = table;
	char words[PB_WHY_MAX];
	size_t length = 0;

	text[0] = '\0';
	while (option != end && strcmp(option->name, name))
		option++;
	if (option == end)
		return;
	if (option->tracers && option->tracers != HISTOGRAM) {
		say_tracers(option->tracers, /*is_command=*/1, words);
		length = (size_t)snprintf(text, PB_WHY_MAX, "for %s", words);
	}
	any_of(&none, option->not_beside, /*is_command=*/1, words);
	if (*words)
		length += (size_t)snprintf(text + length, PB_WHY_MAX - length,
					   "%snot with %s", length ? "; " : "", words);
	any_of(&none, option->needs, /*is_command=*/1, words);
	if (*words)
		snprintf(text + length, PB_WHY_MAX - length, "%sneeds %s",
			 length ? "; " : "", words);
}
