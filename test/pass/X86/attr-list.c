// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists of functions: matching and precedence.
// RUN: rm -rf %t && split-file %s %t && cd %t
// DEFINE: %{cc} = %clang_pass --target=x86_64-linux-gnu -c main.c -Rpass=patchbay -Rpass-missed=patchbay -mllvm -patchbay-attr-list
// DEFINE: %{check} = FileCheck main.c --implicit-check-not=remark: --check-prefix
// RUN: %{cc}=never 2>&1 | %{check}=NEVER
// RUN: %{cc}=only 2>&1 | %{check}=ONLY
// RUN: %{cc}=file 2>&1 | %{check}=FILE
// RUN: %{cc}=other-file 2>&1 | %{check}=OTHER
// RUN: %{cc}=file-always -mllvm -patchbay-instruction-threshold=1000 2>&1 | %{check}=ALWAYS
// RUN: %{cc}=regex 2>&1 | %{check}=NEVER
// RUN: %{cc}=empty 2>&1 | %{check}=OTHER
// RUN: sed 's/^$/  /' never > spaces
// RUN: %{cc}=spaces 2>&1 | %{check}=NEVER

// Several lists count as one, and entries may be in any order.
// RUN: %{cc}=file -mllvm -patchbay-attr-list=only 2>&1 | %{check}=BOTH
// RUN: %{cc}=only -mllvm -patchbay-attr-list=file 2>&1 | %{check}=BOTH

// A list has the same effect on machine IR's functions and in llc.
// RUN: %clang --target=x86_64-linux-gnu -S -emit-llvm main.c -o main.ll
// RUN: llc -load %pass -filetype=obj main.ll -o main.o -pass-remarks=patchbay -pass-remarks-missed=patchbay \
// RUN:   -patchbay-attr-list=only 2>&1 | %{check}=ONLY

//--- main.c
// NEVER: main.c:[[#@LINE+6]]:1: remark: one: no slot: it is listed under [never] [-Rpass-missed=patchbay]
// ONLY:  remark: {{.*}}one: slot and site, prefix of 16 bytes: it is listed under [always]
// FILE:  remark: one: no slot: its main file is listed under [never]
// OTHER: remark: one: slot and site, prefix of 16 bytes [-Rpass=patchbay]
// ALWAYS: remark: one: slot and site, prefix of 16 bytes: its main file is listed under [always]
// BOTH:  remark: one: slot and site, prefix of 16 bytes: it is listed under [always]
int one(void) { return 1; }
// NEVER: remark: one_more: slot and site, prefix of 16 bytes [-Rpass=patchbay]
// ONLY:  remark: {{.*}}one_more: no slot: it is listed under [never]
// FILE:  remark: one_more: slot and site, prefix of 16 bytes: it is listed under [always]
// OTHER: remark: one_more: slot and site, prefix of 16 bytes [-Rpass=patchbay]
// ALWAYS: remark: one_more: no slot: it is listed under [never]
// BOTH:  remark: one_more: slot and site, prefix of 16 bytes: it is listed under [always]
int one_more(void) { return 2; }
// NEVER: remark: two: no slot: it is listed under [never]
// ONLY:  remark: {{.*}}two: no slot: it is listed under [never]
// FILE:  remark: two: no slot: its main file is listed under [never]
// OTHER: remark: two: slot and site, prefix of 16 bytes [-Rpass=patchbay]
// ALWAYS: remark: two: slot and site, prefix of 16 bytes: its main file is listed under [always]
// BOTH:  remark: two: no slot: it is listed under [never]
int two(void) { return 3; }
// An attribute in the source precedes a list.
// NEVER: remark: marked: no slot: it is marked no_profile_instrument_function
// ONLY:  remark: {{.*}}marked: no slot: it is marked no_profile_instrument_function
// FILE:  remark: marked: no slot: it is marked no_profile_instrument_function
// OTHER: remark: marked: no slot: it is marked no_profile_instrument_function
// ALWAYS: remark: marked: no slot: it is marked no_profile_instrument_function
// BOTH:  remark: marked: no slot: it is marked no_profile_instrument_function
__attribute__((no_profile_instrument_function)) int marked(void) { return 4; }
//--- never
# a comment
[never]
fun:one

fun:?w[a-p]
//--- only
# the [always] section counts first, in any position
[always]
fun:one
fun:marked
[never]
fun:*
//--- file
[always]
fun:*_more
[never]
mainfile:main.?
//--- other-file
[never]
mainfile:main
mainfile:*.cpp
fun:on
fun:more
//--- file-always
[never]
fun:one_more
mainfile:*
[always]
mainfile:*.c
//--- regex
#!special-case-list-v1
[never]
fun:one|t.o
//--- empty
