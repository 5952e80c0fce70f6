/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The forms in which people write the name of a C++ function, of which a demangler
 * says "int svc::Cache<int>::get<int>(std::__cxx11::basic_string<...> const&) const".
 * Of libpatchbay-trace and of the command, so that a glob means the same in both.
 */
#ifndef PB_TRACE_NAME_FORMS_H
#define PB_TRACE_NAME_FORMS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * In @name the names that the source has of the standard library's strings, for
 * those that a demangler writes out, of libstdc++ and of libc++. Returns how long
 * it is then: not longer.
 */
size_t pb_name_strings(char *name, size_t size);

/*
 * Writes to @to, which has room for @size: "svc::Cache<int>::get<int>", without the
 * type of the result, which stands before functions that are made of templates,
 * parameters, and what is behind these; without @with_templates "svc::Cache::get".
 * Returns how long that is.
 */
size_t pb_name_short(const char *name, size_t size, int with_templates, char *to);

/*
 * How much of "svc::Cache<int>::get<int>" is "svc::Cache<int>::get": a template is
 * not called with its arguments as a rule.
 */
size_t pb_name_without_last_arguments(const char *name, size_t size);

/* Whether @text matches @glob, a pattern of fnmatch(3): 1, 0 or -ENOMEM. */
int pb_glob_matches(const char *text, const char *glob);

/*
 * The same with spaces between types and punctuation or without, wherever one of the
 * two has them.
 */
int pb_name_matches(const char *text, const char *glob);

/* Whether the demangled @name matches @glob in any of these forms: 1, 0 or -ENOMEM. */
int pb_name_is_meant(const char *name, const char *glob);

#ifdef __cplusplus
}
#endif

#endif /* PB_TRACE_NAME_FORMS_H */
