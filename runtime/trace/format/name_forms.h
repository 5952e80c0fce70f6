/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Short C++ names, as users write them. A demangler prints, for example, "int
 * svc::Cache<int>::get<int>(std::__cxx11::basic_string<...> const&) const".
 * libpatchbay-trace and the command share this code, so that globs select the same
 * functions in both.
 */
#ifndef PB_TRACE_NAME_FORMS_H
#define PB_TRACE_NAME_FORMS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Replace the string types of libstdc++ and libc++ in @name by their names in source code.
 * Returns the new length, which is at most @size.
 */
size_t pb_name_strings(char *name, size_t size);

/*
 * Write the short name, such as "svc::Cache<int>::get<int>", to @to, which has space for
 * @size bytes. Drops the result type of template functions, the parameters, and all text
 * after the parameters. If @with_templates is 0, writes "svc::Cache::get". Returns the
 * length.
 */
size_t pb_name_short(const char *name, size_t size, int with_templates, char *to);

/*
 * Returns the length without the last template arguments, which users rarely write: of
 * "svc::Cache<int>::get" in "svc::Cache<int>::get<int>".
 */
size_t pb_name_without_last_arguments(const char *name, size_t size);

/* Does @text match @glob, a pattern of fnmatch(3)? Returns 1, 0 or -ENOMEM. */
int pb_glob_matches(const char *text, const char *glob);

/* Like pb_glob_matches(), but ignores spaces between types and punctuation. */
int pb_name_matches(const char *text, const char *glob);

/*
 * Does @glob match the demangled @name, or a short name made by these functions? Returns 1,
 * 0 or -ENOMEM.
 */
int pb_name_is_meant(const char *name, const char *glob);

#ifdef __cplusplus
}
#endif

#endif /* PB_TRACE_NAME_FORMS_H */
