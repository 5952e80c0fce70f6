// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An invalid list is an error that names the file and the line, and its valid
// lines have no effect.
// RUN: rm -rf %t && split-file %s %t && cd %t
// DEFINE: %{cc} = %clang_pass --target=x86_64-linux-gnu -c main.c -Rpass=patchbay -Rpass-missed=patchbay -mllvm -patchbay-attr-list
// DEFINE: %{check} = FileCheck %s --implicit-check-not=error: --implicit-check-not='slot and site' --check-prefixes
// RUN: not %{cc}=absent 2>&1 | %{check}=ABSENT
// RUN: not %{cc}= 2>&1 | %{check}=NONAME
// RUN: not %{cc}=. 2>&1 | %{check}=FOLDER
// RUN: not %{cc}=no-colon 2>&1 | %{check}=COLON
// RUN: not %{cc}=no-pattern 2>&1 | %{check}=PATTERN
// RUN: not %{cc}=bad-glob 2>&1 | %{check}=GLOB
// RUN: not %{cc}=bad-header 2>&1 | %{check}=HEADER
// RUN: not %{cc}=no-section 2>&1 | %{check}=OUTSIDE
// RUN: not %{cc}=bad-section 2>&1 | %{check}=SECTION
// RUN: not %{cc}=bad-entry 2>&1 | %{check}=ENTRY
// RUN: not %{cc}=src 2>&1 | %{check}=SRC
// RUN: not %{cc}=category 2>&1 | %{check}=CATEGORY
// ABSENT: error: patchbay: can't open file 'absent': No such file or directory; nothing is instrumented{{$}}
// NONAME: error: patchbay: can't open file '': No such file or directory; nothing is instrumented
// FOLDER: error: patchbay: can't open file '.': Is a directory; nothing is instrumented
// COLON: error: patchbay: error parsing file 'no-colon': malformed line 4: 'main'; nothing is instrumented
// PATTERN: error: patchbay: error parsing file 'no-pattern': malformed line 2: 'fun:'; nothing is instrumented
// GLOB: error: patchbay: error parsing file 'bad-glob': malformed glob in line 2: '[a': invalid glob pattern, unmatched '['; nothing is instrumented
// HEADER: error: patchbay: error parsing file 'bad-header': malformed section header on line 1: [never; nothing is instrumented
// OUTSIDE: error: patchbay: error parsing file 'no-section': entry outside of a section in line 2: 'fun:main': put it under [always] or [never]; nothing is instrumented
// SECTION: error: patchbay: error parsing file 'bad-section': unknown section in line 3: '[nevr]': expected [always] or [never]; nothing is instrumented
// ENTRY: error: patchbay: error parsing file 'bad-entry': unknown entry in line 2: 'function:main': expected fun: or mainfile:; nothing is instrumented
// SRC: error: patchbay: error parsing file 'src': unknown entry in line 2: 'src:main.c': use mainfile:, which selects by the compiled file; nothing is instrumented
// CATEGORY: error: patchbay: error parsing file 'category': unknown category in line 3: 'fun:main=arg1': expected none; nothing is instrumented

// Any bad file is an error instead of a warning, even next to good files.
// RUN: not %{cc}=good -mllvm -patchbay-attr-list=src -mllvm -patchbay-attr-list=absent 2>&1 | %{check}=SRC,REMARK
// RUN: not %{cc}=absent -Wno-backend-plugin 2>&1 | %{check}=ABSENT,REMARK
// REMARK: remark: one: no slot: {{.*}}; nothing is instrumented [-Rpass-missed=patchbay]
// REMARK: remark: two: no slot: {{.*}}; nothing is instrumented [-Rpass-missed=patchbay]

// No object is written.
// RUN: not ls main.o

// RUN: %clang --target=x86_64-linux-gnu -S -emit-llvm main.c -o main.ll
// RUN: not llc -load %pass -patchbay-attr-list=src main.ll -filetype=obj -o main.o 2>&1 | %{check}=SRC

// A list that is not used is not read.
// RUN: %{cc}=absent -mllvm -patchbay-disable 2>&1 | count 0

//--- main.c
int one(void) { return 1; }
int two(void) { return 2; }
//--- no-colon
# comments and empty lines count

[never]
main
//--- no-pattern
[never]
fun:
//--- bad-glob
[never]
fun:[a
//--- bad-header
[never
//--- no-section
# where?
fun:main
//--- bad-section
[never]
fun:main
  [nevr]
//--- bad-entry
[never]
function:main
//--- src
[never]
src:main.c
//--- category
[always]

fun:main=arg1
//--- good
[always]
fun:*
