/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program reads its function's cookie and argument within five instructions, as
 * disassembly shows. The code contains no table search and no call.
 */
// RUN: %plain -c %s -o %t.o
// RUN: llvm-objdump -d --no-show-raw-insn --no-leading-addr %t.o | FileCheck %s

#include <patchbay/link.h>

void take(void *cookie, uint64_t value);
void take_double(double value);

#define PROGRAM(name)                                                          \
	void name(uintptr_t ip, uintptr_t parent_ip,                           \
		  const struct patchbay_cell *cell,                            \
		  struct patchbay_regs *regs);                                 \
	void name(uintptr_t ip, uintptr_t parent_ip,                           \
		  const struct patchbay_cell *cell, struct patchbay_regs *regs)

/* Works for any function: the record says whether a hidden argument comes first. */
PROGRAM(cookie_and_arg)
{
	take(patchbay_get_attach_cookie(cell),
	     patchbay_get_func_arg(cell, regs, 2));
}
// CHECK-LABEL: <cookie_and_arg>:
// CHECK-NEXT: movq 0x10(%rdx), %rdi
// CHECK-NEXT: movq 0x18(%rdx), %rax
// CHECK-NEXT: movzbl 0xf(%rax), %eax
// CHECK-NEXT: andl $0x2, %eax
// CHECK-NEXT: movq 0x18(%rcx,%rax,4), %rsi
// CHECK-NEXT: jmp

/* Works for functions that are known to have no hidden argument. */
PROGRAM(cookie_and_register)
{
	take(patchbay_get_attach_cookie(cell), *patchbay_regs_gp(regs, 2));
}
// CHECK-LABEL: <cookie_and_register>:
// CHECK-NEXT: movq 0x10(%rdx), %rdi
// CHECK-NEXT: movq 0x18(%rcx), %rsi
// CHECK-NEXT: jmp

PROGRAM(floating)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	take_double(patchbay_get_func_arg_double(regs, 1));
}
// CHECK-LABEL: <floating>:
// CHECK-NEXT: movq 0x40(%rcx), %rax
// CHECK-NEXT: movsd 0x40(%rax), %xmm0
// CHECK-NEXT: jmp

PROGRAM(cookie_and_ret)
{
	take(patchbay_get_attach_cookie(cell), patchbay_get_func_ret(regs));
}
// CHECK-LABEL: <cookie_and_ret>:
// CHECK-NEXT: movq 0x10(%rdx), %rdi
// CHECK-NEXT: movq -0x48(%rcx), %rsi
// CHECK-NEXT: jmp
