/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The page shows marks and values of <patchbay/mark.h> in rows above the threads, each
 * with a tooltip. Too many marks are thinned out. The page also shows source lines of
 * functions.
 */
// REQUIRES: chromium
// DEFINE: %{browser} = %python %S/../Inputs/browser.py --in=%t/browser %t/page.html
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link
// RUN: cd %t && %patchbay record -F 'work' -- ./prog 3 both && %patchbay report --html page.html
// RUN: %python %S/../Inputs/browser.py --start=%t/browser
// RUN: %{browser} eval:patchbayPage.marks.texts "eval:document.querySelector('#marks').ariaLabel" "eval:patchbayPage.trace.sources.join()" "eval:const m = patchbayPage.marks, box = m.canvas.getBoundingClientRect(); m.point({ clientX: box.right - 1, clientY: box.top + 20 })" "text:#tip p" "eval:const c = document.querySelector('#marks'), all = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; all.some(n => n)" | FileCheck %s --match-full-lines
//      CHECK:frame, prog-{{[0-9]+}}, at {{[0-9.]+ [mnu]?s}}
// CHECK-NEXT:frame, prog-{{[0-9]+}}, at {{[0-9.]+ [mnu]?s}}
// CHECK-NEXT:frame, prog-{{[0-9]+}}, at {{[0-9.]+ [mnu]?s}}
// CHECK-NEXT:queue, prog-{{[0-9]+}}, at {{[0-9.]+ [mnu]?s}}
// CHECK-NEXT:queue = -1, prog-{{[0-9]+}}, at {{[0-9.]+ [mnu]?s}}
// CHECK-NEXT:queue = 0, prog-{{[0-9]+}}, at {{[0-9.]+ [mnu]?s}}
// CHECK-NEXT:queue = 1, prog-{{[0-9]+}}, at {{[0-9.]+ [mnu]?s}}
// CHECK-NEXT:frame: 3 marks, queue: 1 mark{{s?}}, queue: 3 values
// CHECK-NEXT:{{.*}}tool-html-marks.c:[[# @LINE + 32]]{{.*}}
//      CHECK:queue = 1
// CHECK-NEXT:prog-{{[0-9]+}}
// CHECK-NEXT:at {{[0-9.]+ [mnu]?s}}
// CHECK-NEXT:true
//
// The table of `report` can also contain source lines, from debug information.
// RUN: cd %t && %patchbay report -f calls,name,source | FileCheck %s --check-prefix=SOURCE
// SOURCE: {{^ +3  work +tool-html-marks.c:}}[[# @LINE + 24]]{{$}}
// RUN: cd %t && llvm-strip --strip-debug prog && %patchbay report -f calls,name,source | FileCheck %s --check-prefix=STRIPPED
// STRIPPED: {{^ +3  work +-$}}
//
// RUN: cd %t && %patchbay record -F 'work' -- ./prog 10000 && %patchbay report --html page.html
// RUN: %{browser} text:#summed "eval:patchbayPage.marks.rows.map(row => row.events.length).join()" | FileCheck %s --check-prefix=MANY
// MANY: Marks and values: of frame 2,500 of 10,000, queue 2,500 of 10,000.
// MANY: 2500,2500
//
// 64 of 70 names have rows. A row is drawn even if its only value has no neighbour.
// RUN: cd %t && %patchbay record -F 'work' -- ./prog 0 names names && %patchbay report --html page.html
// RUN: %{browser} text:#summed "eval:patchbayPage.marks.rows.length" | FileCheck %s --check-prefix=NAMES
// NAMES: The first 64 names of marks and values have rows: 12 marks of 6 other names are left out.
// NAMES: {{^}}64{{$}}
// RUN: cd %t && %patchbay record -F 'work' -- ./prog 0 least && %patchbay report --html page.html
// RUN: %{browser} "eval:const m = patchbayPage.marks, ys = []; m.drawValues({ beginPath() {}, stroke() {}, fillText() {}, measureText: () => ({ width: 1 }), moveTo: (x, y) => ys.push(y), lineTo: (x, y) => ys.push(y) }, m.rows.at(-1), 0, 500); ys.every(Number.isFinite)" | FileCheck %s --check-prefix=LEAST
// LEAST: true
// RUN: %python %S/../Inputs/browser.py --stop=%t/browser
#include <patchbay/mark.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) void work(int n)
{
	patchbay_mark("frame");
	patchbay_value("queue", n);
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--)
		work(1 - (i - 1));
	if (argc > 2 && !strcmp(argv[2], "both"))
		patchbay_mark("queue"); /* a name of a mark and of a value */
	if (argc > 2 && !strcmp(argv[2], "least"))
		patchbay_value("least", INT64_MIN);
	for (int i = 0; i < 140 && argc > 3; i++) {
		char name[16];

		snprintf(name, sizeof(name), "value %d", i % 70);
		patchbay_value(name, i);
	}
	return 0;
}
