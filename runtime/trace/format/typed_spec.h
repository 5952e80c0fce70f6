/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Describes how to record a function's arguments and result. The command makes
 * this string from debug information (tool/recording/TypedArgs.cpp). The data
 * file has a copy of it for readers.
 *
 *	len=u8:r1;req->uri=s:r0@16;state=e4{IDLE=0/BUSY=1}:r2;?u8:r1>4096;retval=i4:v0
 *
 * Values, separated by `;`, each NAME=KIND:SOURCE. `?` after the name means that the
 * function does not use the argument, so callers may pass any value. `!` before the
 * first name means that the function is a mark: the threshold drops none of its
 * calls. A condition begins with `?` and has no name: KIND:SOURCE, one of == != < <=
 * > >=, and a number or, for s, t, S, L, v, a string. Calls that do not meet it are
 * left out.
 *
 * KIND: i, u  signed and unsigned integers, followed by their number of bytes
 *       b, c  bool, char
 *       x     pointer
 *       d, f  double, float
 *       e, E  signed and unsigned enumerations, with their number of bytes;
 *             {NAME=N/...}
 *       s     char *
 *       t     an array of char, with its size; 64 if it is larger
 *       S, L  std::string of libstdc++ and libc++
 *       v     std::string_view: SOURCE is its pointer, followed by `#` and the
 *             SOURCE of its length
 *
 * SOURCE: r N, f N, w N, v N, d N: integer argument register, floating-point
 * argument register, word of stack arguments, integer result register,
 * floating-point result register. Each is counted from 0. A following `@N`
 * means memory N bytes after that address. For t, S and L that is the object
 * itself. Before another `@N` it is a pointer.
 */
#ifndef PB_TRACE_TYPED_SPEC_H
#define PB_TRACE_TYPED_SPEC_H

/* Limits of a string. */
#define PB_TYPED_VALUES 24 /* including conditions */
#define PB_TYPED_STEPS 6
/* Recorded bytes of a string; a multiple of 8. */
#define PB_TYPED_TEXT 64

#endif /* PB_TRACE_TYPED_SPEC_H */
