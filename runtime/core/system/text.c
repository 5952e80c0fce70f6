/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "system/text.h"

#include "system/linux.h"

#include <errno.h>
#include <string.h>

/*
 * One system call writes at most one block; the kernel copies page by page. A block with many
 * patches is written as a whole, with the code between them, because one call costs 0.57 us
 * for one byte, and only 1.0 us for 4096 bytes. For 50,000 functions of 96 bytes (Cascade
 * Lake, Linux 6.18, ms):
 *
 *	                                    first time   again
 *	a call for each site                        39      29
 *	           of up to 1024 bytes              12     3.5
 *	           of up to 4096 bytes             5.9     1.6
 *	           of up to 65536 bytes            5.0     1.3
 *	io_uring, a write for each site                     83
 *	stores, text made writable by mprotect()   3.0     0.6
 *
 * The last row needs text that is writable and executable, or a process with one
 * thread; PR_SET_MDWE forbids it. Other ways do not work: process_vm_writev()
 * respects protections, pwritev() costs as much as a pwrite() for each element,
 * private pages cannot have a second mapping, and fork() would share shared pages.
 */
#define BLOCK 4096
#define MANY 8
/* Write the patches of slot and site of a function together: only the function's hash and its
 * landing pad are between them. */
#define GAP 16

/* The open handle, or -1. */
static int open_text = -1;

int pb_text_open(void)
{
	int handle;

	pb_may_allocate();
	handle = pb_os_text_open();
	if (handle >= 0)
		__atomic_store_n(&open_text, handle, __ATOMIC_RELEASE);
	return handle;
}

void pb_text_close(int handle)
{
	pb_may_allocate();
	__atomic_store_n(&open_text, -1, __ATOMIC_RELEASE);
	pb_os_text_close(handle);
}

void pb_text_forget(void)
{
	if (open_text >= 0)
		pb_os_text_close(open_text);
	open_text = -1;
	pb_os_text_forget();
}

/*
 * Returns the index after the last patch to write together with @first. Without @rewrite,
 * these patches are adjacent.
 */
static size_t run_end(const struct pb_patch *patches, size_t first, size_t nr,
		      int rewrite)
{
	uintptr_t block = patches[first].addr & -(uintptr_t)BLOCK;
	uintptr_t end = patches[first].addr + patches[first].len;
	size_t near = first + 1, last = first + 1;

	for (; last < nr && patches[last].addr >= end; last++) {
		uintptr_t gap = patches[last].addr - end;

		end = patches[last].addr + patches[last].len;
		if (end - block > BLOCK || (gap && !rewrite))
			break;
		if (near == last && gap <= GAP)
			near++;
	}
	return last - first >= MANY ? last : near;
}

static int write_run(int handle, const struct pb_patch *patches, size_t nr)
{
	const uint8_t *text = (const uint8_t *)patches[0].addr;
	size_t size = patches[nr - 1].addr + patches[nr - 1].len -
		      patches[0].addr;
	/* Static, because stacks may be small. The engine lock guards them. */
	static uint8_t old[BLOCK], new[BLOCK];

	do {
		memcpy(old, text, size);
		memcpy(new, old, size);
		for (size_t i = 0; i < nr; i++) {
			const struct pb_patch *patch = &patches[i];
			uintptr_t at = patch->addr - patches[0].addr;

			if (memcmp(old + at, patch->old, patch->len))
				return -EILSEQ;
			memcpy(new + at, patch->new, patch->len);
		}
		/* Compare as late as possible, to make the window of @rewrite short. */
	} while (memcmp(text, old, size));
	return pb_os_text_write(handle, patches[0].addr, new, size);
}

int pb_text_apply(int handle, const struct pb_patch *patches, size_t nr,
		  int rewrite)
{
	int error = 0;

	for (size_t i = 0, end; i < nr && !error; i = end) {
		end = run_end(patches, i, nr, rewrite);
		error = write_run(handle, &patches[i], end - i);
	}
	return error;
}

int pb_text_write(int handle, uintptr_t addr, const void *old, const void *new,
		  size_t len)
{
	if (memcmp((const void *)addr, old, len))
		return -EILSEQ;
	return pb_os_text_write(handle, addr, new, len);
}
