/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Demangles C++ names. LLVM's demangler is compiled into this library, because a C program
 * has no C++ library, and a plugin may load another C++ library later.
 */
#ifndef PB_TRACE_DEMANGLE_H
#define PB_TRACE_DEMANGLE_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Returns the demangled name of symbol @name; the caller frees it by pb_free(). Returns
 * NULL and sets *@error to 0 if @name is not a mangled C++ name, or if the result is too
 * long or nests too deeply. Returns NULL and sets *@error to -ENOMEM if out of memory.
 * Allocates only by pb_malloc() and pb_realloc().
 */
char *pb_demangle(const char *name, int *error);

#ifdef __cplusplus
}
#endif

#endif /* PB_TRACE_DEMANGLE_H */
