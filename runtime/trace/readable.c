/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "readable.h"

#include <patchbay/names.h>

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* Of the C++ ABI: in libstdc++ and libc++abi, if the program has one of them. */
char *__cxa_demangle(const char *name, char *buffer, size_t *size, int *status)
	__attribute__((weak));

/*
 * Where the parameters begin, at the parenthesis that the last one closes. What
 * may follow: const, volatile, &, &&, and of parts of functions "[clone .cold]".
 * "operator()" always has parameters behind it.
 */
static size_t find_parameters(const char *text, size_t length)
{
	size_t at = length;
	int depth = 0;

	while (at && text[at - 1] != ')')
		at--;
	while (at) {
		at--;
		depth += text[at] == ')';
		depth -= text[at] == '(';
		if (!depth)
			return at;
	}
	return length;
}

static int is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

/* Behind "operator" any character is part of the name, also < and a space. */
static int is_operator(const char *text, size_t at)
{
	return !strncmp(text + at, "operator", 8) && !is_word(text[at + 8]) &&
	       (!at || !is_word(text[at - 1]));
}

size_t pb_readable_function(const char *text, size_t length, size_t *end)
{
	size_t begin = 0;
	int depth = 0;

	*end = find_parameters(text, length);
	for (size_t at = 0; at < *end; at++) {
		if (!depth && is_operator(text, at))
			break;
		depth += strchr("<({[", text[at]) != NULL;
		depth -= strchr(">)}]", text[at]) != NULL;
		/* In "f() const::g()", g is in f: the name begins before. */
		if (!depth && text[at] == ' ' && at && text[at - 1] != ')')
			begin = at + 1;
	}
	return begin;
}

static int match(const char *glob, const char *text)
{
	switch (fnmatch(glob, text, 0)) {
	case 0:
		return 1;
	case FNM_NOMATCH:
		return 0;
	default:
		return -ENOMEM;
	}
}

/* As it is, and without type of the result and parameters. Both texts are changed. */
static int match_forms(const char *glob, char *whole, char *name)
{
	char *closed;
	int result = match(glob, whole);

	if (!result)
		result = match(glob, name);
	if (result)
		return result;
	closed = strdup(glob);
	if (!closed)
		return -ENOMEM;
	if (patchbay_close_up(closed)) {
		patchbay_close_up(whole);
		patchbay_close_up(name);
		result = match(closed, whole);
		if (!result)
			result = match(closed, name);
	}
	free(closed);
	return result;
}

/* "svc::Cache::get" of "svc::Cache<int>::get<int>", as people write it. */
static void drop_arguments(char *name)
{
	char *to = name;
	int depth = 0;

	for (const char *from = name; *from; from++) {
		/* Which may be followed by < that opens nothing. */
		if (!depth && is_operator(name, (size_t)(from - name))) {
			memmove(to, from, strlen(from) + 1);
			return;
		}
		depth += *from == '<';
		if (!depth)
			*to++ = *from;
		depth -= *from == '>' && depth;
	}
	*to = '\0';
}

/* @text is changed. */
static int match_demangled(const char *glob, char *text)
{
	char *whole = strdup(text);
	size_t end, begin;
	int result;

	if (!whole)
		return -ENOMEM;
	begin = pb_readable_function(text, strlen(text), &end);
	text[end] = '\0';
	result = match_forms(glob, whole, text + begin);
	if (!result) {
		drop_arguments(text + begin);
		result = match(glob, text + begin);
	}
	free(whole);
	return result;
}

int pb_readable_match(const char *glob, const char *name)
{
	int result = match(glob, name), status;
	char *text;

	/* It would read "i" as the type int. */
	if (result || strncmp(name, "_Z", 2) || !__cxa_demangle)
		return result;
	text = __cxa_demangle(name, NULL, NULL, &status);
	if (text)
		result = match_demangled(glob, text);
	else if (status == -1)
		result = -ENOMEM;
	free(text);
	return result;
}
