/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The program that llvm-bolt rewrites in bolt.test. -DARM makes the program arm itself. */
#include <stdio.h>

__attribute__((noinline)) int square(int n)
{
	__asm__ volatile("");
	return n * n;
}

__attribute__((noinline)) static int twice(int n)
{
	__asm__ volatile("");
	return 2 * n;
}

#ifdef ARM
#include <patchbay/patchbay.h>

static int calls;

static void count(uintptr_t ip, uintptr_t parent_ip,
		  const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	calls++;
}

static int outside(const struct patchbay_site_info *site, void *arg)
{
	*(int *)arg += site->state == PATCHBAY_SITE_OUTSIDE;
	return 0;
}

static void arm(void)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = count };
	struct patchbay_stats stats = { .size = sizeof(stats) };
	struct patchbay_ops *ops;
	int sites = 0;

	if (patchbay_ops_create(&attr, &ops))
		return;
	printf("all: %d\n", patchbay_arm(ops, "*", 0));
	printf("by name: %d\n", patchbay_arm(ops, "square", 0));
	printf("what can be: %d\n", patchbay_arm(ops, "*", PATCHBAY_ARM_SKIP));
	patchbay_for_each_site(outside, &sites);
	patchbay_get_stats(&stats);
	printf("outside: %d of %d, refused: %d\n", sites, (int)stats.sites,
	       stats.refused[PATCHBAY_SITE_OUTSIDE] != 0);
}
#else
static void arm(void)
{
}
#endif

int main(int argc, char **argv)
{
	int sum = 0;

	(void)argc;
	(void)argv;
	arm();
	for (int i = 0; i < 10; i++)
		sum += square(i) + twice(i);
	printf("sum %d\n", sum);
#ifdef ARM
	printf("calls: %d\n", calls);
#endif
	return 0;
}
