/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The parts of a demangled name: where brackets begin and end, though operators
 * are written with the same signs. Of libpatchbay-trace and of the command.
 */
#ifndef PB_TRACE_NAME_PARTS_H
#define PB_TRACE_NAME_PARTS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Types are not nested as deep; what is around that many is read as no brackets. */
enum { PB_NAME_DEPTH = 256 };

/* @rest and @size are what is left of the name. */
struct pb_name_parts {
	const char *rest;
	size_t size;
	char before; /* the character there; NUL: none, or an operator's name */
	size_t nr_sign; /* characters of < or << that are left */
	unsigned int nr_unclosed;
	const char *unclosed[PB_NAME_DEPTH]; /* brackets of which that is known */
};

/* The parts of the @size bytes at @name, which have to stay there. */
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
 * How long the next part is, which @of is behind then; 0: there is none. A part
 * is what is between brackets of any kind, the name of an operator, decltype
 * with its brackets, " requires " with what it asks for, or else a character. All
 * of them together take time in proportion to the name, whatever that is.
 */
size_t pb_next_name_part(struct pb_name_parts *of);

/* Of identifiers, which may have characters of UTF-8. */
int pb_is_word(char c);

/*
 * Whether a part is a function's parameters: not "(anonymous namespace)", and not
 * Go's "(*Type)" behind a package. @before: the character before it; 0: none.
 */
int pb_is_parameters(const char *part, size_t size, char before);

#ifdef __cplusplus
}
#endif

#endif /* PB_TRACE_NAME_PARTS_H */
