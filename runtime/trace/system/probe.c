/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "probe.h"

#include "sys.h"

#define PAGE 4096 /* the smallest page size */

/*
 * rt_sigprocmask(2) copies the set first, and then refuses the unknown operation. So it
 * changes nothing. A set at address 0 would be no set.
 */
static int is_readable_page(uintptr_t page)
{
	return pb_sys(SYS_rt_sigprocmask, -1, page + sizeof(pb_sigset), NULL,
		      sizeof(pb_sigset)) != -EFAULT;
}

int pb_is_readable(struct pb_probe *probe, const void *at, size_t size)
{
	const uintptr_t last = ((uintptr_t)at + size - 1) & ~(uintptr_t)(PAGE - 1);
	uintptr_t page = (uintptr_t)at & ~(uintptr_t)(PAGE - 1);

	for (; page <= last; page += PAGE) {
		if (probe->page == page + 1)
			continue;
		if (!is_readable_page(page))
			return 0;
		probe->page = page + 1;
	}
	return 1;
}

int pb_is_string(struct pb_probe *probe, const char *string)
{
	while (pb_is_readable(probe, string, 1))
		if (!*string++)
			return 1;
	return 0;
}
