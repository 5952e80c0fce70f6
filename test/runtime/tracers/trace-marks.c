/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Each output shows the marks and values of <patchbay/mark.h>, whatever functions -F
 * selects.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build -g0 %s -o %t/prog %link
// RUN: cd %t && %patchbay record -F work -- ./prog
// RUN: %patchbay replay %t/patchbay.data | FileCheck %s --check-prefix=NESTED
//      NESTED: {{^ *[0-9.]+ \| +prog-[0-9]+ \| +\|}} work() {{[{]$}}
// NESTED-NEXT: {{^ *[0-9.]+ \| +prog-[0-9]+ \| +\|}}    /* frame "1" */{{$}}
// NESTED-NEXT: {{^ *[0-9.]+ \| +prog-[0-9]+ \| +\|}}    /* queue=-3 */{{$}}
// NESTED-NEXT: us | } /* work */{{$}}
// RUN: %patchbay replay --nested=false %t/patchbay.data | FileCheck %s --check-prefix=FLAT
// FLAT: {{^ *prog-[0-9]+  \| +[0-9.]+ \| +\|}}  /* frame "1" */{{$}}
// FLAT: {{^ *prog-[0-9]+  \| +[0-9.]+ \| +\|}}  /* queue=-3 */{{$}}
// RUN: %patchbay dump --chrome %t/patchbay.data | %python -c "import json, sys; [print(e['ph'], e['name'], e.get('s'), e.get('args')) for e in json.load(sys.stdin)['traceEvents'] if e['ph'] != 'M']" | FileCheck %s --check-prefix=CHROME --match-full-lines
//      CHROME:i frame "1" t None
// CHROME-NEXT:C queue None {'value': -3}
// CHROME-NEXT:X work None None
// RUN: %patchbay dump --perfetto %t/patchbay.data | %python %S/../Inputs/perfetto-text.py | FileCheck %s --check-prefix=PERFETTO
//      PERFETTO: track_descriptor=[('uuid', [[# THREAD:]]),{{.*}}'thread'
//      PERFETTO: track_event=[('type', 1), ('name_iid', {{[0-9]+}}), ('track_uuid', [[# THREAD]])]
//      PERFETTO: track_event=[('type', 3), ('track_uuid', [[# THREAD]]), ('name', 'frame "1"')]
// PERFETTO-NEXT: track_descriptor=[('uuid', [[# COUNTER:]]), ('name', 'queue'), ('parent_uuid', 1), ('counter', [])]
// PERFETTO-NEXT: track_event=[('type', 4), ('track_uuid', [[# COUNTER]]), ('counter_value', {{-3|18446744073709551613}})]
// PERFETTO-NEXT: track_event=[('type', 2),
//
// -t entry and -t graph record marks, too. With -N and options that exclude arguments,
// marks are omitted without an error.
// RUN: cd %t && %patchbay record -t entry -F work -- ./prog && %patchbay replay | FileCheck %s --check-prefix=ENTRY
// ENTRY: {{^ *prog-[0-9]+ +[0-9.]+:}} /* frame "1" */ <-work+0x{{[0-9a-f]+$}}
// RUN: cd %t && %patchbay record -t graph -F work -- ./prog && %patchbay replay | FileCheck %s --check-prefix=NESTED
// RUN: cd %t && %patchbay record -F work -N 'patchbay_*' -- ./prog && %patchbay replay | FileCheck %s --check-prefix=NONE --implicit-check-not=/*
// RUN: cd %t && %patchbay record -F work -D 3 -- ./prog && %patchbay replay | FileCheck %s --check-prefix=NONE --implicit-check-not=/*
// RUN: cd %t && %patchbay record -F work --sample 1/3 -- ./prog && %patchbay replay | FileCheck %s --check-prefix=NONE --implicit-check-not=/*
// NONE: work();
//
// With --threshold, both tracers keep all marks.
// RUN: cd %t && %patchbay record -F work --threshold 1h -- ./prog && %patchbay replay | FileCheck %s --check-prefix=KEPT --implicit-check-not=work
// RUN: cd %t && %patchbay record -t graph -F work --threshold 1h -- ./prog && %patchbay replay | FileCheck %s --check-prefix=KEPT --implicit-check-not=work
// KEPT: {{ \|}}  /* frame "1" */{{$}}
// KEPT: {{ \|}}  /* queue=-3 */{{$}}
//
// A name cannot end the comment. A name of 64 bytes is not cut.
// RUN: cd %t && %patchbay record -F work -- ./prog names && %patchbay replay | FileCheck %s --check-prefix=NAMES
//      NAMES: {{ \|}}  /* a *\/ b */{{$}}
// NAMES-NEXT: {{ \|}}  /* 64 bytes ....................................................... */{{$}}
// NAMES-NEXT: {{ \|}}  /* 65 bytes .......................................................... */{{$}}
//
// Marks work in C++, and with LTO, where every call is known.
// RUN: %buildxx -x c++ %s -o %t/prog -x none %link && cd %t && %patchbay record -F work -- ./prog && %patchbay replay | FileCheck %s --check-prefix=NESTED
// RUN: %build -flto -fpass-plugin=%pass %s -o %t/prog %link --ld-path=%ld.lld -Wl,--load-pass-plugin=%pass && cd %t && %patchbay record -F work -- ./prog && %patchbay replay | FileCheck %s --check-prefix=NESTED
//
// Without the plugin each mark is a call of an empty function. All compilers accept the
// header without a warning.
// RUN: %clang -std=c99 -Weverything -Werror -Wno-declaration-after-statement -Wno-unsafe-buffer-usage -I %patchbay_include -fsyntax-only -include patchbay/mark.h -x c /dev/null
// RUN: %clangxx -Wall -Wextra -Wpedantic -Werror -I %patchbay_include -fsyntax-only -include patchbay/mark.h -x c++ /dev/null
// RUN: %clang -O2 -I %patchbay_include %s -o %t/plain && %t/plain
#include <patchbay/mark.h>

#ifdef __cplusplus
extern "C"
#endif
__attribute__((noinline)) void work(int n)
{
	patchbay_mark("frame \"1\"");
	patchbay_value("queue", n);
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	(void)argv;
	work(-3);
	if (argc > 1) {
		patchbay_mark("a */ b");
		patchbay_mark("64 bytes .......................................................");
		patchbay_mark("65 bytes ........................................................");
	}
	return 0;
}
