/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "peek.h"

#include "session/session.h"
#include "session/syscalls.h"
#include "system/sys.h"

#include <sys/uio.h>

#define PAGE 4096 /* the smallest page size */

long pb_peek(uint64_t address, void *to, size_t size)
{
	const size_t first = PAGE - address % PAGE;
	/*
	 * The first piece ends with its page, because the kernel copies each piece
	 * completely or not at all.
	 */
	const struct iovec from[2] = {
		{ (void *)address, size < first ? size : first },
		{ (void *)(address + first), size < first ? 0 : size - first },
	};
	const struct iovec here = { to, size };
	const uint32_t owner = pb_session->owner;
	long result;

	if (pb_filtered_at_start || !pb_syscalls_begin())
		return -EPERM;
	/* @owner is the parent in a child of vfork(2), which shares its memory. */
	result = pb_sys(SYS_process_vm_readv,
			owner ? (long)owner : pb_sys(SYS_getpid), &here, 1L,
			from, from[1].iov_len ? 2L : 1L, 0L);
	pb_syscalls_end();
	return result;
}
