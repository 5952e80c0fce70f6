/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Demangles C++ names. LLVM's demangler is compiled into this library, because a C program
 * has no C++ library, and may later load a plugin with a C++ library of its own.
 */
#ifndef PB_TRACE_DEMANGLE_H
#define PB_TRACE_DEMANGLE_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Returns the source name of symbol @name, which the caller frees by pb_free(). Returns NULL
 * with *@error 0 if @name is not a mangled C++ name, or if its source name is too long or nests
 * too deeply. Returns NULL with *@error -ENOMEM if out of memory. Allocates by pb_malloc() and
 * the like only.
 */
char *pb_demangle(const char *name, int *error);

#ifdef __cplusplus
}
#endif

#endif /* PB_TRACE_DEMANGLE_H */
