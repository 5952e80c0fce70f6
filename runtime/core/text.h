/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Changing the text of the running process.
 *
 * Everything that Patchbay patches (slots, sites, tramps) goes through
 * pb_text_apply(): read, compare, then write. It never makes a mapping
 * writable and never writes bytes that it does not recognise. (But of many functions
 * at once: text_block.h.)
 *
 * A write that other threads may execute through is not atomic beyond one
 * byte (x86-64) or one aligned instruction word (elsewhere: those kernels copy
 * one by one store): the kernel copies bytes as it likes. What may
 * be changed while it can be executed is for the callers in arch/ to know, and
 * to say where they do it. Making instruction caches see it is the kernel's
 * business, on all of them.
 */
#ifndef PB_CORE_TEXT_H
#define PB_CORE_TEXT_H

#include "lock.h"

#include <stddef.h>
#include <stdint.h>

#define PB_PATCH_MAX 8

/*
 * struct pb_patch - one change: @len bytes at @addr, from @old to @new, both
 * filled up with zeros
 */
struct pb_patch {
	uintptr_t addr;
	uint8_t len;
	uint8_t old[PB_PATCH_MAX];
	uint8_t new[PB_PATCH_MAX];
};

/*
 * Open the text for writing, and close it: not under the engine lock, but under
 * the modules lock, for one at a time. A forked child does not have it open: there
 * it would be its parent's. Errors of pb_os_text_open().
 */
int pb_text_open(void);
void pb_text_close(int handle);

/* In a forked child. */
void pb_text_forget(void);

/*
 * Apply @nr patches, none overlapping, through a handle of pb_text_open(). It
 * is quicker if they are sorted by address. Those with nothing between them are
 * written together.
 *
 * @rewrite: those that are close together may be written together, with the
 * code between them, as it was read. Whoever else changes that code in the time
 * from the last look at it to the end of the write loses the change: less than
 * a microsecond for each 4096 bytes, nearly all of it in the kernel, where a
 * debugger does not stop us. Whether other threads may execute code that is
 * written back unchanged is for the architecture to know, see pb_arch_rewrite.
 *
 * Returns 0; -EILSEQ if bytes are not the expected ones; or what writing
 * /proc/thread-self/mem returned. Each time a part may have been written.
 *
 * The caller holds the engine lock.
 */
int pb_text_apply(int handle, const struct pb_patch *patches, size_t nr,
		  int rewrite);

/* One patch; the same errors. */
int pb_text_write(int handle, uintptr_t addr, const void *old, const void *new,
		  size_t len);

/*
 * Return after every other thread of the process has executed a serializing
 * instruction (x86-64: IRET or alike; AArch64: ISB by exception return; ppc64le:
 * rfid; riscv64: FENCE.I) and a full memory barrier since the call: what was written to text
 * before is what they execute after. Returns 0 or the error of membarrier(2).
 */
int pb_sync_core(void);

#endif /* PB_CORE_TEXT_H */
