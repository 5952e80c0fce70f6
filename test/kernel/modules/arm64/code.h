/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR GPL-2.0-only */
#define RETURN_42 "hint #34\n" /* BTI C */ "mov w0, #42\n" "ret\n"
#define NOPS "nop\n" "nop\n"
