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
 * Is "<<" after "operator" the shift operator? LLVM's demangler also writes "operator<<A>",
 * without a space, for a template of operator<. @behind is the text after "<<".
 */
static int is_shift(const char *behind, size_t size)
{
	return !size ||
	       (!pb_is_word(behind[0]) && !begins(behind, size, anonymous));
}

static const char operator_word[] = "operator", decltype_word[] = "decltype";

/*
 * Returns the length of an operator's name, such as "operator()", or of "operator"
 * alone if no sign follows. Returns 0 if @text does not begin with "operator".
 */
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

/*
 * Returns the length of an operator with < in an expression, where < opens no bracket; 0
 * for any other <. LLVM's demangler writes a space after the operator; libstdc++'s
 * demangler puts brackets around both operands.
 */
static size_t sign_size(const char *text, size_t size, char before)
{
	const size_t sign = 1 + (size_t)begins(text, size, "<<");
	const char next = size > sign ? text[sign] : '\0';

	if (text[0] != '<')
		return 0;
	if (begins(text, size, "<=>"))
		return strlen("<=>");
	if (next == ' ' || next == '=')
		return sign;
	return (before == ')' || before == '}') && (next == '(' || next == '{') ?
		       sign :
		       0;
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

/* Returns the value of pb_name_parts.before after this part. */
static char last_of(const char *part, size_t size)
{
	return size > 1 && part[0] == operator_word[0] ? '\0' : part[size - 1];
}

/*
 * Returns the length of a bracketed part. Skips operators that look like brackets. An
 * unclosed bracket is an ordinary character, of length 1. Remembers unclosed brackets,
 * so that later calls need not search for their ends again.
 */
static size_t brackets_size(struct pb_name_parts *of, const char *text, size_t size,
			    char before)
{
	static const char open[] = "(<{[", close[] = ")>}]";
	const char *opened[PB_NAME_DEPTH];
	char expected[PB_NAME_DEPTH];
	unsigned int depth = 0;
	size_t at = 0, length;

	if (!memchr(open, text[0], sizeof(open) - 1) || is_unclosed(of, text))
		return 1;
	do {
		const char c = text[at];
		const char *kind = memchr(open, c, sizeof(open) - 1);

		length = operator_size(text + at, size - at, pb_is_word(before));
		if (!length)
			length = sign_size(text + at, size - at, before);
		if (length) {
			; /* no brackets */
		} else if (kind) {
			if (depth == PB_NAME_DEPTH)
				break;
			opened[depth] = text + at;
			expected[depth++] = close[kind - open];
		} else if (c == '>' && before == '-') {
			; /* the arrow of a Rust function type */
		} else if (depth && c == expected[depth - 1]) {
			depth--;
		}
		length += !length;
		before = last_of(text + at, length);
		at += length;
	} while (depth && at < size);
	if (!depth)
		return at;
	memcpy(of->unclosed, opened, depth * sizeof(opened[0]));
	of->nr_unclosed = depth;
	return 1;
}

/*
 * Like part_size(), but does not read nested "operator" and " requires " to their ends, to
 * avoid quadratic time.
 */
static size_t inner_size(struct pb_name_parts *of, const char *text, size_t size,
			 char before)
{
	const size_t operator = operator_size(text, size, pb_is_word(before));

	return operator ? operator : brackets_size(of, text, size, before);
}

/*
 * Does @text begin with "(*", "(&" or "(Type::*"? Excludes the "(void*" of operator delete.
 */
static int is_pointer(struct pb_name_parts *of, const char *text, size_t size)
{
	size_t at = 1;

	if (text[0] != '(')
		return 0;
	while (at < size && (pb_is_word(text[at]) || text[at] == ':' || text[at] == '<'))
		at += brackets_size(of, text + at, size - at, text[at - 1]);
	if (at == size || (at > 1 && text[at - 1] != ':'))
		return 0;
	return text[at] == '*' || text[at] == '&';
}

/*
 * Returns the length of a conversion operator with its type, or of operator new or delete.
 * The part ends before the parameters. Brackets of a function type, which follow "(*)" or
 * "(Type::*)", belong to the part.
 */
static size_t conversion_size(struct pb_name_parts *of, const char *text, size_t size, size_t at)
{
	int is_behind_pointer = 0;
	size_t length;

	for (char before = ' '; at < size; at += length) {
		const int is_brackets = text[at] == '(';
		const int pointer = is_pointer(of, text + at, size - at);

		/* Parameters after "(*)" belong to the type. */
		if (is_brackets && !pointer && !is_behind_pointer)
			break;
		length = inner_size(of, text + at, size - at, before);
		before = last_of(text + at, length);
		is_behind_pointer = pointer;
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
	brackets = brackets_size(of, text + at, size - at, ' ');
	return brackets > 1 ? at + brackets : 1;
}

static const char requires_words[] = " requires ";

/*
 * Returns the length of a template's constraints. Constraints extend to the end of the
 * name, unless a lambda of the function follows.
 */
static size_t requires_size(struct pb_name_parts *of, const char *text, size_t size)
{
	size_t at = strlen(requires_words), length;

	for (char before = ' '; at < size; at += length) {
		if (begins(text + at, size - at, "::'") ||
		    begins(text + at, size - at, "::{") ||
		    begins(text + at, size - at, "::operator"))
			break;
		length = inner_size(of, text + at, size - at, before);
		before = last_of(text + at, length);
	}
	return at;
}

static size_t part_size(struct pb_name_parts *of)
{
	const char *text = of->rest;
	const size_t size = of->size;
	const int is_in_word = pb_is_word(of->before);
	const size_t operator = operator_size(text, size, is_in_word);

	if (of->nr_sign || (of->nr_sign = sign_size(text, size, of->before))) {
		of->nr_sign--;
		return 1;
	}
	if (operator == strlen(operator_word) && operator < size &&
	    text[operator] == ' ')
		return conversion_size(of, text, size, operator);
	if (operator)
		return operator;
	if (begins(text, size, requires_words))
		return requires_size(of, text, size);
	if (is_keyword(text, size, decltype_word, is_in_word))
		return decltype_size(of, text, size);
	return brackets_size(of, text, size, of->before);
}

size_t pb_next_name_part(struct pb_name_parts *of)
{
	size_t size;

	if (!of->size)
		return 0;
	size = part_size(of);
	of->before = last_of(of->rest, size);
	of->rest += size;
	of->size -= size;
	return size;
}
