/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Names as they are in source code.
 */
#ifndef PB_TRACE_READABLE_H
#define PB_TRACE_READABLE_H

/*
 * Is @glob, a pattern of fnmatch(3), for the function @name? It is if it matches the
 * name as it is in the symbol table, or demangled in one of the forms of
 * name_forms.h: the command does the same. Returns 1, 0 or -ENOMEM. It may allocate
 * memory.
 */
int pb_readable_match(const char *glob, const char *name);

#endif /* PB_TRACE_READABLE_H */
