/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Changing the text of a process that has one thread by plain stores: the mapping is
 * readable and writable for that moment, and not executable, so it is never both.
 * This is PATCHBAY_MODE_STORES; whoever cannot do so goes by text.h.
 *
 * That the stores are safe follows from there being nobody else: no other thread
 * executes the code, and signals are blocked. For code that a processor changes
 * itself, Intel's manual asks for a jump, or for a serializing instruction, before it
 * is executed (SDM vol. 3A, 10.1.3, "Handling Self- and Cross-Modifying Code"); AMD's
 * for nothing (APM vol. 2, 7.6.1, "Cache Coherency and Self-Modifying Code"): the
 * kernel's return from mprotect(2) and the return to the program are more than that.
 * A processor to which the thread moves later has executed a serializing instruction
 * since: mprotect() makes each that has used this memory flush its TLB before it does
 * so again, and that is one (INVLPG, INVPCID, or a MOV to CR3). So strict mode
 * would have nothing to add; but where the mapping turns out not to be changed so, there
 * is nothing left to do for a batch that has begun, and strict mode does without.
 *
 * The kernel puts no uprobe into what is writable (valid_vma() in its
 * kernel/events/uprobes.c): one that is registered meanwhile is not in this process.
 *
 * Between pb_stores_begin() and pb_stores_end() no code of that mapping can be
 * executed. So what is called there must be this library's own: not the C library's,
 * some of whose functions the program may have replaced.
 */
#ifndef PB_CORE_STORES_H
#define PB_CORE_STORES_H

#include "module.h"

/*
 * Of the text of @module.
 * @start, @size: the mapping; @size 0: it cannot be changed by stores
 * @stand_in:     the same piece of the file once more, readable and executable: what
 *                takes its place if it could not be made executable again
 * @signals:      what was blocked
 */
struct pb_stores {
	struct pb_module *module;
	uintptr_t start;
	size_t size;
	uint8_t *stand_in;
	uint64_t signals;
};

/*
 * Find out whether text of @module can be changed this way, by doing the same with
 * the stand-in. Returns 0 or a negative errno. Not under the engine lock; so is
 * pb_stores_free(), which may be called of what was never prepared.
 */
int pb_stores_prepare(struct pb_stores *stores, struct pb_module *module);
void pb_stores_free(struct pb_stores *stores);

/*
 * Around the stores: to @nr functions with entries from @from to @to, as far as that
 * is known. A negative errno of the first: nothing has been done. @handle is of
 * pb_text_open().
 *
 * All signals are blocked in between, SIGTRAP, too, which the locks leave open: a
 * handler would be code that cannot be executed now. So what goes wrong there cannot be
 * caught: a fault ends the process, as the kernel does not let a blocked SIGSEGV wait,
 * and a loop without end can be ended by SIGKILL only.
 *
 * If the second fails, the kernel refuses now what it allowed a moment ago, and
 * also to put the stand-in there, with text as it is to be: then the process has no
 * code to go on with. That takes a process which has just used up its mappings. The
 * same goes for the first where the kernel had made a part of the text writable before
 * it refused the rest.
 */
int pb_stores_begin(struct pb_stores *stores, uintptr_t from, uintptr_t to,
		    size_t nr, int handle);
int pb_stores_end(struct pb_stores *stores, int handle);

#endif /* PB_CORE_STORES_H */
