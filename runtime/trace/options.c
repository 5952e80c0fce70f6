/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	{ "", 1000 },	   { "ns", 1 },		{ "us", 1000 },
	{ "ms", 1000000 }, { "s", 1000000000 }, { NULL, 0 },
};
static const struct unit size_units[] = {
	{ "", 1 }, { "K", 1 << 10 }, { "M", 1 << 20 }, { "G", 1 << 30 }, { NULL, 0 },
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
	return parse_number(text, time_units, ns);
}

static int set_option(struct pb_options *options, const char *name,
		      const char *value)
{
	if (!strcmp(name, "filter"))
		options->filters[options->nr_filters++] = value;
	else if (!strcmp(name, "notrace"))
		options->notrace[options->nr_notrace++] = value;
	else if (!strcmp(name, "output"))
		options->output = value;
	else if (!strcmp(name, "tracer"))
		options->tracer_name = value;
	else if (!strcmp(name, "start_at"))
		options->start_at = value;
	else if (!strcmp(name, "stop_at"))
		options->stop_at = value;
	else if (!strcmp(name, "thresh"))
		return pb_parse_time(value, &options->threshold_ns);
	else if (!strcmp(name, "buffer"))
		return parse_number(value, size_units, &options->buffer);
	else if (!strcmp(name, "overwrite") && !strcmp(value, "1"))
		options->overwrite = 1;
	else if (!strcmp(name, "live") && !strcmp(value, "1"))
		options->live = 1;
	else
		return -EINVAL;
	return 0;
}

int pb_options_parse(struct pb_options *options, const char *value)
{
	size_t words = 1;
	char *rest;
	int error = 0;

	memset(options, 0, sizeof(*options));
	options->buffer = PB_BUFFER_DEFAULT;
	for (const char *c = value; *c; c++)
		words += *c == ',';
	options->text = strdup(value);
	options->filters = calloc(words, sizeof(*options->filters));
	options->notrace = calloc(words, sizeof(*options->notrace));
	if (!options->text || !options->filters || !options->notrace)
		error = -ENOMEM;
	for (rest = options->text; rest && !error;) {
		char *word = next_word(&rest);
		char *equals = strchr(word, '=');

		if (!equals) {
			error = -EINVAL;
			break;
		}
		*equals = '\0';
		error = set_option(options, word, equals + 1);
	}
	if (error)
		pb_options_free(options);
	return error;
}

void pb_options_free(struct pb_options *options)
{
	free(options->text);
	free(options->filters);
	free(options->notrace);
}
