/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Two locks, taken in this order:
 *
 * The caller lock is held by arm, disarm and alike from beginning to end, also
 * while they wait for handlers to return. Constructors of modules do not take
 * it, because the loader's own lock is held around them and a handler may be
 * waiting for that (dladdr); nor does fork().
 *
 * The engine lock protects what there is: modules, tracers, cells, text. It is
 * held for short times, with signals blocked, so that a signal handler that
 * forks does not find it held by its own thread. It is never held while waiting
 * for a handler. fork() takes it, so that a child finds no batch half done.
 *
 * Who holds either cannot be cancelled: open(), pwrite() and nanosleep() are
 * cancellation points, and a thread that ends there would keep the lock for ever.
 *
 * A thread that has it may take it again: what the library calls back
 * (@attach, @visit) may end in exit(), whose destructors unregister modules,
 * or fork.
 *
 * Within it an update of static calls takes the lock of dl_iterate_phdr(). The
 * loader holds that one only while it changes its list, so not around
 * constructors and destructors, which take the engine lock.
 */
#ifndef PB_CORE_LOCK_H
#define PB_CORE_LOCK_H

#include <stdint.h>

int pb_caller_lock(void);    /* -EDEADLK: this thread has it */
int pb_caller_trylock(void); /* 0: taken */
void pb_caller_unlock(void);

/* How often the engine lock was taken and given back: odd while it is held. */
extern uint64_t pb_engine_generation;

void pb_engine_lock(void);
void pb_engine_unlock(void);

#endif /* PB_CORE_LOCK_H */
