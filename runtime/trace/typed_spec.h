/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What is recorded of a function's arguments and result: a text, which the command makes
 * of what debug information says (tool/recording/TypedArgs.cpp), and which is in the
 * data file as it is, for the command that reads it.
 *
 *	len=u8:r1;req->uri=s:r0@16;state=e4{IDLE=0/BUSY=1}:r2;?u8:r1>4096;retval=i4:v0
 *
 * Values, separated by `;`, each NAME=KIND:SOURCE. One that begins with `?` has no name:
 * it is KIND:SOURCE, one of == != < <= > >=, and a number, or for s, t, S, L, v a text. Calls
 * for which that does not hold are left out.
 *
 * KIND: i, u  integers with and without sign, behind which is how many bytes they have
 *       b, c  bool, char
 *       x     pointer
 *       d, f  double, float
 *       e, E  enumerations with and without sign, of so many bytes; {NAME=N/...}
 *       s     char *
 *       t     an array of char, of so many; 64 if it has more
 *       S, L  std::string of libstdc++ and libc++
 *       v     std::string_view: SOURCE is its pointer, behind which are `#` and the SOURCE
 *             of its length
 *
 * SOURCE: r N, f N, w N, v N, d N: integer register for arguments, floating-point one,
 * word of arguments on the stack, integer register of the result, floating-point one; each
 * counted from 0. `@N` behind it: what is in memory N bytes behind that address; of t, S
 * and L that is the object itself. Before a further one it is a pointer.
 */
#ifndef PB_TRACE_TYPED_SPEC_H
#define PB_TRACE_TYPED_SPEC_H

/* What a text may have at most. */
#define PB_TYPED_VALUES 24 /* conditions, too */
#define PB_TYPED_STEPS 6
/* Bytes of a string that are recorded; a multiple of 8. */
#define PB_TYPED_TEXT 64

#endif /* PB_TRACE_TYPED_SPEC_H */
