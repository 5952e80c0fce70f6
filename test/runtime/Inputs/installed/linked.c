/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Attaches to two functions of this program; for tests of the installed tree. */
#include <patchbay/link.h>
#include <stdio.h>

static int calls;

static void count(uintptr_t ip, uintptr_t parent_ip,
		  const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip, (void)parent_ip, (void)cell, (void)regs;
	calls++;
}

__attribute__((noinline)) int half(int a)
{
	return a / 2;
}

__attribute__((noinline)) int halves(int a)
{
	return half(a) + half(a + 1);
}

int main(int argc, char **argv)
{
	const struct patchbay_program program = { .size = sizeof(program),
						  .exit = count };
	const struct patchbay_filter filter = { .size = sizeof(filter),
						.glob = "hal*" };
	const struct patchbay_link_opts opts = { .size = sizeof(opts),
						 .filter = &filter };
	struct patchbay_link *link;
	int nr = patchbay_link_attach(PATCHBAY_FEXIT, &program, &opts, &link);

	(void)argv;
	if (halves(argc) != argc || patchbay_link_destroy(link))
		return 1;
	printf("%d functions, %d calls\n", nr, calls);
	return 0;
}
