// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program's own assembly cannot change the pass's output by macros named like
// instructions, by the assembler's state, or by labels with names like ours.
// DEFINE: %{as} =
// DEFINE: %{asm} =
// DEFINE: %{check} = %clang_pass --target=x86_64-linux-gnu -O2 %{as} '-DASSEMBLY=%{asm}' -c %s -o %t.o \
// DEFINE:   && llvm-objcopy -O binary --only-section=.text.__patchbay_module %t.o %t.bin && cmp %t.plain.bin %t.bin \
// DEFINE:   && llvm-objdump -d -r --no-leading-addr -j .text.startup.__patchbay_module %t.o | grep -v %t > %t.txt && diff %t.plain.txt %t.txt
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -DASSEMBLY= -c %s -o %t.o
// RUN: llvm-objcopy -O binary --only-section=.text.__patchbay_module %t.o %t.plain.bin
// RUN: llvm-objdump -d -r --no-leading-addr -j .text.startup.__patchbay_module %t.o | grep -v %t > %t.plain.txt
// REDEFINE: %{asm} = ".macro retq\n lfence\n .byte 0xc3\n.endm\n.macro ret\n lfence\n .byte 0xc3\n.endm"
// RUN: %{check}
// REDEFINE: %{asm} = ".macro endbr64\n.endm\n.macro clc\n nop\n.endm\n.macro jmpq a\n notrack jmp \\a\n.endm"
// RUN: %{check}
// REDEFINE: %{asm} = ".altmacro\n.set n, 7\n.text\n.code32\n nop\n.code64"
// RUN: %{check}
// REDEFINE: %{asm} = ".Lpatchbay_links: .long 1\n.Lpatchbay_module: .long 2\n.Lpatchbay_stubs: .long 3"
// RUN: %{check}
// REDEFINE: %{as} = -masm=intel
// RUN: %{check}

// GNU as assembles the same bytes.
// REDEFINE: %{as} = -fno-integrated-as
// DEFINE: %{gnu} = %clang_pass --target=x86_64-linux-gnu -O2 -fno-integrated-as '-DASSEMBLY=%{asm}' -c %s -o %t.o \
// DEFINE:   && llvm-objcopy -O binary --only-section=.text.__patchbay_module %t.o %t.bin && cmp %t.plain.bin %t.bin
// REDEFINE: %{asm} = ".macro endbr64\n.endm\n.macro clc\n nop\n.endm\n.macro retq\n lfence\n .byte 0xc3\n.endm"
// RUN: %if gnu-binutils %{ %{gnu} %}
// REDEFINE: %{asm} = ".arch core2\n.Lpatchbay_links: .long 1"
// RUN: %if gnu-binutils %{ %{gnu} %}

// A label has the stubs' name. Then sites do not refer to stubs, and the module has no
// trampolines.
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 '-DASSEMBLY=".set __patchbay_stubs_2, 7"' -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefix=ZERO
// RUN: llvm-nm %t.o | FileCheck %s --check-prefix=NAMES
// ZERO: a9 00 00 00 00 testl $0x0, %eax
// NAMES-DAG: a __patchbay_stubs_2{{$}}
// NAMES-DAG: W __patchbay_stubs_2.own{{$}}

#define INCLUDE(text) __asm__(text)
INCLUDE(ASSEMBLY "");
int function(int a) { return a; }
