/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A shared object and an executable make the same static call, each through its own
 * tramp, after BOLT has moved one of them, the other, or both.
 */
// REQUIRES: lld, llvm-bolt
// DEFINE: %{flags} = -fno-sanitize=kcfi --ld-path=%ld.lld -Wl,--static-calls,--emit-relocs %link
// RUN: rm -rf %t && mkdir %t %t/stock %t/bolt
// RUN: %build -DDSO -fPIC -shared %s -o %t/stock/libowner.so %{flags}
// RUN: %build -fPIE -pie %s -o %t/exe %{flags} -L %t/stock -lowner
// RUN: llvm-bolt %t/stock/libowner.so -o %t/bolt/libowner.so -lite=0
// RUN: llvm-bolt %t/exe -o %t/exe.bolt -lite=0
// RUN: env LD_LIBRARY_PATH=%t/stock %t/exe.bolt | FileCheck %s
// RUN: env LD_LIBRARY_PATH=%t/bolt %t/exe | FileCheck %s
// RUN: env LD_LIBRARY_PATH=%t/bolt %t/exe.bolt | FileCheck %s
// CHECK:      exe 11, object 11
// CHECK-NEXT: update: 0
// CHECK-NEXT: exe 12, object 12

#include <patchbay/static_call.h>

#include <stdio.h>

long plus_one(long x);
long call_in_object(long x);

#ifdef DSO
long plus_one(long x) { return x + 1; }
DEFINE_EXPORTED_STATIC_CALL(adjust, plus_one);
long call_in_object(long x) { return static_call(adjust)(x); }
#else
DECLARE_STATIC_CALL(adjust, plus_one);

static long plus_two(long x) { return x + 2; }

int main(void)
{
	printf("exe %ld, object %ld\n", static_call(adjust)(10),
	       call_in_object(10));
	printf("update: %d\n", static_call_update(adjust, plus_two));
	printf("exe %ld, object %ld\n", static_call(adjust)(10),
	       call_in_object(10));
	return 0;
}
#endif
