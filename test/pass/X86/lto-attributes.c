// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With LTO the linker generates code, and finds the attributes in the bitcode.
// DEFINE: %{link} = %stock_lld --load-pass-plugin=%pass -shared %t.1.o %t.2.o -o %t.so -mllvm -pass-remarks=patchbay -mllvm -pass-remarks-missed=patchbay
// RUN: %clang --target=x86_64-linux-gnu -flto=full -O2 -fPIC -c %s -o %t.1.o
// RUN: %clang --target=x86_64-linux-gnu -flto=full -O2 -fPIC -c %s -o %t.2.o -DSECOND
// RUN: %{link} 2>&1 | FileCheck %s
// RUN: %clang --target=x86_64-linux-gnu -flto=thin -O2 -fPIC -c %s -o %t.1.o
// RUN: %clang --target=x86_64-linux-gnu -flto=thin -O2 -fPIC -c %s -o %t.2.o -DSECOND
// RUN: %{link} 2>&1 | FileCheck %s

#ifndef SECOND
// CHECK-DAG: marked: no slot: it is marked xray_never_instrument
__attribute__((xray_never_instrument)) int marked(int a) { return a; }
// CHECK-DAG: annotated: no slot: it is annotated patchbay::never
__attribute__((annotate("patchbay::never"))) int annotated(int a) { return a; }
#else
// CHECK-DAG: asked: slot and site, prefix of 16 bytes: it is annotated patchbay::always
__attribute__((annotate("patchbay::always"))) int asked(int a) { return a; }
// CHECK-DAG: plain: slot and site, prefix of 16 bytes{{$}}
int plain(int a) { return a; }
#endif
