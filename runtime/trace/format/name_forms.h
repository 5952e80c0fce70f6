/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The short forms that users write for a C++ function. A demangler prints "int
 * svc::Cache<int>::get<int>(std::__cxx11::basic_string<...> const&) const" for
 * it. libpatchbay-trace and the command share this code, so that a glob means
 * the same in both.
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
 * Write "svc::Cache<int>::get<int>" to @to, which has room for @size. Drops the result
 * type that template functions have, the parameters, and the text after them. Without
 * @with_templates it writes "svc::Cache::get". Returns the length.
 */
size_t pb_name_short(const char *name, size_t size, int with_templates, char *to);

/*
 * The length of "svc::Cache<int>::get" in "svc::Cache<int>::get<int>": users
 * rarely write the arguments of a function template.
 */
size_t pb_name_without_last_arguments(const char *name, size_t size);

/* Does @text match @glob, a pattern of fnmatch(3)? Returns 1, 0 or -ENOMEM. */
int pb_glob_matches(const char *text, const char *glob);

/* The same, and ignores spaces between types and punctuation. */
int pb_name_matches(const char *text, const char *glob);

/*
 * Does the demangled @name match @glob in any of these forms? Returns 1, 0 or
 * -ENOMEM.
 */
int pb_name_is_meant(const char *name, const char *glob);

#ifdef __cplusplus
}
#endif

#endif /* PB_TRACE_NAME_FORMS_H */
