/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Execute-only text cannot be armed, because trampolines read slots. Arming refuses
 * such text without reading it, even in bulk.
 */
// RUN: %build -fno-sanitize=kcfi %s -o %t %link
// RUN: %t 2 | FileCheck %s
// RUN: %python %S/../Inputs/execute-only.py %t
// RUN: %t refused | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/check.h"
#include "../Inputs/count-calls.h"
#include "../Inputs/repeat.h"

#include <patchbay/patchbay.h>

#include <errno.h>

OPAQUE static int olive(int a) { return a + 1; }
OPAQUE static int olives(int a) { return a + 2; }

#define FUNCTION(n) OPAQUE static void many##n(void) {}
#define CALL(n) many##n();
X256(FUNCTION, _)

static int count(const struct patchbay_site_info *site, void *armed)
{
	*(int *)armed += site->nr_cells != 0;
	return 0;
}

int main(int argc, char **argv)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = handler };
	int armed = 0, wanted = argc > 1 ? atoi(argv[1]) : 0;
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_arm(ops, "olive*", 0), wanted ? wanted : -EILSEQ);
	CHECK_EQ(patchbay_for_each_site(count, &armed), 0);
	CHECK_EQ(armed, wanted);
	CHECK_EQ(olive(1) + olives(1), 5);
	CHECK_EQ(calls, wanted);
	CHECK_EQ(patchbay_arm(ops, "many_*", 0), wanted ? 256 : -EILSEQ);
	CHECK_EQ(patchbay_arm(ops, "many_*", PATCHBAY_ARM_SKIP), 0);
	X256(CALL, _)
	CHECK_EQ(calls, wanted ? 256 + wanted : 0);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	puts("done");
	return 0;
}
