/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Splits a demangled name into parts, with matching brackets. Distinguishes brackets from
 * operators with the same characters. libpatchbay-trace and the command share this code.
 */
#ifndef PB_TRACE_NAME_PARTS_H
#define PB_TRACE_NAME_PARTS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Maximum nesting of brackets. Deeper brackets are ordinary characters. */
enum { PB_NAME_DEPTH = 256 };

/* @rest and @size are the rest of the name. */
struct pb_name_parts {
	const char *rest;
	size_t size;
	char before; /* the character before @rest; NUL at the beginning and after an operator's
		        name */
	size_t nr_sign; /* remaining characters of a < or << operator */
	unsigned int nr_unclosed;
	const char *unclosed[PB_NAME_DEPTH]; /* brackets that are known to be
					        unclosed */
};

/* Begin with the @size bytes at @name, which must stay valid. */
static inline void pb_begin_name_parts(struct pb_name_parts *of, const char *name,
				       size_t size)
{
	of->rest = name;
	of->size = size;
	of->before = '\0';
	of->nr_sign = 0;
	of->nr_unclosed = 0;
}

/*
 * Returns the length of the next part and moves @of past it; 0 at the end. A
 * part is bracketed text, the name of an operator, decltype with its brackets,
 * " requires " with its constraints, or a single character. Reading all parts
 * takes time proportional to the length of the name.
 */
size_t pb_next_name_part(struct pb_name_parts *of);

/* May @c be part of an identifier, including UTF-8? */
int pb_is_word(char c);

/*
 * Is the part a function's parameter list? "(anonymous namespace)" is not, and Go's
 * "(*Type)" after a package is not. @before: the character before the part; 0: none.
 */
int pb_is_parameters(const char *part, size_t size, char before);

#ifdef __cplusplus
}
#endif

#endif /* PB_TRACE_NAME_PARTS_H */
