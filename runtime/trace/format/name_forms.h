/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Short forms of C++ names, as users write them. A demangler prints, for
 * example, "int svc::Cache<int>::get<int>(std::__cxx11::basic_string<...>
 * const&) const". libpatchbay-trace and the command share this code, so that a
 * glob means the same in both.
 */
#ifndef PB_TRACE_NAME_FORMS_H
#define PB_TRACE_NAME_FORMS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Replace the standard library's string types in @name by their source names,
 * for libstdc++ and libc++. Returns the new length, which is not larger.
 */
size_t pb_name_strings(char *name, size_t size);

/*
 * Write "svc::Cache<int>::get<int>" to @to, which has space for @size bytes. Drops the
 * result type that template functions have, the parameters, and the text after them.
 * Without @with_templates it writes "svc::Cache::get". Returns the length.
 */
size_t pb_name_short(const char *name, size_t size, int with_templates, char *to);

/*
 * The length of "svc::Cache<int>::get" in "svc::Cache<int>::get<int>": users
 * rarely write the arguments of a function template.
 */
size_t pb_name_without_last_arguments(const char *name, size_t size);

/* Does @text match @glob, a pattern of fnmatch(3)? Returns 1, 0 or -ENOMEM. */
int pb_glob_matches(const char *text, const char *glob);

/* Like pb_glob_matches(), but ignores spaces between types and punctuation. */
int pb_name_matches(const char *text, const char *glob);

/* Does @glob match any of these forms of the demangled @name? Returns 1, 0 or -ENOMEM. */
int pb_name_is_meant(const char *name, const char *glob);

#ifdef __cplusplus
}
#endif

#endif /* PB_TRACE_NAME_FORMS_H */
