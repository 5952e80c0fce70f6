/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "system/lock.h"

#include "system/linux.h"
#include "system/text.h"

#include <patchbay/waiting.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

/*
 * A thread holds the caller lock while it waits for handlers, with signals unblocked.
 * A signal handler may interrupt it anywhere and call the library or fork(). The handler
 * must know whether its own thread holds the lock. So one instruction takes the lock and
 * records the owner; pthread_mutex_lock() and a store would be two steps.
 * @owner:     the owner's &change_depth; NULL: the lock is free
 * @released:  counts unlocks; waiting threads sleep on it (futex)
 * @callbacks: counts beginnings and ends of callbacks: odd while the owner of the change
 *             lock is in one
 * @cancel:    the owner's cancel state, to be restored at unlock
 */
static struct {
	const void *owner;
	uint32_t released;
	uint32_t callbacks;
	int cancel;
} caller;

unsigned int pb_wait_limit = PATCHBAY_WAIT_LIMIT;

/* The interval between two checks of a callback; the least time granted to one. */
#define LOOK_MS 100u
#define CALLBACK_MS 1000u

/* A recursive lock. Its owner has signals blocked. */
struct lock {
	pthread_mutex_t mutex;
	int cancel;
	sigset_t signals;
};

/*
 * The change lock. The modules lock guards these fields. The owner of the change lock
 * holds the modules lock, too, except around callbacks. So a constructor finds the change
 * lock taken only while the owner is in a callback.
 */
static struct {
	int is_taken;
	pthread_cond_t is_free;
	int cancel;
	sigset_t signals;
} change = { .is_free = PTHREAD_COND_INITIALIZER };

static struct lock modules = { .mutex = PTHREAD_MUTEX_INITIALIZER };
static struct lock engine = { .mutex = PTHREAD_MUTEX_INITIALIZER };

/* This thread's recursion depth of each lock; how many visitors it is in. */
static __thread __attribute__((tls_model("initial-exec"))) unsigned int
	change_depth, modules_depth, engine_depth, visit_depth;

/* The owner of the change lock calls this before it unlocks. Under the modules lock. */
static void (*left_for_owner)(void);

uint64_t pb_engine_generation;
int pb_is_forked;

static int disable_cancel(void)
{
	int before;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	return before;
}

static void restore_cancel(int before)
{
	pthread_setcancelstate(before, &before);
}

static int has_caller_lock(void)
{
	return __atomic_load_n(&caller.owner, __ATOMIC_RELAXED) == &change_depth;
}

static int take_caller_lock(int cancel)
{
	const void *none = NULL;

	if (!__atomic_compare_exchange_n(&caller.owner, &none, &change_depth, 0,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return 0;
	caller.cancel = cancel;
	return 1;
}

/*
 * Has the owner been in the same callback for too long? The callback may wait for the
 * loader's lock, which the calling thread holds if it is in a constructor. @since: for
 * how many milliseconds the value @seen has not changed.
 */
static int has_waited_long(uint32_t *seen, unsigned int *since)
{
	const uint32_t now = __atomic_load_n(&caller.callbacks, __ATOMIC_ACQUIRE);
	const unsigned int limit = __atomic_load_n(&pb_wait_limit, __ATOMIC_RELAXED);

	if (!(now & 1) || now != *seen) {
		*seen = now;
		*since = 0;
	}
	return limit != PATCHBAY_WAIT_FOREVER && *since >= CALLBACK_MS &&
	       *since >= limit;
}

int pb_caller_lock(void)
{
	uint32_t released, seen = 0;
	unsigned int since = 0;
	int before;

	if (has_caller_lock() || pb_is_called_back())
		return -EDEADLK;
	before = disable_cancel();
	for (;;) {
		/*
		 * Read `released` before trying the lock; unlock bumps it after
		 * clearing `owner`. If the owner unlocks in between, the futex
		 * value differs and this thread does not sleep.
		 */
		released = __atomic_load_n(&caller.released, __ATOMIC_ACQUIRE);
		if (take_caller_lock(before))
			return 0;
		if (has_waited_long(&seen, &since)) {
			restore_cancel(before);
			return -EBUSY;
		}
		if (pb_os_sleep(&caller.released, released, LOOK_MS))
			since += LOOK_MS;
	}
}

int pb_caller_trylock(void)
{
	int before = disable_cancel();

	if (take_caller_lock(before))
		return 0;
	restore_cancel(before);
	return -EBUSY;
}

void pb_caller_unlock(void)
{
	int before = caller.cancel;

	__atomic_store_n(&caller.owner, NULL, __ATOMIC_RELEASE);
	__atomic_fetch_add(&caller.released, 1, __ATOMIC_RELEASE);
	pb_os_wake(&caller.released);
	restore_cancel(before);
}

/*
 * A child that exits at once sends SIGCHLD while the forking thread still holds the
 * engine lock. If the program has no handler for SIGCHLD, the kernel discards it, unless
 * the thread blocks it. A blocked SIGCHLD would wake another thread for nothing, whose
 * epoll_wait(2) or similar call fails with EINTR (signal(7); sig_ignored() in Linux's
 * kernel/signal.c).
 */
static int is_handled(int signal)
{
	struct sigaction action;

	return sigaction(signal, NULL, &action) ||
	       (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

/*
 * Is this thread in fork()? Only then may the library call sigaction(2): a sandbox may
 * kill a process that calls it.
 */
static __thread __attribute__((tls_model("initial-exec"))) int is_forking;

static void block_signals(sigset_t *before)
{
	sigset_t all, trap;

	sigfillset(&all);
	/* A breakpoint or single step that meets a blocked SIGTRAP kills the process. */
	sigdelset(&all, SIGTRAP);
	if (is_forking && !is_handled(SIGCHLD))
		sigdelset(&all, SIGCHLD);
	/* A program that waits for SIGCHLD by signalfd(2) blocks it; it stays blocked. */
	pthread_sigmask(SIG_BLOCK, &all, before);
	if (sigismember(before, SIGTRAP)) {
		sigemptyset(&trap);
		sigaddset(&trap, SIGTRAP);
		pthread_sigmask(SIG_UNBLOCK, &trap, NULL);
	}
}

static int take(struct lock *lock, int wait)
{
	sigset_t before;
	int cancel = disable_cancel();

	block_signals(&before);
	if (wait) {
		pthread_mutex_lock(&lock->mutex);
	} else if (pthread_mutex_trylock(&lock->mutex)) {
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		restore_cancel(cancel);
		return -EBUSY;
	}
	lock->signals = before;
	lock->cancel = cancel;
	return 0;
}

static void give_back(struct lock *lock)
{
	sigset_t before = lock->signals;
	int cancel = lock->cancel;

	pthread_mutex_unlock(&lock->mutex);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	restore_cancel(cancel);
}

/*
 * The depth is counted after the lock is taken, with signals blocked. Otherwise a signal
 * handler that interrupted in between, and forks or exits, would believe that its thread
 * holds the lock.
 */
void pb_modules_lock(void)
{
	/* Taking the modules lock under the engine lock would invert the order. */
	assert(modules_depth || !engine_depth);
	if (!modules_depth)
		take(&modules, 1);
	modules_depth++;
}

int pb_modules_trylock(void)
{
	const int error = modules_depth ? 0 : take(&modules, 0);

	if (!error)
		modules_depth++;
	return error;
}

void pb_modules_unlock(void)
{
	if (!--modules_depth)
		give_back(&modules);
}

/*
 * Called under the modules lock. The change lock is released last, so it keeps the
 * signal mask and cancel state to restore.
 */
static void own_change(void)
{
	change.is_taken = 1;
	change.signals = modules.signals;
	change.cancel = modules.cancel;
	pthread_sigmask(SIG_BLOCK, NULL, &modules.signals);
	modules.cancel = PTHREAD_CANCEL_DISABLE;
}

/* Called under the modules lock, which other threads may take during the wait. */
static void wait_for_change(void)
{
	const sigset_t signals = modules.signals;
	const int cancel = modules.cancel;

	while (change.is_taken)
		pthread_cond_wait(&change.is_free, &modules.mutex);
	modules.signals = signals;
	modules.cancel = cancel;
}

void pb_change_lock(void)
{
	assert(change_depth || !modules_depth);
	pb_modules_lock();
	if (!change_depth) {
		wait_for_change();
		own_change();
	}
	change_depth++;
}

int pb_change_trylock(void (*leave)(void))
{
	assert(modules_depth == 1);
	if (change_depth || change.is_taken) {
		left_for_owner = leave;
		return -EBUSY;
	}
	own_change();
	change_depth = 1;
	return 0;
}

void pb_change_unlock(void)
{
	sigset_t before;
	int cancel;

	if (change_depth > 1) {
		pb_modules_unlock();
		change_depth--;
		return;
	}
	while (left_for_owner) {
		void (*left)(void) = left_for_owner;

		left_for_owner = NULL;
		left();
	}
	before = change.signals;
	cancel = change.cancel;
	change_depth = 0;
	change.is_taken = 0;
	pthread_cond_signal(&change.is_free);
	pb_modules_unlock();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	restore_cancel(cancel);
}

int pb_is_called_back(void)
{
	return change_depth || visit_depth;
}

void pb_callback_begin(void)
{
	assert(change_depth && modules_depth == 1 && !engine_depth);
	__atomic_fetch_add(&caller.callbacks, 1, __ATOMIC_RELEASE);
	modules_depth = 0;
	pthread_mutex_unlock(&modules.mutex);
	pthread_sigmask(SIG_SETMASK, &change.signals, NULL);
}

void pb_callback_end(void)
{
	__atomic_fetch_add(&caller.callbacks, 1, __ATOMIC_RELEASE);
	/* The callback may have changed the signal mask of its thread. */
	block_signals(&change.signals);
	pthread_mutex_lock(&modules.mutex);
	pthread_sigmask(SIG_BLOCK, NULL, &modules.signals);
	modules.cancel = PTHREAD_CANCEL_DISABLE;
	modules_depth = 1;
}

void pb_visit_begin(void)
{
	visit_depth++;
}

void pb_visit_end(void)
{
	visit_depth--;
}

void pb_engine_lock(void)
{
	if (engine_depth) {
		engine_depth++;
		return;
	}
	take(&engine, 1);
	engine_depth = 1; /* after take(); see pb_modules_lock() */
	/* As in a seqlock: odd before the first change, even after the last. */
	__atomic_store_n(&pb_engine_generation, pb_engine_generation + 1,
			 __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

void pb_engine_unlock(void)
{
	if (--engine_depth)
		return;
	__atomic_store_n(&pb_engine_generation, pb_engine_generation + 1,
			 __ATOMIC_RELEASE);
	give_back(&engine);
}

int pb_engine_is_locked(void)
{
	return engine_depth != 0;
}

static void before_fork(void)
{
	is_forking = !__atomic_load_n(&pb_os_restricted, __ATOMIC_RELAXED);
	pb_engine_lock();
	is_forking = 0;
}

/* The child has only this thread. Free the locks that other threads held. */
static void forked_child(void)
{
	if (!has_caller_lock())
		caller.owner = NULL;
	if (!change_depth) {
		caller.callbacks &= ~UINT32_C(1);
		change.is_taken = 0;
		pthread_cond_init(&change.is_free, NULL);
	}
	if (!modules_depth)
		pthread_mutex_init(&modules.mutex, NULL);
	pb_is_forked = 1;
	pb_text_forget();
	pb_engine_unlock();
}

__attribute__((constructor(101))) static void lock_init(void)
{
	pthread_atfork(before_fork, pb_engine_unlock, forked_child);
}
