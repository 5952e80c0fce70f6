/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "name_forms.h"
#include "name_parts.h"

#include <core/system/memory.h>
#include <patchbay/names.h>

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

/* If @word is at *@at, moves *@at past it and returns 1. */
static int skip(const char **at, const char *end, const char *word)
{
	const size_t length = strlen(word);

	if ((size_t)(end - *at) < length || memcmp(*at, word, length))
		return 0;
	*at += length;
	return 1;
}

/*
 * Returns the length of the string type at @begin, and sets *@name to its usual name.
 * Returns 0 if there is no string type. Knows the namespaces of libstdc++ and libc++.
 */
static size_t string_size(const char *begin, const char *end, const char **name)
{
	const char *at = begin;
	int is_libcxx, is_view;

	if (!skip(&at, end, "std::"))
		return 0;
	is_libcxx = skip(&at, end, "__1::");
	if (!is_libcxx)
		skip(&at, end, "__cxx11::");
	if (!skip(&at, end, "basic_string"))
		return 0;
	is_view = skip(&at, end, "_view");
	if (!skip(&at, end, "<char, std::") ||
	    (is_libcxx && !skip(&at, end, "__1::")) ||
	    !skip(&at, end, "char_traits<char>"))
		return 0;
	if (!is_view && (!skip(&at, end, ", std::") ||
			 (is_libcxx && !skip(&at, end, "__1::")) ||
			 !skip(&at, end, "allocator<char>")))
		return 0;
	skip(&at, end, " "); /* libstdc++'s demangler writes a space */
	if (!skip(&at, end, ">"))
		return 0;
	*name = is_view ? "std::string_view" : "std::string";
	return (size_t)(at - begin);
}

size_t pb_name_strings(char *name, size_t size)
{
	const char *from = name, *const end = name + size;
	char *to = name;

	while (from < end) {
		const char *string;
		const size_t length = *from == 's' ?
					      string_size(from, end, &string) :
					      0;

		if (length) {
			memcpy(to, string, strlen(string));
			to += strlen(string);
			from += length;
		} else {
			*to++ = *from++;
		}
	}
	return (size_t)(to - name);
}

static size_t without_colons(const char *name, size_t size)
{
	while (size && name[size - 1] == ':')
		size--;
	return size;
}

/* Maximum nesting of result types. */
enum { MOST_DECLARED = 8 };

/*
 * Returns the offset of "f" if @part is "(*f<int>(int))", as in "void
 * (*f<int>(int))(char)": the declared function returns a pointer to a function or to
 * an array. Otherwise returns 0.
 */
static size_t find_declared(const char *part, size_t size)
{
	struct pb_name_parts inner;
	int is_found = 0;

	if (size < 2)
		return 0;
	pb_begin_name_parts(&inner, part + 1, size - 1);
	while (inner.size) {
		const char *at = inner.rest;
		const int is_pointer = *at == '*' || *at == '&';

		if (is_found && !is_pointer && *at != ' ')
			return *at == ')' ? 0 : (size_t)(at - part);
		if (pb_next_name_part(&inner) > 1 && *at != '<')
			return 0;
		is_found |= is_pointer;
	}
	return 0;
}

/*
 * Drops "friend" from "A::friend operator==", which LLVM's demangler writes for a
 * member-like friend of A. Returns the new length, or 0 if @name does not end with
 * "::friend" and thus is a result type.
 */
static size_t without_friend(const char *name, size_t size)
{
	static const char word[] = "::friend";
	const size_t length = strlen(word);

	if (size < length || memcmp(name + size - length, word, length))
		return 0;
	return size - length + strlen("::");
}

/*
 * Drops the result type, which ends with a space. Drops the parameter list and the rest,
 * unless a member of that function follows: "f(int)::{lambda()#1}::operator()() const".
 */
size_t pb_name_short(const char *name, size_t size, int with_templates, char *to)
{
	int is_over = 0, was_operator = 0, nr_declared = 0;
	struct pb_name_parts parts;
	size_t length = 0, declared;

	pb_begin_name_parts(&parts, name, size);
	while (parts.size) {
		const char *part = parts.rest;
		const size_t of_part = pb_next_name_part(&parts);

		if (is_over && *part != ':')
			continue;
		is_over = 0;
		if (pb_is_parameters(part, of_part, length ? to[length - 1] : 0)) {
			is_over = length != 0;
			if (!length && part != name && nr_declared < MOST_DECLARED)
				declared = find_declared(part, of_part);
			else
				declared = 0;
			if (declared) {
				nr_declared++;
				pb_begin_name_parts(&parts, part + declared,
						    size - declared -
							    (size_t)(part - name));
			}
		} else if (*part == ' ' && of_part > 1) {
			; /* " requires " */
		} else if (*part == ' ' && !was_operator) { /* "operator<< <int>" */
			length = without_friend(to, length);
		} else if (*part == '<' && of_part > 1 && !with_templates && length) {
			/* Rust writes "::" before the arguments: "f::<Type>". */
			length = without_colons(to, length);
		} else if (*part != ' ' &&
			   (of_part < 5 || memcmp(part, "[abi:", 5))) {
			memcpy(to + length, part, of_part);
			length += of_part;
		}
		was_operator = of_part >= 8 && !memcmp(part, "operator", 8);
	}
	if (!length)
		memcpy(to, name, length = size);
	return length;
}

size_t pb_name_without_last_arguments(const char *name, size_t size)
{
	struct pb_name_parts parts;
	size_t last = 0;

	pb_begin_name_parts(&parts, name, size);
	while (parts.size)
		last = pb_next_name_part(&parts);
	if (last <= 2 || name[size - last] != '<')
		return size;
	return without_colons(name, size - last);
}

int pb_glob_matches(const char *text, const char *glob)
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

int pb_name_matches(const char *text, const char *glob)
{
	int result = pb_glob_matches(text, glob);
	char *closed, *text_closed;

	if (result)
		return result;
	closed = pb_copy_string(glob);
	text_closed = pb_copy_string(text);
	if (!closed || !text_closed) {
		result = -ENOMEM;
	} else if (patchbay_close_up(closed)) {
		patchbay_close_up(text_closed);
		result = pb_glob_matches(text_closed, closed);
	}
	pb_free(closed);
	pb_free(text_closed);
	return result;
}

/*
 * Matches the short names of @readable, of @size bytes. @text: space for @size + 1 bytes.
 */
static int match_short(const char *readable, size_t size, char *text, const char *glob)
{
	size_t length = pb_name_short(readable, size, 1, text);
	int result;

	text[length] = '\0';
	result = pb_name_matches(text, glob);
	if (result)
		return result;
	text[pb_name_without_last_arguments(text, length)] = '\0';
	result = pb_name_matches(text, glob);
	if (result)
		return result;
	text[pb_name_short(readable, size, 0, text)] = '\0';
	return pb_name_matches(text, glob);
}

int pb_name_is_meant(const char *name, const char *glob)
{
	size_t size = strlen(name);
	char *readable, *text;
	int result = !strcmp(name, glob) ? 1 : pb_name_matches(name, glob);

	if (result)
		return result;
	readable = pb_copy_string(name);
	text = pb_malloc(size + 1);
	if (readable && text) {
		size = pb_name_strings(readable, size);
		readable[size] = '\0';
		result = pb_name_matches(readable, glob);
		if (!result)
			result = match_short(readable, size, text, glob);
	} else {
		result = -ENOMEM;
	}
	pb_free(readable);
	pb_free(text);
	return result;
}
