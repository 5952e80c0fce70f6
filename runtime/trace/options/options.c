/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "options.h"

#include "option_table.h"
#include "selection.h"
#include "sorted_names.h"

#include <core/system/memory.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pb_options pb_options;

/* Cut the first option off @rest. Resolves escapes in place. */
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

static int parse_word(struct pb_options *options, char *word,
		      char why[PB_WHY_MAX])
{
	char *value = strchr(word, '=');
	char wanted[PB_WHY_MAX];
	int error;

	if (!value) {
		snprintf(why, PB_WHY_MAX, "'%s' is not NAME=VALUE", word);
		return -EINVAL;
	}
	*value++ = '\0';
	error = pb_option_set(options, word, value, wanted);
	if (error == -ENOENT) {
		snprintf(why, PB_WHY_MAX,
			 "there is no option '%s': 'patchbay record --help' lists them",
			 word);
		return -EINVAL;
	}
	if (error == -ERANGE)
		snprintf(why, PB_WHY_MAX, "%s='%s' is too large", word, value);
	else if (error)
		snprintf(why, PB_WHY_MAX, "%s='%s' is not %s", word, value, wanted);
	return error;
}

/* The hash function is FNV-1a. */
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
	const char ***names;
	uint64_t recording;
	size_t words = 1;
	char *rest;
	int error;

	memset(options, 0, sizeof(*options));
	error = pb_selection_read(value, &options->text, why, PB_WHY_MAX);
	if (error)
		return error;
	options->buffer = PB_BUFFER_DEFAULT;
	options->call_cost_ps = PB_CALL_COST_DEFAULT;
	recording = hash_of(options->text);
	for (const char *c = options->text; *c; c++)
		words += *c == ',';
	for (size_t i = 0; (names = pb_options_list(options, i)); i++) {
		*names = pb_calloc(words, sizeof(char *));
		if (!*names) {
			snprintf(why, PB_WHY_MAX, "out of memory");
			error = -ENOMEM;
		}
	}
	for (rest = options->text; rest && !error;)
		error = parse_word(options, next_word(&rest), why);
	if (!error)
		pb_names_sort(options->notrace_symbols,
			      options->nr_notrace_symbols);
	options->has_command = options->recording != 0;
	if (!options->recording)
		options->recording = recording;
	/*
	 * These options need the listening thread, which switches files and disarms
	 * functions.
	 */
	options->live |= pb_options_rotate(options) || options->max_rate ||
			 options->max_overhead;
	if (error)
		pb_options_free(options);
	return error;
}

void pb_options_free(struct pb_options *options)
{
	const char ***names;

	pb_free(options->text);
	for (size_t i = 0; (names = pb_options_list(options, i)); i++)
		pb_free(*names);
}
