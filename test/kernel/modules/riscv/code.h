/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR GPL-2.0-only */
#define WIDE(code) ".option push\n" ".option norvc\n" code ".option pop\n"
#define RETURN_42 WIDE("nop\n" "li a0, 42\n" "ret\n")
#define NOPS WIDE("nop\n" "nop\n")
