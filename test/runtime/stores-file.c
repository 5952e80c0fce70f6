/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A library's functions are armed by stores, but not if its file has been replaced by
 * another one since it was loaded, be it its equal: a mapping of that one cannot stand in
 * for text. Nor if it is something by now that one could wait for.
 */
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t.so
// RUN: %build %s -o %t %link
// RUN: cp %t.so %t.kept.so
// RUN: timeout -s KILL 20 %t %t.kept.so | FileCheck %s --check-prefix=KEPT
// RUN: rm -f %t.again.so && cp %t.so %t.again.so && cp %t.so %t.other.so
// RUN: timeout -s KILL 20 %t %t.again.so %t.other.so | FileCheck %s --check-prefix=REPLACED
// RUN: rm -f %t.again.so %t.fifo && cp %t.so %t.again.so && mkfifo %t.fifo
// RUN: timeout -s KILL 20 %t %t.again.so %t.fifo | FileCheck %s --check-prefix=REPLACED
// KEPT: {{^}}written by system calls: no{{$}}
// REPLACED: {{^}}written by system calls: no{{$}}
// REPLACED: {{^}}written by system calls: yes{{$}}
#include "Inputs/check.h"
#include "Inputs/repeat.h"

#ifdef LIBRARY
#define FUNCTION(n) OPAQUE void in_file##n(void) {}
X256(FUNCTION, _)
#define CALL(n) in_file##n();
__attribute__((no_profile_instrument_function)) void call_all(void)
{
	X256(CALL, _)
}
#else
#include "Inputs/count-calls.h"

#include <patchbay/patchbay.h>

#include <dlfcn.h>

static void (*call_all)(void);

static uint64_t text_writes(void)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	CHECK_EQ(patchbay_get_stats(&stats), 0);
	return stats.text_writes;
}

static void run(struct patchbay_ops *ops)
{
	const uint64_t writes = text_writes();

	for (int i = 0; i < 2; i++) {
		calls = 0;
		CHECK_EQ(patchbay_arm(ops, "in_file_*", 0), 256);
		call_all();
		CHECK_EQ(calls, 256);
		CHECK_EQ(patchbay_disarm(ops, "in_file_*"), 256);
		call_all();
		CHECK_EQ(calls, 256);
	}
	/* Two lead the module's stubs, one tells it of its runtime. */
	printf("written by system calls: %s\n",
	       text_writes() - writes > 3 ? "yes" : "no");
}

int main(int argc, char **argv)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = handler };
	struct patchbay_ops *ops;
	void *library;

	CHECK(argc > 1);
	library = dlopen(argv[1], RTLD_NOW);
	CHECK(library);
	call_all = (void (*)(void))dlsym(library, "call_all");
	CHECK(call_all);
	CHECK_EQ(patchbay_set_mode(PATCHBAY_MODE_STORES), 0);
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	run(ops);
	if (argc > 2) {
		CHECK_EQ(rename(argv[2], argv[1]), 0);
		run(ops);
	}
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	return 0;
}
#endif
