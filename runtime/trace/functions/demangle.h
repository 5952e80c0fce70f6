/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * C++ names as in source code. LLVM's demangler is compiled into this library:
 * a C program has no C++ library, and its plugin may bring one later.
 */
#ifndef PB_TRACE_DEMANGLE_H
#define PB_TRACE_DEMANGLE_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The source name of symbol @name. The caller frees it by pb_free(). Returns NULL
 * and sets *@error to 0 if @name is not a mangled C++ name, or if its source
 * name is too long or nests too deeply. Returns NULL and sets *@error to -ENOMEM if memory is
 * short. It calls no allocator but pb_malloc() and the like.
 */
char *pb_demangle(const char *name, int *error);

#ifdef __cplusplus
}
#endif

#endif /* PB_TRACE_DEMANGLE_H */
