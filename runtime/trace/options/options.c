/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "options.h"

#include "selection.h"
#include "sorted_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pb_options pb_options;

/* Cut the first word off @rest, with its escapes resolved in place. */
static char *next_word(char **rest)
{
	char *word = *rest, *to = *rest, *from = *rest;

	while (*from && *from != ',') {
		if (*from == '\\' && (from[1] == ',' || from[1] == '\\'))
			from++;
		*to++ = *from++;
	}
	*rest = *from ? from + 1 : NULL;
	*to = '\0';
	return word;
}

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
static const struct unit long_units[] = {
	{ "ms", 1 }, { "s", 1000 }, { "m", 60000 }, { "h", 3600000 }, { NULL, 0 },
};
static const struct unit no_units[] = { { "", 1 }, { NULL, 0 } };
static const struct unit size_units[] = {
	{ "", 1 },
	{ "K", 1 << 10 }, { "M", 1 << 20 }, { "G", 1 << 30 },
	{ "k", 1 << 10 }, { "m", 1 << 20 }, { "g", 1 << 30 },
	{ NULL, 0 },
};

static int parse_number(const char *text, const struct unit *unit,
			uint64_t *number)
{
	unsigned long long value;
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &end, 10);
	while (unit->name && strcmp(end, unit->name))
		unit++;
	if (!unit->name)
		return -EINVAL;
	if (errno || __builtin_mul_overflow(value, unit->factor, number))
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
	return parse_number(text, time_units, ns);
}

static int parse_why(const char *text, uint64_t *ns)
{
	int error = pb_parse_time(text, ns);

	return !error && !*ns ? -EINVAL : error;
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

static int parse_depth(const char *text, uint64_t *depth)
{
	int error = parse_number(text, no_units, depth);

	if (error)
		return error;
	return *depth >= 1 && *depth <= PB_DEPTH_MAX ? 0 : -EINVAL;
}

/* "1/N". */
static int parse_sample(const char *text, uint64_t *every)
{
	int error;

	if (strncmp(text, "1/", 2))
		return -EINVAL;
	error = parse_number(text + 2, no_units, every);
	if (error)
		return error;
	return *every >= 1 && *every <= PB_SAMPLE_MAX ? 0 : -EINVAL;
}

static int parse_rate(const char *text, uint64_t *rate)
{
	int error = parse_number(text, no_units, rate);

	return !error && !*rate ? -EINVAL : error;
}

/* Parses a percentage with at most two decimals to hundredths. */
static int parse_percent(const char *text, uint64_t *hundredths)
{
	uint64_t value = 0;
	int decimals = -1;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	for (; (*text >= '0' && *text <= '9') || *text == '.'; text++) {
		if (*text == '.' && decimals < 0) {
			decimals = 0;
			continue;
		}
		if (*text == '.' || decimals == 2)
			return -EINVAL;
		value = value * 10 + (uint64_t)(*text - '0');
		decimals += decimals >= 0;
		if (value > PB_OVERHEAD_MAX)
			return -EINVAL;
	}
	for (decimals = decimals < 0 ? 0 : decimals; decimals < 2; decimals++)
		value *= 10;
	if (strcmp(text, "%") && *text)
		return -EINVAL;
	*hundredths = value;
	return value >= 1 && value <= PB_OVERHEAD_MAX ? 0 : -EINVAL;
}

static int parse_buffer(const char *text, uint64_t *size)
{
	int error = parse_number(text, size_units, size);

	if (error)
		return error;
	return *size >= PB_BUFFER_MIN && *size <= PB_BUFFER_MAX ? 0 : -EINVAL;
}

static int parse_limit(const char *text, uint64_t *size)
{
	int error = parse_number(text, size_units, size);

	return !error && *size < PB_LIMIT_MIN ? -EINVAL : error;
}

static int parse_every(const char *text, uint64_t *ms)
{
	int error = parse_number(text, long_units, ms);

	return !error && !*ms ? -EINVAL : error;
}

static int parse_clock(const char *text, struct pb_options *options)
{
	char *end;

	errno = 0;
	options->clock_ticks = strtoull(text, &end, 10);
	if (end == text || *end != '/')
		return -EINVAL;
	text = end + 1;
	options->clock_ns = strtoull(text, &end, 10);
	if (end == text || *end)
		return -EINVAL;
	return errno ? -ERANGE : 0;
}

static int parse_cost(const char *text, struct pb_options *options)
{
	uint64_t *const part[] = { &options->cost_inside, &options->cost_outside,
				   &options->cost_pages, &options->cost_error };
	char *end;

	errno = 0;
	for (size_t i = 0; i < 4; i++) {
		*part[i] = strtoull(text, &end, 10);
		if (end == text || *end != (i < 3 ? '/' : '\0'))
			return -EINVAL;
		text = end + 1;
	}
	return errno ? -ERANGE : 0;
}

/* For options with one valid value, which is not the default. */
static int parse_switch(const char *text, const char *value, int *switched)
{
	if (strcmp(text, value))
		return -EINVAL;
	*switched = 1;
	return 0;
}

static const struct {
	const char *before, *now;
} renamed[] = {
	{ "thresh", "threshold" },
	{ "start_at", "start-at" },
	{ "stop_at", "stop-at" },
};

static const char *name_now(struct pb_options *options, const char *name)
{
	for (size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++)
		if (!strcmp(name, renamed[i].before)) {
			options->old_word = renamed[i].before;
			options->new_word = renamed[i].now;
			return renamed[i].now;
		}
	return name;
}

/* Returns -ENOENT if no option is called @name. */
static int set_option(struct pb_options *options, const char *name,
		      const char *value)
{
	name = name_now(options, name);
	if (!strcmp(name, "filter"))
		options->filters[options->nr_filters++] = value;
	else if (!strcmp(name, "symbol"))
		options->symbols[options->nr_symbols++] = value;
	else if (!strcmp(name, "notrace"))
		options->notrace[options->nr_notrace++] = value;
	else if (!strcmp(name, "notrace-symbol"))
		options->notrace_symbols[options->nr_notrace_symbols++] = value;
	else if (!strcmp(name, "args"))
		options->args[options->nr_args++] = value;
	else if (!strcmp(name, "typed"))
		options->typed[options->nr_typed++] = value;
	else if (!strcmp(name, "under"))
		options->under[options->nr_under++] = value;
	else if (!strcmp(name, "thread"))
		options->threads[options->nr_threads++] = value;
	else if (!strcmp(name, "output"))
		options->output = value;
	else if (!strcmp(name, "tracer"))
		options->tracer_name = value;
	else if (!strcmp(name, "start-at"))
		options->start_at[options->nr_start_at++] = value;
	else if (!strcmp(name, "stop-at"))
		options->stop_at[options->nr_stop_at++] = value;
	else if (!strcmp(name, "threshold"))
		return pb_parse_time(value, &options->threshold_ns);
	else if (!strcmp(name, "why"))
		return parse_why(value, &options->why_ns);
	else if (!strcmp(name, "buffer"))
		return parse_buffer(value, &options->buffer);
	else if (!strcmp(name, "depth"))
		return parse_depth(value, &options->depth);
	else if (!strcmp(name, "max-memory"))
		return parse_limit(value, &options->max_memory);
	else if (!strcmp(name, "max-size"))
		return parse_limit(value, &options->max_size);
	else if (!strcmp(name, "rotate-size"))
		return parse_limit(value, &options->rotate_size);
	else if (!strcmp(name, "rotate-every"))
		return parse_every(value, &options->rotate_ms);
	else if (!strcmp(name, "keep"))
		return parse_rate(value, &options->keep);
	else if (!strcmp(name, "recording"))
		return parse_rate(value, &options->recording);
	else if (!strcmp(name, "sample"))
		return parse_sample(value, &options->sample);
	else if (!strcmp(name, "max-rate"))
		return parse_rate(value, &options->max_rate);
	else if (!strcmp(name, "max-overhead"))
		return parse_percent(value, &options->max_overhead);
	else if (!strcmp(name, "call-cost"))
		return parse_rate(value, &options->call_cost_ps);
	else if (!strcmp(name, "cost"))
		return parse_cost(value, options);
	else if (!strcmp(name, "trace-context"))
		return parse_context(value, options);
	else if (!strcmp(name, "pid-outside"))
		return parse_rate(value, &options->pid_outside);
	else if (!strcmp(name, "by"))
		return parse_rate(value, &options->by);
	else if (!strcmp(name, "clock"))
		return parse_clock(value, options);
	else if (!strcmp(name, "overwrite"))
		return parse_switch(value, "1", &options->overwrite);
	else if (!strcmp(name, "histogram"))
		return parse_switch(value, "1", &options->histogram);
	else if (!strcmp(name, "live"))
		return parse_switch(value, "1", &options->live);
	else if (!strcmp(name, "follow"))
		return parse_switch(value, "1", &options->follow);
	else if (!strcmp(name, "idle"))
		return parse_switch(value, "1", &options->idle);
	else if (!strcmp(name, "checked") && !strcmp(value, "later"))
		options->checked_later = 1;
	else if (!strcmp(name, "checked"))
		return parse_switch(value, "1", &options->checked);
	else if (!strcmp(name, "sleep-time"))
		return parse_switch(value, "0", &options->no_sleep_time);
	else if (!strcmp(name, "names"))
		return parse_switch(value, "0", &options->no_names);
	else
		return -ENOENT;
	return 0;
}

static const char *wanted(const char *name)
{
	if (!strcmp(name, "trace-context"))
		return "arg0 to arg5, or tls:VARIABLE";
	if (!strcmp(name, "why"))
		return "a whole number from 1 on with one of the units ns, us, ms, s, m, h";
	if (!strcmp(name, "threshold") || !strcmp(name, "thresh"))
		return "a whole number with one of the units ns, us, ms, s, m, h";
	if (!strcmp(name, "buffer"))
		return "a size from 4K to 1024G, a whole number with one of the units K, M, G";
	if (!strcmp(name, "depth"))
		return "a number from 1 to 64";
	if (!strcmp(name, "sample"))
		return "1/N, with N from 1 to 1000000000";
	if (!strcmp(name, "max-memory") || !strcmp(name, "max-size") ||
	    !strcmp(name, "rotate-size"))
		return "a size from 1M on, a whole number with one of the units K, M, G";
	if (!strcmp(name, "rotate-every"))
		return "a whole number with one of the units ms, s, m, h";
	if (!strcmp(name, "max-rate") || !strcmp(name, "call-cost") ||
	    !strcmp(name, "keep") || !strcmp(name, "recording") || !strcmp(name, "pid-outside") ||
	    !strcmp(name, "by"))
		return "a number from 1 on";
	if (!strcmp(name, "max-overhead"))
		return "a percentage from 0.01 to 1000, with two decimals at most";
	if (!strcmp(name, "clock"))
		return "TICKS/NANOSECONDS";
	if (!strcmp(name, "cost"))
		return "INSIDE/OUTSIDE/PAGES/ERROR";
	if (!strcmp(name, "sleep-time") || !strcmp(name, "names"))
		return "0";
	return "1";
}

static int parse_word(struct pb_options *options, char *word,
		      char why[PB_WHY_MAX])
{
	char *value = strchr(word, '=');
	int error;

	if (!value) {
		snprintf(why, PB_WHY_MAX, "'%s' is not NAME=VALUE", word);
		return -EINVAL;
	}
	*value++ = '\0';
	error = set_option(options, word, value);
	if (error == -ENOENT) {
		snprintf(why, PB_WHY_MAX,
			 "there is no option '%s': 'patchbay record --help' lists them",
			 word);
		return -EINVAL;
	}
	if (error == -ERANGE)
		snprintf(why, PB_WHY_MAX, "%s='%s' is too large", word, value);
	else if (error)
		snprintf(why, PB_WHY_MAX, "%s='%s' is not %s", word, value,
			 wanted(word));
	return error;
}

/* FNV-1a. */
static uint64_t hash_of(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
	return hash ? hash : 1;
}

int pb_options_parse(struct pb_options *options, const char *value,
		     char why[PB_WHY_MAX])
{
	size_t words = 1;
	char *rest;
	int error;

	memset(options, 0, sizeof(*options));
	error = pb_selection_read(value, &options->text, why, PB_WHY_MAX);
	if (error)
		return error;
	options->buffer = PB_BUFFER_DEFAULT;
	options->call_cost_ps = PB_CALL_COST_DEFAULT;
	options->recording = hash_of(options->text);
	for (const char *c = options->text; *c; c++)
		words += *c == ',';
	options->filters = calloc(words, sizeof(*options->filters));
	options->symbols = calloc(words, sizeof(*options->symbols));
	options->notrace = calloc(words, sizeof(*options->notrace));
	options->notrace_symbols = calloc(words, sizeof(char *));
	options->args = calloc(words, sizeof(*options->args));
	options->start_at = calloc(words, sizeof(*options->start_at));
	options->stop_at = calloc(words, sizeof(*options->stop_at));
	options->typed = calloc(words, sizeof(*options->typed));
	options->under = calloc(words, sizeof(*options->under));
	options->threads = calloc(words, sizeof(*options->threads));
	if (!options->notrace_symbols || !options->filters || !options->symbols ||
	    !options->notrace || !options->args || !options->typed || !options->under ||
	    !options->start_at || !options->stop_at ||
	    !options->threads) {
		snprintf(why, PB_WHY_MAX, "out of memory");
		error = -ENOMEM;
	}
	for (rest = options->text; rest && !error;)
		error = parse_word(options, next_word(&rest), why);
	if (!error)
		pb_names_sort(options->notrace_symbols,
			      options->nr_notrace_symbols);
	/*
	 * With overwrite=1 the file does not grow, so its size cannot trigger
	 * rotation.
	 */
	if (!error && options->overwrite && options->rotate_size) {
		snprintf(why, PB_WHY_MAX,
			 "rotate-size is not for use beside overwrite=1, which keeps the file from growing: take rotate-every");
		error = -EINVAL;
	}
	/* The listening thread renames old files and disarms busy functions. */
	options->live |= pb_options_rotate(options) || options->max_rate ||
			 options->max_overhead;
	if (error)
		pb_options_free(options);
	return error;
}

void pb_options_free(struct pb_options *options)
{
	free(options->text);
	free(options->filters);
	free(options->symbols);
	free(options->notrace);
	free(options->notrace_symbols);
	free(options->args);
	free(options->start_at);
	free(options->stop_at);
	free(options->typed);
	free(options->under);
	free(options->threads);
}
