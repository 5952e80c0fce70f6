/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Names as they are in source code. The program's own C++ library knows how to
 * read mangled ones; where it is not there, as in programs in C, names are those of
 * the symbol table.
 */
#ifndef PB_TRACE_READABLE_H
#define PB_TRACE_READABLE_H

#include <stddef.h>

/*
 * Is @glob, a pattern of fnmatch(3), for the function @name? It is if it matches the
 * name as it is in the symbol table, or demangled, or that without parameters and
 * type of the result: `patchbay record -F` does the same. Returns 1, 0 or -ENOMEM.
 * It may allocate memory.
 */
int pb_readable_match(const char *glob, const char *name);

/*
 * Where in the @length bytes of @text, a demangled name, that of the function itself
 * begins, and in *@end where it ends: "Cache::get<int>" of
 * "int Cache::get<int>(long) const".
 */
size_t pb_readable_function(const char *text, size_t length, size_t *end);

#endif /* PB_TRACE_READABLE_H */
