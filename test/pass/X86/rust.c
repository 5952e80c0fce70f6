/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Rust code without slots and kCFI, in the same link, calls patchable functions, by
 * name and by pointer, and they call Rust functions.
 */
// REQUIRES: lld, rustc, host-x86_64
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: rustc --edition 2021 -O -C panic=abort --crate-type staticlib rust.rs -o librust.a
// RUN: %clang -O2 -fplugin=%pass -fsanitize=kcfi -fPIE -pie main.c librust.a -o main --ld-path=%ld.lld -L %patchbay_lib -lpatchbay -Wl,-rpath,%patchbay_lib
// RUN: ./main | FileCheck %s
// RUN: %patchbay verify main | FileCheck %s --check-prefix=VERIFY
// RUN: %patchbay record -t count -F '*' -o data -- ./main | FileCheck %s
// RUN: %patchbay report -i data | FileCheck %s --check-prefix=REPORT
// CHECK: rust: 20 + 22 = 42
// VERIFY: 3 functions verified, 0 faults
// REPORT-DAG: 2 {{.*}}twice
// REPORT-DAG: 1 {{.*}}add_two

//--- rust.rs
extern "C" {
    fn twice(x: i32) -> i32;
}

#[no_mangle]
pub extern "C" fn rust_sum(f: extern "C" fn(i32) -> i32) -> i32 {
    unsafe { twice(10) + f(10) + (twice as extern_fn)(0) }
}

#[allow(non_camel_case_types)]
type extern_fn = unsafe extern "C" fn(i32) -> i32;

//--- main.c
#include <stdio.h>

int rust_sum(int (*f)(int));
int twice(int x) { return 2 * x; }
static int add_two(int x) { return 2 * x + 2; }
int main(void)
{
	printf("rust: 20 + 22 = %d\n", rust_sum(add_two));
	return 0;
}
