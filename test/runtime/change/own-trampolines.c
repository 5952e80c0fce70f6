/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A module's stubs point to the module's own trampolines, wherever the library is loaded.
 * If the layout of cells and threads differs, or if the descriptor does not give the
 * layout, the stubs point to the library's trampolines. Both trampolines behave the same.
 */
// RUN: %build %s -o %t %link
// RUN: %t own | FileCheck %s --check-prefix=OWN
// RUN: %t layout | FileCheck %s --check-prefix=OTHER
// RUN: %t none | FileCheck %s --check-prefix=OTHER
// RUN: %t short | FileCheck %s --check-prefix=OTHER
// RUN: %t table | FileCheck %s --check-prefix=TABLE
// RUN: %build -static %s -o %t.static %patchbay_lib/libpatchbay.a -lpthread
// RUN: %t.static own | FileCheck %s --check-prefix=OWN
// OWN: {{^}}6 of 6 own, armed and called{{$}}
// OTHER: {{^}}0 of 6 own, armed and called{{$}}
/* The stubs lead to unknown code, so arming is refused. */
// TABLE: {{^}}refused{{$}}

#include "../Inputs/check.h"
#include "../Inputs/module.h"
#include "../Inputs/count-calls.h"

#include <patchbay/patchbay.h>

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

OPAQUE int fig_two(int a, int b) { return 10 * a + b; }
OPAQUE int fig_four(int a, int b, int c, int d)
{
	return 1000 * a + 100 * b + 10 * c + d;
}
OPAQUE int fig_six(int a, int b, int c, int d, int e, int f)
{
	return fig_four(a, b, c, d) * 100 + 10 * e + f;
}
OPAQUE double any(int nr, ...)
{
	double sum = 0;
	va_list list;

	va_start(list, nr);
	while (nr--)
		sum += va_arg(list, double);
	va_end(list);
	return sum;
}

static struct patchbay_module module;
static struct patchbay_state state;

/* Returns the targets of the stubs; the table follows them. */
static const volatile uint64_t *addresses(void)
{
	return (const uint64_t *)((const char *)&__patchbay_module.links +
				  __patchbay_module.links +
				  PATCHBAY_X86_64_TRAMPOLINES_OFFSET);
}

static int count_own(void)
{
	const uint64_t first = (uint64_t)&__patchbay_module.stubs +
			       (uint64_t)__patchbay_module.stubs +
			       PATCHBAY_X86_64_OWN_OFFSET;
	int own = 0;

	for (unsigned int i = 0; i < PATCHBAY_X86_64_NR_STUBS; i++)
		own += addresses()[i] == first + i * PATCHBAY_X86_64_OWN_SIZE +
						 PATCHBAY_X86_64_OWN_OPEN;
	return own;
}

static void call_all(void)
{
	CHECK_EQ(fig_two(1, 2), 12);
	CHECK_EQ(fig_four(1, 2, 3, 4), 1234);
	CHECK_EQ(fig_six(1, 2, 3, 4, 5, 6), 123456);
	CHECK(any(3, 1.5, 2.5, 4.0) == 8);
}

/* Makes a module whose descriptor gives another layout or none. */
static void make_module(const char *kind)
{
	CHECK_EQ(patchbay_module_unregister(&__patchbay_module), 0);
	make_module_like_ours(&module, &state);
	lead_alike(&module.sites_start, &__patchbay_module.sites_start);
	lead_alike(&module.sites_stop, &__patchbay_module.sites_stop);
	if (!strcmp(kind, "layout"))
		module.trampolines = PATCHBAY_X86_64_LAYOUT + 1;
	if (!strcmp(kind, "none"))
		module.trampolines = 0;
	if (!strcmp(kind, "short"))
		module.size = PATCHBAY_MODULE_SIZE_MIN;
	CHECK_EQ(patchbay_module_register(&module), 0);
}

static void spoil_table(void)
{
	const uint64_t word = 1;
	int fd = open("/proc/self/mem", O_WRONLY);

	CHECK_EQ(pwrite(fd, &word, sizeof(word),
			(off_t)&addresses()[PATCHBAY_X86_64_NR_STUBS + 1]),
		 sizeof(word));
	close(fd);
}

/*
 * Uses each path through a trampoline with the tracer enabled, disabled, and enabled
 * again.
 */
static void call_armed(struct patchbay_ops_attr attr, int of_each)
{
	/* Variadic functions have no exit; fig_six() calls fig_four(). */
	const int of_any = !attr.exit;
	const int expected = 4 * of_each + of_any;
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	for (int i = 0; i < 2; i++) {
		calls = 0;
		CHECK_EQ(patchbay_arm(ops, "fig_*", 0), 3);
		if (of_any)
			CHECK_EQ(patchbay_arm(ops, "any", 0), 1);
		call_all();
		CHECK_EQ(calls, expected);
		CHECK_EQ(patchbay_disarm(ops, "*"), 3 + of_any);
		call_all();
		CHECK_EQ(calls, expected);
	}
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
}

int main(int argc, char **argv)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = handler };
	struct patchbay_ops *ops;

	CHECK_EQ(argc, 2);
	make_module(argv[1]);
	if (!strcmp(argv[1], "table")) {
		spoil_table();
		CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
		CHECK_EQ(patchbay_arm(ops, "fig_*", 0), -EILSEQ);
		call_all();
		CHECK_EQ(calls, 0);
		puts("refused");
		return 0;
	}
	call_armed(attr, 1);
	attr.flags = PATCHBAY_OPS_FAST;
	call_armed(attr, 1);
	attr.exit = handler;
	call_armed(attr, 2);
	attr.flags = 0;
	call_armed(attr, 2);
	attr.handler = NULL;
	call_armed(attr, 1);
	attr.flags = PATCHBAY_OPS_FAST;
	call_armed(attr, 1);
	printf("%d of %d own, armed and called\n", count_own(),
	       PATCHBAY_X86_64_NR_STUBS);
	return 0;
}
