/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Changing the text of the running process.
 *
 * All patches (of slots, sites, tramps) go through pb_text_apply(): read, compare, then
 * write. Mappings stay read-only. Only expected bytes are overwritten.
 * Exception: change/bulk_text.c writes many functions with one system call.
 *
 * Other threads may execute text during a write. The write is atomic only for one byte
 * (x86-64), or for one aligned instruction word (other architectures, whose kernels copy
 * it by one store). Otherwise the kernel copies the bytes in any order. The callers in
 * arch/ know which text may change while threads execute it, and prove this at each
 * store. On all architectures the kernel keeps instruction caches coherent.
 */
#pragma once

#include "system/lock.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PB_PATCH_MAX 8

/*
 * struct pb_patch - one change: @len bytes at @addr, from @old to @new, both zero-padded
 */
struct pb_patch {
	uintptr_t addr;
	uint8_t len;
	uint8_t old[PB_PATCH_MAX];
	uint8_t new[PB_PATCH_MAX];
};

/* Fill in @patch: @len bytes at @addr. Returns 0 if the text already has @new. */
static inline int pb_patch_fill(struct pb_patch *patch, uintptr_t addr, const void *old,
				const void *new, size_t len)
{
	*patch = (struct pb_patch){ .addr = addr, .len = (uint8_t)len };
	memcpy(patch->old, old, len);
	memcpy(patch->new, new, len);
	return memcmp((const void *)addr, new, len) != 0;
}

/*
 * Open the text for writing, and close it: under the modules lock, not under the engine
 * lock. One handle is open at a time. A forked child must close the handle, which refers to
 * the parent's memory. Returns the handle, or an error of pb_os_text_open().
 */
int pb_text_open(void);
void pb_text_close(int handle);

/* In a forked child: close the child's copy of the handle. */
void pb_text_forget(void);

/*
 * Apply @nr patches, which do not overlap, through a handle of pb_text_open(). Patches that
 * are sorted by address take less time. Adjacent patches are written together.
 *
 * @rewrite: patches that are close together may be written together, with the code between
 * them as it was read. If another process or patcher changes that code between the last
 * read and the end of the write, the change is lost. This window is less than a microsecond
 * for each 4096 bytes. Nearly all of it is in the kernel, where a debugger cannot stop this
 * thread. pb_arch_rewrite says whether an architecture allows this while other threads
 * execute the code.
 *
 * Returns 0; -EILSEQ if the text has unexpected bytes; or the error of writing
 * /proc/thread-self/mem. On error some patches may have been written.
 *
 * The caller holds the engine lock.
 */
int pb_text_apply(int handle, const struct pb_patch *patches, size_t nr,
		  int rewrite);

/* Apply one patch. Returns 0 or an error of pb_text_apply(). */
int pb_text_write(int handle, uintptr_t addr, const void *old, const void *new,
		  size_t len);

/*
 * Make every other thread of the process execute a serializing instruction and a full
 * memory barrier before this returns (x86-64: IRET or similar; AArch64: ISB by exception
 * return; ppc64le: rfid; riscv64: FENCE.I). Afterwards these threads execute the text that
 * was written before the call. Returns 0 or the error of membarrier(2).
 */
int pb_sync_core(void);
