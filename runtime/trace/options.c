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

static int set_option(struct pb_options *options, const char *name,
		      const char *value)
{
	if (!strcmp(name, "filter"))
		options->filters[options->nr_filters++] = value;
	else if (!strcmp(name, "output"))
		options->output = value;
	else if (!strcmp(name, "tracer") && !strcmp(value, "function_profile"))
		options->tracer = PB_TRACER_FUNCTION_PROFILE;
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
	for (const char *c = value; *c; c++)
		words += *c == ',';
	options->text = strdup(value);
	options->filters = calloc(words, sizeof(*options->filters));
	if (!options->text || !options->filters)
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
}
