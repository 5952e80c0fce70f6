/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Matches globs against symbols and their demangled names. */
#ifndef PB_TRACE_READABLE_H
#define PB_TRACE_READABLE_H

/*
 * Does @glob, a pattern of fnmatch(3), match the function @name? Matches the name in the
 * symbol table, the demangled name, and its short names (name_forms.h), like the command.
 * Returns 1, 0 or -ENOMEM. May allocate memory.
 */
int pb_readable_match(const char *glob, const char *name);

#endif /* PB_TRACE_READABLE_H */
