/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The format of a string that describes how to record a function's arguments and result.
 * The command makes the string from debug information (tool/recording/TypedArgs.cpp). The
 * data file contains a copy for readers.
 *
 *	len=u8:r1;req->uri=s:r0@16;state=e4{IDLE=0/BUSY=1}:r2;?u8:r1>4096;retval=i4:v0
 *
 * The string is a list of values NAME=KIND:SOURCE, separated by `;`. `?` after the name
 * means that the function does not use the argument, so callers may pass any value. `!`
 * before the first name means that the function is a mark, whose calls are recorded
 * regardless of the threshold. A condition has the format ?KIND:SOURCE, one of == != < <= >
 * >=, and a number or, for s, t, S, L, v, a string. Only calls that meet all conditions are
 * recorded.
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
 * SOURCE: r N, f N, w N, v N, d N: integer argument register, floating-point argument
 * register, word of stack arguments, integer result register, floating-point result
 * register. Each is counted from 0. A following `@N` means the memory N bytes after that
 * address: a pointer before another `@N`; for t, S and L the object itself; otherwise the
 * value.
 */
#ifndef PB_TRACE_TYPED_SPEC_H
#define PB_TRACE_TYPED_SPEC_H

/* Maximum number of values, and of `@N` in a SOURCE. */
#define PB_TYPED_VALUES 24 /* including conditions */
#define PB_TYPED_STEPS 6
/* Recorded bytes of a string; a multiple of 8. */
#define PB_TYPED_TEXT 64

#endif /* PB_TRACE_TYPED_SPEC_H */
