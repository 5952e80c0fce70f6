/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Looking at what is there: sites, names, counters. A part of <patchbay/patchbay.h>.
 */
#ifndef PATCHBAY_INSPECT_H
#define PATCHBAY_INSPECT_H

#include <patchbay/tracer.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * enum patchbay_site_state - what a site is, by its bytes
 * @PATCHBAY_SITE_DISARMED: it can be armed
 * @PATCHBAY_SITE_ARMED:    it calls a trampoline of this library
 *
 * The others cannot be armed: patchbay_arm() returns -EILSEQ.
 * @PATCHBAY_SITE_OUTSIDE:  its record leads to outside of the module's text, or
 *                          to text that is not executed any more since llvm-bolt
 *                          moved the function
 * @PATCHBAY_SITE_NO_SLOT:  there is no pad, and so no slot, before the entry
 * @PATCHBAY_SITE_UNKNOWN:  its bytes are not what the compiler put there: a
 *                          debugger's breakpoint, another patcher
 * @PATCHBAY_SITE_FOREIGN:  it is armed, but not by this copy of the library
 * @PATCHBAY_SITE_CHANGED:  it has a tracer and is disarmed: something else wrote the
 *                          compiler's bytes there; see patchbay_rearm()
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
#define PATCHBAY_SITE_NR_STATES 8 /* with room for more */

/*
 * struct patchbay_site_info - a site, as patchbay_for_each_site() shows it
 * @record:   what its record says, which is a copy if its module can be unloaded
 * @entry:    entry of the function
 * @cells:    copies of the tracers that are armed on it, in the order of their
 *            handlers
 * @nr_cells: how many; 0 if the site is not armed, or is armed for nothing
 *            because it could not be disarmed
 * @state:    what it is
 * @site:     address of the patchable instruction
 *
 * All of it is gone when the visitor returns.
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
 * Call @visit for every site of every module until it returns non-zero, and
 * return what it returned last. @visit is a callback (see <patchbay/patchbay.h>),
 * called without a lock: it sees what sites were a moment ago. Modules that are
 * loaded meanwhile are not visited, and no more sites of one that is unloaded.
 * -EDEADLK: called from a handler or a callback. -ENOMEM.
 */
int patchbay_for_each_site(int (*visit)(const struct patchbay_site_info *site,
					void *arg),
			   void *arg);

/*
 * Find functions that have a tracer and are not called through it any more, because
 * something else has changed their sites: a uprobe that ends writes the byte of the file
 * there, so the function is disarmed; a debugger's breakpoint is there for a while.
 * Call @visit, unless it is NULL, for each of them, with the state it was found in:
 * PATCHBAY_SITE_CHANGED, _UNKNOWN, or another one. @visit runs as that of
 * patchbay_for_each_site(). Then arm those again whose sites have the compiler's bytes;
 * other bytes are left alone. Calls made meanwhile are lost, and nothing counts them, so
 * a tracer that runs for long should call this now and then: some nanoseconds for each
 * function.
 *
 * Returns how many functions were armed again, -EDEADLK from a handler, or an error of
 * patchbay_arm().
 */
int patchbay_rearm(void (*visit)(const struct patchbay_site_info *site, void *arg),
		   void *arg);

/*
 * Call @visit for every name of every function with a site until it returns
 * non-zero, and return what it returned last. A function that was renamed has the
 * name of its symbol here. Symbol tables that were not read yet are read, which
 * takes some milliseconds. @name is gone when @visit returns,
 * which is called as that of patchbay_for_each_site(). -EDEADLK, -ENOMEM,
 * -EMFILE, -ENFILE: there may be names that were not visited.
 */
int patchbay_for_each_name(int (*visit)(uintptr_t entry, const char *name,
					void *arg),
			   void *arg);

/*
 * struct patchbay_stats - what there is, and what happened so far
 * @size:         sizeof(struct patchbay_stats), set by the caller
 * @modules:      loaded modules
 * @sites:        their sites
 * @armed:        functions that have a tracer
 * @memory:       bytes of cells and sets of tracers, for functions that are or
 *                were armed
 * @batches:      times that functions were armed or disarmed
 * @membarriers:  system calls that made every processor serialize
 * @text_writes:  system calls that wrote to text, for static calls, too
 * @refused:      sites for which arming failed, by enum patchbay_site_state
 * @left:         handlers that were found never to return, because a signal
 *                handler left them by siglongjmp(3)
 * @timeouts:     waits for handlers that patchbay_set_wait_limit() ended
 * @waited_for:   the thread that the last of these waited for, as gettid(2) calls
 *                it; 0: its number is not known, since it began when the program
 *                had restricted system calls
 * @others:       loaded modules of another version of the ABI (abi.h), none of
 *                whose functions can be traced; `patchbay list -p` names them
 * @unnamed:      loaded modules whose names were wanted, and could not be read when
 *                that was last tried: the file has gone, or is another by now.
 *                No name and no pattern, but for "*", selects a function of theirs
 * @unseen:       calls that were not seen and that no tracer counts (@nmissed): they
 *                came from a signal handler that interrupted the library while it
 *                counted another one as missed, or from a thread that no memory could
 *                be had for
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
 * Fill in @stats. It waits for nobody, and may be called from a handler. -EINVAL:
 * a size less than PATCHBAY_STATS_SIZE_VER0.
 */
int patchbay_get_stats(struct patchbay_stats *stats);

#ifdef __cplusplus
}
#endif

#endif /* PATCHBAY_INSPECT_H */
