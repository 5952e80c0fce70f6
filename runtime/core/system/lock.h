/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The layer system/: locks, text, the operating system; without modules and tracers.
 *
 * Four locks, taken in this order:
 *
 *	lock	guards				held by		allowed under it
 *	----	------				-------		----------------
 *	caller	one caller at a time changes	arm, disarm	anything, including
 *		tracers				and similar	waiting for handlers
 *						calls, from
 *						begin to end
 *	change	one thread at a time plans	the same calls,	malloc(), files,
 *		and applies changes of		except while	callbacks of tracers;
 *		tracers, cells and filters	they wait for	no waiting for
 *						handlers;	handlers
 *						constructors of
 *						modules if it
 *						is free
 *	modules	the registry: modules, their	the owner of	malloc(), files; no
 *		records and text, tracers,	the change	callbacks, no calls
 *		cells, filters, places of	lock, except	of the loader
 *		code. The owner sees no		in callbacks;
 *		concurrent change		visits of sites;
 *						constructors
 *						and destructors
 *						of modules
 *	engine	the registry and the text:	a thread that	no malloc(), no free(),
 *		no thread sees, and fork()	changes either,	no open or close, no
 *		copies, a half-done change	during the	waiting for another
 *						change; fork();	thread
 *						queries of the
 *						state
 *
 * A thread reads guarded data under the modules lock or the engine lock, and changes
 * them under both. No lock nests inside the engine lock.
 *
 * The loader holds its own lock around constructors and destructors of modules. A
 * callback may wait for that lock (dladdr, dlopen). So may a handler that the owner of
 * the caller lock waits for. So constructors and destructors wait for no lock except
 * the modules lock, under which no thread waits for the loader:
 * - A destructor removes its module from the list under the modules lock. The owner of
 *   the change lock may be in a callback at that time. When the owner has the modules
 *   lock again, it skips modules that are gone (pb_module.gone): their text and records
 *   may be unmapped. Their cells are kept.
 * - A constructor finds the change lock taken only while its owner is in a callback.
 *   The constructor then puts its module on a list. The owner registers the modules of
 *   that list before it unlocks (pb_change_trylock()).
 *
 * fork() takes the engine lock, so that a child never sees a half-done batch. fork()
 * takes none of the other three. The allocator, too, has locks that fork() takes, in no
 * fixed order with ours. If a thread called malloc() under a lock that fork() takes, it
 * could deadlock with the forking thread. The same holds for any function that may call
 * malloc(), or that an interposed C library function may replace: fopen(), qsort(),
 * dl_iterate_phdr(). The only system calls under the engine lock write text and
 * serialize processors (pwrite(2) to memory, membarrier(2)). Debug builds check this by
 * pb_may_allocate(). test/runtime/fork/under-lock.c checks all builds, by wrapping functions
 * of the C library.
 *
 * In the child all other locks are free, except those that the forking thread holds.
 * The child leaks memory that another thread had prepared and not yet published.
 *
 * The change lock and the locks after it block signals. So a signal handler that forks
 * or exits never finds such a lock held by its own thread. A callback runs with the
 * signal mask of the thread that called the library. The owner of any lock cannot be
 * cancelled: open(), pwrite() and nanosleep() are cancellation points, and a thread
 * that ended there would keep the lock forever.
 *
 * A thread that holds the modules lock or the engine lock may take it again. A callback
 * may call exit(), whose destructors unregister modules, or fork().
 *
 * dl_iterate_phdr() takes a second lock of the loader. The loader holds that lock only
 * while it changes its list, not around constructors and destructors. It comes before the
 * modules lock: a program may call the library within dl_iterate_phdr().
 */
#pragma once

#include <assert.h>
#include <stdint.h>

/*
 * -EDEADLK: this thread holds the caller lock or the change lock, or is in a visitor.
 * -EBUSY: the owner has been in the same callback for at least pb_wait_limit.
 */
int pb_caller_lock(void);
int pb_caller_trylock(void); /* 0: taken */
void pb_caller_unlock(void);

/* patchbay_set_wait_limit(). */
extern unsigned int pb_wait_limit;

/* Take the change lock and the modules lock. */
void pb_change_lock(void);
void pb_change_unlock(void);

/*
 * Call this under the modules lock, which stays held. Returns 0 if the calling thread now has
 * the change lock. Returns -EBUSY if another thread has it: that thread calls @leave under
 * both locks before it unlocks.
 */
int pb_change_trylock(void (*leave)(void));

void pb_modules_lock(void);
int pb_modules_trylock(void); /* 0: taken; -EBUSY. Async-signal-safe. */
void pb_modules_unlock(void);

/*
 * The owner of the change lock calls these around a callback, which then runs without
 * the modules lock.
 */
void pb_callback_begin(void);
void pb_callback_end(void);

/* Call these around a visitor, which runs without a lock. */
void pb_visit_begin(void);
void pb_visit_end(void);

/* Is this thread in a callback or a visitor, or does it hold the change lock? */
int pb_is_called_back(void);

/* Counts locks and unlocks of the engine lock: odd while a thread holds it. */
extern uint64_t pb_engine_generation;

void pb_engine_lock(void);
void pb_engine_unlock(void);

int pb_engine_is_locked(void);

/* Asserted where the library allocates or frees memory, or opens or closes a file. */
#define pb_may_allocate() assert(!pb_engine_is_locked())

/*
 * Is this process a forked child? There the loader's lock of dl_iterate_phdr() may stay locked
 * for ever: another thread of the parent held it during fork().
 */
extern int pb_is_forked;
