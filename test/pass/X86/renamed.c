// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A list matches a function by its name in the source, with any suffix that the
// compiler appends (patchbay/names.h), and by the complete symbol.
// RUN: rm -rf %t && split-file %s %t && cd %t
// DEFINE: %{remarks} = -pass-remarks=patchbay -pass-remarks-missed=patchbay
// DEFINE: %{check} = FileCheck names.ll --check-prefix
// RUN: llc -load %pass %{remarks} -patchbay-attr-list=names names.ll -filetype=obj -o names.o 2>&1 | %{check}=NAMES
// RUN: llc -load %pass %{remarks} -patchbay-attr-list=whole names.ll -filetype=obj -o names.o 2>&1 | %{check}=WHOLE

// Symbols as clang and LLD make them. ThinLTO renames and exports a local function if
// another module imports the function's caller.
// REQUIRES: lld
// RUN: %clang --target=x86_64-linux-gnu -O2 -funique-internal-linkage-names -fplugin=%pass -c local.c -o local.o \
// RUN:   -Xclang -mllvm -Xclang -patchbay-attr-list=local -Rpass-missed=patchbay 2>&1 | FileCheck %s --check-prefix=UNIQUE
// UNIQUE-DAG: remark: _ZL5locali.__uniq.{{[0-9]+}}: no slot: it is listed under [never]
// UNIQUE-DAG: remark: _ZL3oldii.__uniq.{{[0-9]+}}: no slot: it is listed under [never]
// DEFINE: %{link} = %ld.lld -shared -z undefs --load-pass-plugin=%pass -mllvm -patchbay-attr-list=local
// RUN: %clang --target=x86_64-linux-gnu -O2 -fPIC -flto=thin -c local.c -o local.o
// RUN: %clang --target=x86_64-linux-gnu -O2 -fPIC -flto=thin -c user.c -o user.o
// RUN: %{link} local.o user.o -o thin.so --opt-remarks-filename thin.yaml --opt-remarks-passes patchbay
// RUN: FileCheck %s --check-prefix=THIN --input-file=thin.yaml.thin.1.
// THIN: --- !Missed
// THIN: Function: {{ *}}local.llvm.{{[0-9]+}}
// THIN: Reason: {{ *}}'it is listed under [never]'
// RUN: %clang --target=x86_64-linux-gnu -O2 -fPIC -flto -c local.c -o full.1.o
// RUN: %clang --target=x86_64-linux-gnu -O2 -fPIC -flto -c local.c -o full.2.o -Dcaller=other
// RUN: %{link} full.1.o full.2.o -o full.so --opt-remarks-filename full.yaml --opt-remarks-passes patchbay
// RUN: FileCheck %s --check-prefix=FULL --input-file=full.yaml
// FULL-DAG: Function: {{ *}}local.{{[0-9]+$}}
// FULL-DAG: Function: {{ *}}local{{$}}
// FULL-DAG: Function: {{ *}}caller
// FULL-DAG: Function: {{ *}}other
// RUN: %records full.so | FileCheck %s --check-prefix=LEFT --implicit-check-not=local
// LEFT-DAG: {{^}}caller gp=1
// LEFT-DAG: {{^}}other gp=1
// RUN: %clang --target=x86_64-linux-gnu -O2 -fPIC -flto -fvisibility=hidden -fsanitize=cfi-icall -c cfi.c -o cfi.o
// RUN: %{link} cfi.o -o cfi.so --opt-remarks-filename cfi.yaml --opt-remarks-passes patchbay
// RUN: FileCheck %s --check-prefix=CFI --input-file=cfi.yaml
// CFI: --- !Missed
// CFI: Function: {{ *}}local.cfi
// CFI: Reason: {{ *}}'it is listed under [never]'

//--- local
[never]
fun:local
fun:_ZL3oldii
//--- local.c
__attribute__((noinline)) static int local(int a) { return a * 7 + 1; }
__attribute__((noinline)) static int old(int a, int b) { return a * b + 7; }
int caller(int a) { return local(a) + old(a, a); }
//--- user.c
int caller(int a);
int user(int a) { return caller(a) + 2; }
//--- cfi.c
__attribute__((visibility("default"))) int local(int a) { return a; }
__attribute__((visibility("default"))) int (*volatile pointer)(int) = local;
__attribute__((visibility("default"))) int caller(int a) { return pointer(a); }

//--- names
[always]
fun:asked
[never]
fun:*_left
fun:asked*
//--- whole
[never]
fun:a_left.llvm.1527
fun:b_left.llvm.?
//--- names.ll
; NAMES: asked.llvm.99: slot and site, prefix of 16 bytes: it is listed under [always]
; NAMES: asked_not: no slot: it is listed under [never]
; NAMES: a_left.llvm.1527: no slot: it is listed under [never]
; NAMES: b_left.__uniq.31: no slot
; NAMES: c_left.cfi: no slot
; NAMES: d_left.cold: no slot
; NAMES: e_left.cold.1: no slot
; NAMES: f_left.part.0: no slot
; NAMES: g_left.specialized.3: no slot
; NAMES: h_left.__uniq.31.llvm.1527: no slot
; NAMES: i_left: no slot
; NAMES: l_left.resume: no slot
; NAMES: m_left.7: no slot
; NAMES: j_left.other: slot and site
; NAMES: k_left.llvm.: slot and site
; WHOLE: asked.llvm.99: slot and site
; WHOLE: a_left.llvm.1527: no slot: it is listed under [never]
; WHOLE: b_left.__uniq.31: slot and site
target triple = "x86_64-unknown-linux-gnu"
define void @asked.llvm.99() { ret void }
define void @asked_not() { ret void }
define void @a_left.llvm.1527() { ret void }
define void @b_left.__uniq.31() { ret void }
define void @c_left.cfi() { ret void }
define void @d_left.cold() { ret void }
define void @e_left.cold.1() { ret void }
define void @f_left.part.0() { ret void }
define void @g_left.specialized.3() { ret void }
define void @h_left.__uniq.31.llvm.1527() { ret void }
define void @"\01i_left"() { ret void }
define void @l_left.resume() { ret void }
define void @m_left.7() { ret void }
define void @j_left.other() { ret void }
define void @k_left.llvm.() { ret void }
