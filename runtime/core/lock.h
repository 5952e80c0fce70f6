/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Three locks, taken in this order:
 *
 *	lock	guards				held by		while it is held
 *	----	------				-------		----------------
 *	caller	that one caller at a time	arm, disarm	anything, also waiting
 *		changes tracers			and alike, from	for handlers
 *						begin to end
 *	change	what there is (modules,		the same, but	malloc(), files, the
 *		tracers, cells, filters,	not while they	tracer's @attach; not
 *		places of code): who has it	wait for	waiting for handlers
 *		finds it as it is and		handlers; who
 *		prepares what shall be		visits sites;
 *						constructors
 *						and destructors
 *						of modules
 *	engine	the same, and text, against	who changes	no malloc(), no free(),
 *		being seen or copied half	any of it, for	nothing is opened or
 *		changed				that moment;	closed, nothing waits
 *						fork(); who	for another thread
 *						asks how things
 *						are
 *
 * So what is guarded is read under the change lock or the engine lock, and
 * changed under both; static calls, which one lock would do for, take both, too.
 * Below the engine lock is only that of the list of threads (quiesce.c).
 *
 * fork() takes the engine lock, so that a child finds no batch half done, and no
 * other: the allocator has locks that fork() takes, too, before ours or after,
 * as chance has it. Whoever called malloc() under a lock that fork() takes would
 * sooner or later wait for a thread that waits for him. The same goes for all that
 * may call malloc(), or take a lock of whoever has replaced a function of the C
 * library: fopen(), qsort(), dl_iterate_phdr(). What system calls are made under
 * the engine lock are those that write text and make processors serialize
 * (pwrite(2) to memory, membarrier(2)), and those that switch modes on. In builds
 * for debugging pb_may_allocate() checks it; test/runtime/under-lock.c does so in
 * all, by the functions of the C library.
 *
 * In the child nobody has the two others, unless it is the thread that forked.
 * What was prepared and not put to use there is lost memory.
 *
 * Constructors and destructors of modules do not take the caller lock, because
 * the loader's own lock is held around them, and a handler that somebody waits for
 * may be waiting for that one (dladdr).
 *
 * With the change lock or the engine lock, signals are blocked, so that a signal
 * handler that forks or exits does not find it held by its own thread. Who holds
 * any of the three cannot be cancelled: open(), pwrite() and nanosleep() are
 * cancellation points, and a thread that ends there would keep the lock for ever.
 *
 * A thread that has the change lock or the engine lock may take it again: what
 * the library calls back (@attach, @visit) may end in exit(), whose destructors
 * unregister modules, or fork.
 *
 * dl_iterate_phdr() takes a lock of the loader's, which the loader itself holds
 * only while it changes its list, so not around constructors and destructors. It
 * comes between the change lock and the engine lock.
 */
#ifndef PB_CORE_LOCK_H
#define PB_CORE_LOCK_H

#include <assert.h>
#include <stdint.h>

int pb_caller_lock(void);    /* -EDEADLK: this thread has it, or the next */
int pb_caller_trylock(void); /* 0: taken */
void pb_caller_unlock(void);

void pb_change_lock(void);
void pb_change_unlock(void);
int pb_change_is_locked(void); /* by this thread */

/* How often the engine lock was taken and given back: odd while it is held. */
extern uint64_t pb_engine_generation;

void pb_engine_lock(void);
void pb_engine_unlock(void);

/* Does this thread hold the engine lock? */
int pb_engine_is_locked(void);

/* Said where memory is allocated or freed, or a file is opened or closed. */
#define pb_may_allocate() assert(!pb_engine_is_locked())

#endif /* PB_CORE_LOCK_H */
