/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Matches names as in source code. */
#ifndef PB_TRACE_READABLE_H
#define PB_TRACE_READABLE_H

/*
 * Does @glob, a pattern of fnmatch(3), match the function @name? It may match
 * the name in the symbol table, or the demangled name in one of the forms of
 * name_forms.h. The command uses the same rules. Returns 1, 0 or -ENOMEM. May
 * allocate memory.
 */
int pb_readable_match(const char *glob, const char *name);

#endif /* PB_TRACE_READABLE_H */
