// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every function has exactly one remark, in each output format. skip.c and the tests of
// lists, attributes and the threshold cover the reasons.
// RUN: %clang_pass --target=x86_64-linux-gnu -c %s -o %t.o 2>&1 | count 0
// RUN: %clang_pass --target=x86_64-linux-gnu -c %s -o %t.o -foptimization-record-file=%t.yaml -fsave-optimization-record -foptimization-record-passes=patchbay 2>&1 | count 0
// RUN: FileCheck %s --check-prefix=YAML --input-file=%t.yaml --implicit-check-not=Pass:

// A target without slots also gives a reason for each function.
// RUN: %clang_pass --target=i386-linux-gnu -c %s -o %t.o -Rpass=patchbay -Rpass-missed=patchbay 2>&1 | FileCheck %s --check-prefix=TARGET --implicit-check-not=remark:

// (YAML breaks the line of a long path.)
// YAML:      --- !Passed
// YAML-NEXT: Pass: {{ *}}patchbay
// YAML-NEXT: Name: {{ *}}Instrumented
// YAML-NEXT: DebugLoc: {{.*}}remarks.c', Line: [[#@LINE+9]],
// YAML: Function: {{ *}}instrumented
// YAML-NEXT: Args:
// YAML-NEXT:   - Function: {{ *}}instrumented
// YAML-NEXT:   - String: {{ *}}': slot and site, prefix of '
// YAML-NEXT:   - PrefixSize: {{ *}}'16'
// YAML-NEXT:   - String: {{ *}}' bytes'
// YAML-NEXT: ...
// TARGET: [[#@LINE+1]]:1: remark: instrumented: no slot: target 'i386-unknown-linux-gnu' has no slots; nothing is instrumented [-Rpass-missed=patchbay]
int instrumented(int a) { return a; }

// YAML:      --- !Missed
// YAML-NEXT: Pass: {{ *}}patchbay
// YAML-NEXT: Name: {{ *}}Skipped
// YAML-NEXT: DebugLoc: {{.*}}Line: [[#@LINE+7]],
// YAML: Function: {{ *}}skipped
// YAML-NEXT: Args:
// YAML-NEXT:   - Function: {{ *}}skipped
// YAML-NEXT:   - String: {{ *}}': no slot: '
// YAML-NEXT:   - Reason: {{ *}}it is marked no_profile_instrument_function
// TARGET: remark: skipped: no slot: target 'i386
__attribute__((no_profile_instrument_function)) int skipped(int a) { return a; }

// YAML:      Pass: {{ *}}patchbay
// YAML:      Function: {{ *}}asked
// YAML:        - Reason: {{ *}}'it is annotated patchbay::always'
// TARGET: remark: asked: no slot: target 'i386
__attribute__((annotate("patchbay::always"))) int asked(int a) { return a; }
