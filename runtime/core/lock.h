/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Four locks, taken in this order:
 *
 *	lock	guards				held by		while it is held
 *	----	------				-------		----------------
 *	caller	that one caller at a time	arm, disarm	anything, also waiting
 *		changes tracers			and alike, from	for handlers
 *						begin to end
 *	change	that one thread at a time	the same, but	malloc(), files,
 *		plans and carries out what	not while they	callbacks of tracers;
 *		tracers, cells and filters	wait for	not waiting for
 *		are to be			handlers;	handlers
 *						constructors of
 *						modules if it
 *						is free
 *	modules	what there is (modules, their	the owner of	malloc(), files; no
 *		records and text, tracers,	the change	callbacks, and the
 *		cells, filters, places of	lock, but for	loader is not asked
 *		code): the thread that has it	callbacks; who
 *		finds it as it is		visits sites;
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
 * So what is guarded is read under the modules lock or the engine lock, and
 * changed under both. Below the engine lock is only that of the list of threads
 * (quiesce.c).
 *
 * The loader holds its own lock around constructors and destructors of modules. A
 * callback may wait for that lock (dladdr, dlopen), and so may a handler that the
 * owner of the caller lock waits for. So constructors and destructors wait for no
 * lock but the modules lock, under which no thread waits for the loader:
 * - a destructor takes its module off the list under the modules lock. The owner
 *   of the change lock may be in a callback meanwhile. When it has the modules lock
 *   again, it leaves out modules that have gone (pb_module.gone): their text and
 *   records may be unmapped, their cells are kept.
 * - a constructor finds the change lock taken only while its owner is in a callback.
 *   It puts its module on a list then, and the owner registers these modules before it
 *   unlocks (pb_change_trylock()).
 *
 * fork() takes the engine lock, so that a child finds no batch half done, and no
 * other: the allocator has locks that fork() takes, too, before ours or after,
 * as chance has it. Whoever called malloc() under a lock that fork() takes would
 * sooner or later wait for a thread that waits for him. The same goes for all that
 * may call malloc(), or take a lock of whoever has replaced a function of the C
 * library: fopen(), qsort(), dl_iterate_phdr(). What system calls are made under
 * the engine lock are those that write text and make processors serialize
 * (pwrite(2) to memory, membarrier(2)). In builds
 * for debugging pb_may_allocate() checks it; test/runtime/under-lock.c does so in
 * all, by the functions of the C library.
 *
 * In the child nobody has the others, unless it is the thread that forked.
 * What was prepared and not put to use there is lost memory.
 *
 * With the change lock or one below it, signals are blocked, so that a signal
 * handler that forks or exits does not find it held by its own thread. A callback
 * runs with the signal mask of the thread that called the library. The owner of
 * any of the locks cannot be cancelled: open(), pwrite() and nanosleep() are
 * cancellation points, and a thread that ends there would keep the lock for ever.
 *
 * A thread that has one of them, but for the caller lock, may take it again: what
 * the library calls back may end in exit(), whose destructors unregister modules,
 * or fork.
 *
 * dl_iterate_phdr() takes another lock of the loader's, which the loader itself
 * holds only while it changes its list, so not around constructors and destructors.
 * It comes before the modules lock: a program may call the library within
 * dl_iterate_phdr().
 */
#ifndef PB_CORE_LOCK_H
#define PB_CORE_LOCK_H

#include <assert.h>
#include <stdint.h>

/*
 * -EDEADLK: this thread has it, or the next. -EBUSY: its owner has been in one callback
 * for as long as pb_wait_limit says.
 */
int pb_caller_lock(void);
int pb_caller_trylock(void); /* 0: taken */
void pb_caller_unlock(void);

/* patchbay_set_wait_limit(). */
extern unsigned int pb_wait_limit;

/* Both the change lock and the modules lock. */
void pb_change_lock(void);
void pb_change_unlock(void);

/*
 * Under the modules lock, which is held on: 0 if the thread has the change lock now.
 * Else -EBUSY: its owner calls @leave, with both locks, before it unlocks.
 */
int pb_change_trylock(void (*leave)(void));

void pb_modules_lock(void);
int pb_modules_trylock(void); /* 0: taken; -EBUSY. Async-signal-safe. */
void pb_modules_unlock(void);

/* Around a callback, by the owner of the change lock: without the modules lock. */
void pb_callback_begin(void);
void pb_callback_end(void);

/* Around a visitor, which is called without a lock. */
void pb_visit_begin(void);
void pb_visit_end(void);

/* Is this thread in a callback or a visitor, or does it have the change lock? */
int pb_is_called_back(void);

/* How often the engine lock was taken and given back: odd while it is held. */
extern uint64_t pb_engine_generation;

void pb_engine_lock(void);
void pb_engine_unlock(void);

/* Does this thread hold the engine lock? */
int pb_engine_is_locked(void);

/* Said where memory is allocated or freed, or a file is opened or closed. */
#define pb_may_allocate() assert(!pb_engine_is_locked())

#endif /* PB_CORE_LOCK_H */
