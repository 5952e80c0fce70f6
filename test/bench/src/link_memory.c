/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Usage: link_memory
 *
 * Attaches a link to all functions, then two links with an exit. Prints a line "NUMBER
 * BYTES" for each step: the number of links, and the heap in use per function, as counted
 * by the C library.
 */
#include "handlers.h"

#include <patchbay/link.h>

#include <malloc.h>
#include <stdio.h>

static double in_use(void)
{
	struct mallinfo2 info = mallinfo2();

	return (double)info.uordblks + (double)info.hblkhd;
}

int main(void)
{
	const struct patchbay_program entry = { .size = sizeof(entry),
						.entry = ignore_call };
	const struct patchbay_program both = { .size = sizeof(both),
					       .entry = ignore_call,
					       .exit = ignore_call };
	const struct patchbay_filter filter = { .size = sizeof(filter),
						.glob = "*" };
	const struct patchbay_link_opts opts = { .size = sizeof(opts),
						 .filter = &filter };
	double before = in_use();
	struct patchbay_link *link;

	for (int i = 1; i <= 3; i++) {
		int nr = patchbay_link_attach(
			i == 1 ? PATCHBAY_FENTRY : PATCHBAY_SESSION,
			i == 1 ? &entry : &both, &opts, &link);

		if (nr <= 0) {
			fprintf(stderr, "%s\n", patchbay_link_strerror(nr));
			return 1;
		}
		printf("%d %.2f\n", i, (in_use() - before) / nr);
	}
	return 0;
}
