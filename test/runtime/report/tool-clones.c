/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A function with several versions is selected and excluded by its source name. */
// REQUIRES: host-x86_64
// RUN: %clang_pass -O2 %s -o %t
// RUN: %patchbay list -F crunch %t | FileCheck %s --check-prefix=LIST
// LIST:      entry
// LIST-DAG:  {{ }}crunch.sse4.2{{$}}
// LIST-DAG:  {{ }}crunch.avx2{{$}}
// LIST-DAG:  {{ }}crunch.default{{$}}
// RUN: %patchbay record -t count -F crunch -o %t.data -- %t && %patchbay report %t.data | FileCheck %s --check-prefix=CALLS
// CALLS: {{^}} 3 crunch.{{avx2|sse4.2|default}} 
// RUN: %patchbay list -N crunch %t | FileCheck %s --check-prefix=OTHERS --implicit-check-not=crunch.{{[ads]}}
// OTHERS: {{ }}main{{$}}
// RUN: %patchbay list -F 'crunch.avx2*' %t | FileCheck %s --check-prefix=ONE --implicit-check-not=crunch.sse4 --implicit-check-not=crunch.default
// ONE: {{ }}crunch.avx2{{$}}

__attribute__((target_clones("sse4.2", "avx2", "default"))) int
crunch(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n * 3;
}

int main(void)
{
	return crunch(crunch(crunch(0)));
}
