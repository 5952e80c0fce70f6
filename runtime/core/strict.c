/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For architectures whose manual allows what pb_arch_arm() does. */
#include "strict.h"

#include <errno.h>

int pb_strict;
int pb_strict_unfit;

int pb_strict_init(void)
{
	return 0;
}

/* What follows is not called, because pb_strict stays 0. */

int pb_strict_reserve(size_t nr)
{
	(void)nr;
	return 0;
}

int pb_strict_change(int text, const struct pb_patch *tail, size_t nr_tail,
		     const struct pb_patch *first, size_t nr_first)
{
	(void)text;
	(void)tail;
	(void)nr_tail;
	(void)first;
	(void)nr_first;
	return -EOPNOTSUPP;
}

int pb_strict_begin(size_t nr)
{
	(void)nr;
	return 0;
}

int pb_strict_set(int text, uintptr_t addr, uint8_t first)
{
	(void)text;
	(void)addr;
	(void)first;
	return -EOPNOTSUPP;
}

int pb_strict_clear(int text, uintptr_t addr, uint8_t first)
{
	(void)text;
	(void)addr;
	(void)first;
	return -EOPNOTSUPP;
}

int pb_strict_remove(int text, uintptr_t addr)
{
	return pb_strict_clear(text, addr, 0);
}

void pb_strict_end(void)
{
}
