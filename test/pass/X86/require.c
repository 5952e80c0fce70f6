// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With -patchbay-require, an object that has functions but no slot is an error, with
// the reasons.
// RUN: rm -rf %t && split-file %s %t && cd %t
// DEFINE: %{cc} = %clang --target=x86_64-linux-gnu -fplugin=%pass -Xclang -mllvm -Xclang -patchbay-require -c
// DEFINE: %{check} = FileCheck %s --implicit-check-not=error: --check-prefix
// RUN: not %{cc} two.c -mllvm -patchbay-attr-list=functions -o two.o 2>&1 | %{check}=LIST
// RUN: not ls two.o
// RUN: not %{cc} two.c -mllvm -patchbay-instruction-threshold=100 -DNAKED 2>&1 | %{check}=SMALL
// RUN: not %{cc} two.c -mllvm -patchbay-mode=kernel 2>&1 | %{check}=KERNEL
// RUN: not %{cc} two.c -mcmodel=large -fno-pic 2>&1 | %{check}=MODEL
// RUN: not %{cc} two.c --target=i386-linux-gnu -Wno-backend-plugin 2>&1 | %{check}=TARGET
// LIST: error: patchbay: two.c: -patchbay-require: no function has a slot: it is listed under [never] (2){{$}}
// SMALL: error: patchbay: two.c: -patchbay-require: no function has a slot: it has fewer instructions than -patchbay-instruction-threshold, and no loop (2); it is naked: the compiler must not change its entry (1){{$}}
// KERNEL: error: patchbay: two.c: -patchbay-require: no function has a slot: it has no -fpatchable-function-entry, which selects functions in kernel mode (2){{$}}
// MODEL: error: patchbay: two.c: -patchbay-require: no function has a slot: -mcmodel=large puts functions out of a record's reach; nothing is instrumented (2){{$}}
// TARGET: error: patchbay: two.c: -patchbay-require: no function has a slot: target 'i386-unknown-linux-gnu' has no slots; nothing is instrumented (2){{$}}

// One slot is enough. No error for a file without functions, for a file that a
// list names as a whole, or if the plugin is disabled. An unreadable list is one
// error.
// RUN: %{cc} two.c -Werror 2>&1 | count 0
// RUN: %{cc} two.c -Werror -mllvm -patchbay-attr-list=one-function 2>&1 | count 0
// RUN: %{cc} data.c -Werror 2>&1 | count 0
// RUN: %{cc} -x c /dev/null -Werror -o null.o 2>&1 | count 0
// RUN: %{cc} two.c -Werror -mllvm -patchbay-attr-list=file 2>&1 | count 0
// RUN: %{cc} two.c -Werror -mllvm -patchbay-disable 2>&1 | count 0
// RUN: not %{cc} two.c -mllvm -patchbay-attr-list=absent 2>&1 | %{check}=ABSENT
// ABSENT: error: patchbay: can't open file 'absent'

// llc and the linker fail the same way.
// RUN: %clang --target=x86_64-linux-gnu -S -emit-llvm two.c -o two.ll
// RUN: not llc -load %pass -patchbay-require -patchbay-attr-list=functions two.ll -filetype=obj -o two.o 2>&1 | FileCheck %s --check-prefix=LIST
// RUN: llc -load %pass -patchbay-require -compile-twice two.ll -filetype=obj -o two.o 2>&1 | count 0
// REQUIRES: lld
// RUN: %clang --target=x86_64-linux-gnu -flto=thin -c two.c -o two.o
// RUN: %clang --target=x86_64-linux-gnu -flto=thin -c data.c -o data.o
// DEFINE: %{link} = %ld.lld -shared --load-pass-plugin=%pass -mllvm -patchbay-require two.o data.o -o two.so
// RUN: %{link}
// RUN: not %{link} -mllvm -patchbay-attr-list=functions 2>&1 | FileCheck %s --check-prefix=LINK
// LINK: error: {{.*}}patchbay: two.c: -patchbay-require: no function has a slot: it is listed under [never] (2)

//--- two.c
int one(int a) { return a; }
int two(int a) { return a; }
#ifdef NAKED
__attribute__((naked)) void naked(void) { __asm__("ret"); }
#endif
//--- data.c
int declared(void);
int data = 7;
int (*pointer)(void) = declared;
//--- functions
[never]
fun:*
//--- one-function
[never]
fun:two
//--- file
[never]
mainfile:two.c
