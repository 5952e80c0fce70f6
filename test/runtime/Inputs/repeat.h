/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* X256(WHAT, _): WHAT(_0000) to WHAT(_3333), four times four times four times four. */
#ifndef REPEAT_H
#define REPEAT_H

#define X4(what, n) what(n##0) what(n##1) what(n##2) what(n##3)
#define X16(what, n)                                                           \
	X4(what, n##0) X4(what, n##1) X4(what, n##2) X4(what, n##3)
#define X64(what, n)                                                           \
	X16(what, n##0) X16(what, n##1) X16(what, n##2) X16(what, n##3)
#define X256(what, n)                                                          \
	X64(what, n##0) X64(what, n##1) X64(what, n##2) X64(what, n##3)
#define X1024(what, n)                                                         \
	X256(what, n##0) X256(what, n##1) X256(what, n##2) X256(what, n##3)

#endif /* REPEAT_H */
