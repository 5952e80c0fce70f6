/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Inspection of sites, names and counters. A part of <patchbay/patchbay.h>.
 */
#ifndef PATCHBAY_INSPECT_H
#define PATCHBAY_INSPECT_H

#include <patchbay/tracer.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * enum patchbay_site_state - the state of a site, by its bytes
 * @PATCHBAY_SITE_DISARMED: the site can be armed
 * @PATCHBAY_SITE_ARMED:    the site calls a trampoline of this library
 *
 * Sites in the other states cannot be armed: patchbay_arm() returns -EILSEQ.
 * @PATCHBAY_SITE_OUTSIDE:  the record points outside of the module's text, or
 *                          to text that is no longer executed because llvm-bolt
 *                          moved the function
 * @PATCHBAY_SITE_NO_SLOT:  there is no pad, and so no slot, before the entry
 * @PATCHBAY_SITE_UNKNOWN:  the compiler did not write these bytes, but for example
 *                          a debugger (breakpoint) or another patcher
 * @PATCHBAY_SITE_FOREIGN:  another copy of the library has armed the site
 * @PATCHBAY_SITE_CHANGED:  the function has a tracer, but other code has restored the
 *                          compiler's bytes; see patchbay_rearm()
 */
enum patchbay_site_state {
	PATCHBAY_SITE_DISARMED,
	PATCHBAY_SITE_ARMED,
	PATCHBAY_SITE_OUTSIDE,
	PATCHBAY_SITE_NO_SLOT,
	PATCHBAY_SITE_UNKNOWN,
	PATCHBAY_SITE_FOREIGN,
	PATCHBAY_SITE_CHANGED,
};
#define PATCHBAY_SITE_NR_STATES 8 /* includes spare values */

/*
 * struct patchbay_site_info - a site, for visitors of patchbay_for_each_site()
 * @record:   describes the function's arguments and result; its other fields are 0
 * @entry:    entry of the function
 * @cells:    copies of the cells of the function's tracers, in the order of their
 *            handlers
 * @nr_cells: number of @cells; 0 if the site is not armed, or is armed without a
 *            tracer because it could not be disarmed
 * @state:    state of the site
 * @site:     address of the patchable instruction
 *
 * Valid until the visitor returns.
 */
struct patchbay_site_info {
	const struct patchbay_module_info *module;
	const struct patchbay_record *record;
	uintptr_t entry;
	const struct patchbay_cell *cells;
	size_t nr_cells;
	enum patchbay_site_state state;
	uintptr_t site;
};

/*
 * Calls @visit for every site of every module until it returns non-zero. Returns the last
 * result. @visit is a callback (see <patchbay/patchbay.h>) and runs without a lock: it
 * sees a recent state of the sites. Skips modules that are loaded during the call, and
 * the remaining sites of a module that is unloaded. -EDEADLK: called from a handler or a
 * callback. -ENOMEM.
 */
int patchbay_for_each_site(int (*visit)(const struct patchbay_site_info *site,
					void *arg),
			   void *arg);

/*
 * Finds functions that have a tracer, but whose sites other code has changed. For example,
 * a uprobe that is removed writes the file's byte to the site, which disarms the function. A
 * debugger's breakpoint changes a site temporarily. Calls @visit, unless it is NULL, for
 * each such function, with its state: PATCHBAY_SITE_CHANGED, _UNKNOWN, or another one.
 * @visit runs like that of patchbay_for_each_site(). Then arms functions whose sites have
 * the compiler's bytes again, and does not touch the others. Calls that were made while a
 * site was changed are lost and not counted, so a program that traces for long should call
 * this periodically. The cost is some nanoseconds per function.
 *
 * Returns the number of functions that were armed again, -EDEADLK from a handler, or an
 * error of patchbay_arm().
 */
int patchbay_rearm(void (*visit)(const struct patchbay_site_info *site, void *arg),
		   void *arg);

/*
 * Calls @visit for every name of every function with a site until it returns
 * non-zero. Returns the last result. A renamed function has the name of its symbol
 * here. Reads symbol tables that were not read before, which takes some
 * milliseconds. @name is valid until @visit returns. @visit is called like that of
 * patchbay_for_each_site(). -EDEADLK: called from a handler or a callback. After
 * -ENOMEM, -EMFILE or -ENFILE, some names may not have been visited.
 */
int patchbay_for_each_name(int (*visit)(uintptr_t entry, const char *name,
					void *arg),
			   void *arg);

/*
 * struct patchbay_stats - current state, and counters since the start
 * @size:         sizeof(struct patchbay_stats), set by the caller
 * @modules:      loaded modules
 * @sites:        sites of these modules
 * @armed:        functions that have a tracer
 * @memory:       bytes of cells and sets of tracers, for functions that are or
 *                were armed
 * @batches:      changes: calls that armed or disarmed functions
 * @membarriers:  system calls that made every CPU serialize
 * @text_writes:  system calls that wrote to text, including those for static calls
 * @refused:      sites for which arming failed, by enum patchbay_site_state
 * @left:         handlers that will never return, as the library has detected, because a
 *                signal handler left them by siglongjmp(3)
 * @timeouts:     waits for handlers that patchbay_set_wait_limit() ended
 * @waited_for:   the thread, as from gettid(2), that the last such wait was for;
 *                0: unknown, because the thread started when the program had
 *                restricted system calls
 * @others:       loaded modules of another version of the ABI (abi.h). Their functions
 *                cannot be traced; `patchbay list -p` names them
 * @unnamed:      loaded modules whose names were needed and could not be read at the
 *                last attempt: the file is gone or has been replaced.
 *                No name, and no pattern except "*", selects their functions
 * @unseen:       missed calls that no tracer counts (@nmissed). They were made by a signal
 *                handler that interrupted the library while it counted another missed
 *                call, or by a thread for which there was no memory
 */
struct patchbay_stats {
	size_t size;
	uint64_t modules, sites, armed, memory;
	uint64_t batches, membarriers, text_writes;
	uint64_t refused[PATCHBAY_SITE_NR_STATES];
	uint64_t left, timeouts, waited_for;
	uint64_t others;
	uint64_t unnamed;
	uint64_t unseen;
};

#define PATCHBAY_STATS_SIZE_VER0 40 /* up to @memory */

/*
 * Fills in @stats. Does not wait, and may be called from a handler. -EINVAL: a size
 * less than PATCHBAY_STATS_SIZE_VER0.
 */
int patchbay_get_stats(struct patchbay_stats *stats);

#ifdef __cplusplus
}
#endif

#endif /* PATCHBAY_INSPECT_H */
