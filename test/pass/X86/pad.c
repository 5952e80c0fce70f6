// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads execute the `ret` of a pad. A profiler that interrupts a thread there finds a
// symbol and, by unwind information, the caller.
// DEFINE: %{compile} = %clang_pass --target=x86_64-linux-gnu -O2
// RUN: %{compile} -fsanitize=kcfi -fcf-protection=branch -c %s -o %t.o
// RUN: llvm-dwarfdump --eh-frame %t.o | FileCheck %s --check-prefix=FRAME
// RUN: llvm-nm -S %t.o | FileCheck %s --check-prefix=NAME

// FRAME:      FDE cie={{[0-9a-f]+}} pc=00000008...00000010
// FRAME-NEXT: Format:
// FRAME:      CFA=RSP+8: RIP=[CFA-8]
// FRAME:      FDE cie={{[0-9a-f]+}} pc=00000010...
// NAME-DAG: {{^}}0000000000000008 0000000000000008 t .traced{{$}}
// The string table has one string for the names of the section, the function and the pad.
// RUN: %{compile} -ffunction-sections -c %s -o %t.sections.o && llvm-readelf -p .strtab %t.sections.o | FileCheck %s --check-prefix=STRING
// STRING-NOT: traced
// STRING:     ] .rela.text.traced
// STRING-NOT: traced
// NAME-DAG: {{^}}0000000000000010 {{[0-9a-f]+}} T traced{{$}}

// With -fsanitize=function the pad precedes the slot.
// RUN: %{compile} -fsanitize=function -c %s -o %t.o
// RUN: llvm-nm -S %t.o | FileCheck %s --check-prefix=BEFORE
// RUN: llvm-dwarfdump --eh-frame %t.o | FileCheck %s --check-prefix=BEFORE-FRAME
// BEFORE-DAG: {{^}}0000000000000008 0000000000000008 t .traced{{$}}
// BEFORE-DAG: {{^}}0000000000000020 {{[0-9a-f]+}} T traced{{$}}
// BEFORE-FRAME: FDE cie={{[0-9a-f]+}} pc=00000008...00000010

// If a function has no unwind information, its pad has none either.
// RUN: %{compile} -fno-asynchronous-unwind-tables -c %s -o %t.o
// RUN: llvm-dwarfdump --eh-frame %t.o | FileCheck %s --check-prefix=NO-FRAME
// RUN: llvm-nm -S %t.o | FileCheck %s --check-prefix=NAME
// NO-FRAME-NOT: pc=00000008...00000010

// Assembly output has the pad's unwind information, even if the assembler makes tables.
// RUN: %{compile} -fno-integrated-as -fsanitize=kcfi -fcf-protection=branch -S %s -o %t.s && %clang --target=x86_64-linux-gnu -c %t.s -o %t.o
// RUN: llvm-dwarfdump --eh-frame %t.o | FileCheck %s --check-prefix=FRAME

// On other targets no thread executes the pad, so it has no symbol.
// RUN: %clang_pass --target=aarch64-linux-gnu -O2 -c %s -o %t.o && llvm-nm %t.o | FileCheck %s --check-prefix=NO-NAME
// RUN: %clang_pass --target=powerpc64le-linux-gnu -O2 -c %s -o %t.o && llvm-nm %t.o | FileCheck %s --check-prefix=NO-NAME
// RUN: %clang_pass --target=riscv64-linux-gnu -O2 -c %s -o %t.o && llvm-nm %t.o | FileCheck %s --check-prefix=NO-NAME
// NO-NAME-NOT: .traced

// A name that begins with `.L` would be a temporary label.
// RUN: %{compile} -S %s -o %t.s && %clang --target=x86_64-linux-gnu -c %t.s -o %t.o && llvm-nm %t.o | FileCheck %s --check-prefix=LABEL
// LABEL: t pad.Ltmp0

int traced(int a) { return a; }
int Ltmp0(int a) { return a; }
