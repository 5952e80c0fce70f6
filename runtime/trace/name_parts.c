/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "name_parts.h"

#include <string.h>

int pb_is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static int begins(const char *text, size_t size, const char *with)
{
	const size_t length = strlen(with);

	return size >= length && !memcmp(text, with, length);
}

static const char anonymous[] = "(anonymous namespace)";

int pb_is_parameters(const char *part, size_t size, char before)
{
	if (!begins(part, size, "(") ||
	    (size == strlen(anonymous) && begins(part, size, anonymous)))
		return 0;
	return before != '.' || !begins(part, size, "(*");
}

static int is_keyword(const char *text, size_t size, const char *keyword,
		      int is_in_word)
{
	const size_t length = strlen(keyword);

	return !is_in_word && begins(text, size, keyword) &&
	       (size == length || !pb_is_word(text[length]));
}

/*
 * "operator<<A>" is a template of operator<, as LLVM's demangler writes it: it
 * has no space between them.
 */
static int is_shift(const char *behind, size_t size)
{
	return !size ||
	       (!pb_is_word(behind[0]) && !begins(behind, size, anonymous));
}

static const char operator_word[] = "operator", decltype_word[] = "decltype";

/* "operator()", or "operator" alone; 0: the text does not begin with one. */
static size_t operator_size(const char *text, size_t size, int is_in_word)
{
	static const char *const signs[] = { "()", "[]", "<=>", "<<=", ">>=",
					     "->*", "<<", ">>", "<=", ">=",
					     "->", "<", ">", "," };
	size_t at = strlen(operator_word);

	if (!is_keyword(text, size, operator_word, is_in_word))
		return 0;
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		const size_t end = at + strlen(signs[i]);

		if (begins(text + at, size - at, signs[i]) &&
		    (strcmp(signs[i], "<<") || is_shift(text + end, size - end)))
			return end;
	}
	if (!begins(text + at, size - at, "\"\""))
		return at;
	at += 2;
	at += begins(text + at, size - at, " ");
	while (at < size && pb_is_word(text[at]))
		at++;
	return at;
}

static int is_unclosed(const struct pb_name_parts *of, const char *bracket)
{
	unsigned int from = 0, to = of->nr_unclosed;

	while (from < to) {
		const unsigned int at = (from + to) / 2;

		if (of->unclosed[at] < bracket)
			from = at + 1;
		else
			to = at;
	}
	return from < of->nr_unclosed && of->unclosed[from] == bracket;
}

/*
 * One that has no end is a character as any other; and so are those within it that
 * have none, which need not be looked for again.
 */
static size_t brackets_size(struct pb_name_parts *of, const char *text, size_t size)
{
	static const char open[] = "(<{[", close[] = ")>}]";
	const char *opened[PB_NAME_DEPTH];
	char expected[PB_NAME_DEPTH];
	unsigned int depth = 0;
	size_t at = 0;

	if (!memchr(open, text[0], sizeof(open) - 1) || is_unclosed(of, text))
		return 1;
	do {
		const char c = text[at];
		const char *kind = memchr(open, c, sizeof(open) - 1);

		if (c == operator_word[0]) {
			const size_t operator = operator_size(
				text + at, size - at, pb_is_word(text[at - 1]));

			at += operator ? operator : 1;
			continue;
		}
		if (kind) {
			if (depth == PB_NAME_DEPTH)
				break;
			opened[depth] = text + at;
			expected[depth++] = close[kind - open];
		} else if (c == '>' && text[at - 1] == '-') {
			; /* of a Rust function's type */
		} else if (c == expected[depth - 1]) {
			depth--;
		}
		at++;
	} while (depth && at < size);
	if (!depth)
		return at;
	memcpy(of->unclosed, opened, depth * sizeof(opened[0]));
	of->nr_unclosed = depth;
	return 1;
}

/* With a type, which may be that of a function, or new and delete. */
static size_t conversion_size(struct pb_name_parts *of, const char *text, size_t size, size_t at)
{
	while (at < size) {
		/* Behind "(*)" are parameters of the type. */
		if (begins(text + at, size - at, "(*") ||
		    begins(text + at, size - at, "(&"))
			at += brackets_size(of, text + at, size - at);
		else if (text[at] == '(')
			break;
		if (at < size)
			at += brackets_size(of, text + at, size - at);
	}
	return at;
}

static size_t decltype_size(struct pb_name_parts *of, const char *text, size_t size)
{
	size_t at = strlen(decltype_word), brackets;

	while (at < size && text[at] == ' ')
		at++;
	if (at == size || text[at] != '(')
		return 1;
	brackets = brackets_size(of, text + at, size - at);
	return brackets > 1 ? at + brackets : 1;
}

static size_t part_size(struct pb_name_parts *of)
{
	const char *text = of->rest;
	const size_t size = of->size;
	const size_t operator = operator_size(text, size, of->is_in_word);

	if (operator == strlen(operator_word) && operator < size &&
	    text[operator] == ' ')
		return conversion_size(of, text, size, operator);
	if (operator)
		return operator;
	if (is_keyword(text, size, decltype_word, of->is_in_word))
		return decltype_size(of, text, size);
	return brackets_size(of, text, size);
}

size_t pb_next_name_part(struct pb_name_parts *of)
{
	size_t size;

	if (!of->size)
		return 0;
	size = part_size(of);
	of->rest += size;
	of->size -= size;
	of->is_in_word = pb_is_word(of->rest[-1]);
	return size;
}
