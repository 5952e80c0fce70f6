/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Attaching and destroying a link costs the same with 250 links as with 1,000. The cost
 * is counted in instructions, so it does not depend on machine load. Each link is on
 * its own function, by name; half of them are also for future modules. The test
 * destroys links oldest first or newest first.
 *
 *	link-count NR oldest|newest
 */
// REQUIRES: valgrind
// RUN: %build -DMANY=1000 -O1 %s -o %t %link -lpatchbay-link
// RUN: %python %S/../Inputs/count-links.py %t 250 1000 | FileCheck %s
// CHECK:      oldest: attach {{[0-9]+}} {{[0-9]+}}, destroy {{[0-9]+}} {{[0-9]+}}
// CHECK-NEXT: newest: attach {{[0-9]+}} {{[0-9]+}}, destroy {{[0-9]+}} {{[0-9]+}}
// CHECK-NEXT: linear

#include "../Inputs/check.h"
#include "../Inputs/many-functions.h"

#include <patchbay/link.h>

#include <stdlib.h>
#include <string.h>

D1000(0)

static struct patchbay_link *links[MANY];

static void on_call(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
}

static struct patchbay_link *attach(int i)
{
	const struct patchbay_program program = { .size = sizeof(program),
						  .entry = on_call };
	char name[16];
	const char *const names[] = { name };
	const struct patchbay_filter filters[] = {
		{ .size = sizeof(filters[0]), .glob = name },
		{ .size = sizeof(filters[0]), .syms = names, .cnt = 1 },
	};
	const struct patchbay_link_opts opts = {
		.size = sizeof(opts),
		.filter = &filters[i / 2 % 2],
		.flags = i % 2 ? PATCHBAY_LINK_FUTURE : 0,
	};
	struct patchbay_link *link;

	snprintf(name, sizeof(name), "many_0%03d", i);
	CHECK_EQ(patchbay_link_attach(PATCHBAY_FENTRY, &program, &opts, &link),
		 1);
	return link;
}

/* The instruction counter finds the two phases by the names of these functions. */
OPAQUE __attribute__((no_profile_instrument_function)) void attach_all(int nr)
{
	for (int i = 1; i < nr; i++)
		links[i] = attach(i);
}

OPAQUE __attribute__((no_profile_instrument_function)) void
destroy_all(int nr, int first, int step)
{
	for (int i = 0, at = first; i < nr; i++, at = (at + step) % nr) {
		CHECK_EQ(patchbay_link_destroy(links[at]), 0);
		links[at] = NULL;
	}
}

int main(int argc, char **argv)
{
	const int nr = argc == 3 ? atoi(argv[1]) : 0;

	CHECK(nr > 0 && nr <= MANY);
	/* The first link reads the symbols, so it is not counted. */
	links[0] = attach(0);
	attach_all(nr);
	if (!strcmp(argv[2], "oldest"))
		destroy_all(nr, 0, 1);
	else
		destroy_all(nr, nr - 1, nr - 1);
	return 0;
}
