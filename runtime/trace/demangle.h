/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Names of C++ as they are in source code, by LLVM's demangler, which is compiled into this
 * library: a program in C has none of its own, and its plugins may bring one later.
 */
#ifndef PB_TRACE_DEMANGLE_H
#define PB_TRACE_DEMANGLE_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What @name, a symbol, is called in the source; to be given to free(3). NULL, and 0 in
 * *@error: it is not mangled as C++ is, or its name is longer than a megabyte. NULL and
 * -ENOMEM: no memory. It calls nothing but malloc(3), realloc(3) and free(3).
 */
char *pb_demangle(const char *name, int *error);

#ifdef __cplusplus
}
#endif

#endif /* PB_TRACE_DEMANGLE_H */
