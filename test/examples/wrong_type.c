// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls instrumented functions through a pointer of the right type and then, as an
// attacker would, through a pointer of a wrong type. Compile the file twice with
// -fsanitize=kcfi: with -DCALLEES and the plugin, and without either.
//
// REQUIRES: host-x86_64
// RUN: %clang_pass -O2 -fsanitize=kcfi -DCALLEES -c %s -o %t.o
// RUN: %clang -O2 -fsanitize=kcfi %s %t.o -fuse-ld=lld -o %t
// RUN: %python -c 'import subprocess; print("code", subprocess.run("%t").returncode)' | FileCheck %s
// CHECK:      right type: add(2, 3) = 5
// CHECK-NEXT: wrong type: calling
// CHECK-NEXT: code -4
//
// Stock clang's NOPs before the entry move the hash away from where other objects'
// callers look: the correctly typed call traps, too.
//
// RUN: %clang -O2 -fsanitize=kcfi -fpatchable-function-entry=21,16 -DCALLEES -c %s -o %t.o
// RUN: %clang -O2 -fsanitize=kcfi %s %t.o -fuse-ld=lld -o %t
// RUN: %python -c 'import subprocess; print("code", subprocess.run("%t").returncode)' | FileCheck %s --check-prefix=STOCK
// STOCK-NOT: right type
// STOCK:     code -4
#include <stdio.h>

#ifdef CALLEES
int add(int a, int b)
{
	return a + b;
}
#else
int add(int a, int b);

int main(void)
{
	int (*volatile right)(int, int) = add;
	long (*volatile wrong)(const char *) = (long (*)(const char *))add;

	printf("right type: add(2, 3) = %d\n", right(2, 3));
	printf("wrong type: calling\n");
	fflush(stdout);
	printf("wrong type: returned %ld\n", wrong("2"));
	return 0;
}
#endif
