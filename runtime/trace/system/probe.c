/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "probe.h"

#include "sys.h"

#define PAGE 4096 /* the smallest page size */

/*
 * rt_sigprocmask(2) reads the set, then refuses the invalid operation -1, so it only tests
 * the address. Address 0 means no set, so avoid it. Test @at rather than the start of the
 * page, because Valgrind reports reads of unallocated bytes.
 */
static int is_readable_page(uintptr_t page, uintptr_t at)
{
	const uintptr_t last = page + PAGE - sizeof(pb_sigset);
	uintptr_t set = at < page ? page : at > last ? last : at;

	if (set < sizeof(pb_sigset))
		set = sizeof(pb_sigset);
	return pb_sys(SYS_rt_sigprocmask, -1, set, NULL, sizeof(pb_sigset)) != -EFAULT;
}

int pb_is_readable(struct pb_probe *probe, const void *at, size_t size)
{
	const uintptr_t last = ((uintptr_t)at + size - 1) & ~(uintptr_t)(PAGE - 1);
	uintptr_t page = (uintptr_t)at & ~(uintptr_t)(PAGE - 1);

	for (; page <= last; page += PAGE) {
		if (probe->is_all_readable || probe->page == page + 1)
			continue;
		if (!is_readable_page(page, (uintptr_t)at))
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
