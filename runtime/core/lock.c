/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lock.h"

#include "os/linux.h"
#include "text.h"

#include <patchbay/waiting.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

/*
 * The caller lock is held while its thread waits for handlers, so with signals open.
 * A signal handler that comes at any moment, and calls the library or forks, has to
 * know whether its own thread has the lock. So that a thread takes it and that it
 * says so is one instruction, which pthread_mutex_lock() and a store are not.
 * @owner:     what is &change_depth there; NULL: no thread has it
 * @released:  how often it was given back, for threads that sleep until it is
 * @callbacks: counts up where a callback begins, and where it ends: odd while the owner
 *             of the change lock is in one
 * @cancel:    of the owner: what to restore
 */
static struct {
	const void *owner;
	uint32_t released;
	uint32_t callbacks;
	int cancel;
} caller;

unsigned int pb_wait_limit = PATCHBAY_WAIT_LIMIT;

/* Between two looks at a callback; and how long one may take at least. */
#define LOOK_MS 100u
#define CALLBACK_MS 1000u

/* A lock that its thread may take again, with signals blocked. */
struct lock {
	pthread_mutex_t mutex;
	int cancel;
	sigset_t signals;
};

/*
 * The change lock. Under the modules lock, which its owner holds too, except around
 * callbacks: so a constructor finds it taken only while the owner is in a callback.
 */
static struct {
	int is_taken;
	pthread_cond_t is_free;
	int cancel;
	sigset_t signals;
} change = { .is_free = PTHREAD_COND_INITIALIZER };

static struct lock modules = { .mutex = PTHREAD_MUTEX_INITIALIZER };
static struct lock engine = { .mutex = PTHREAD_MUTEX_INITIALIZER };

/* How often this thread has locked each; how many visitors it is in. */
static __thread __attribute__((tls_model("initial-exec"))) unsigned int
	change_depth, modules_depth, engine_depth, visit_depth;

/* Under the modules lock: what the owner of the change lock does before it unlocks. */
static void (*left_for_owner)(void);

uint64_t pb_engine_generation;

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
	const void *nobody = NULL;

	if (!__atomic_compare_exchange_n(&caller.owner, &nobody, &change_depth, 0,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return 0;
	caller.cancel = cancel;
	return 1;
}

/*
 * A callback that has not ended for long may wait for what the calling thread has: the
 * loader's lock, if that is in a constructor. @since: how long @seen has been seen.
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
		 * It is looked at before the owner, and changed after the owner:
		 * who finds one in vain finds here whether he has gone since.
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
 * A child that ends at once does so while its parent's thread forks, with this lock. Its
 * SIGCHLD is thrown away if nobody handles that, as most programs have it, but not where
 * the thread blocks it: then it wakes another thread for nothing, whose epoll_wait(2), or
 * what else it waits in, fails with EINTR (signal(7); sig_ignored() of Linux's
 * kernel/signal.c).
 */
static int is_handled(int signal)
{
	struct sigaction action;

	return sigaction(signal, NULL, &action) ||
	       (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

/* Of this thread. Nothing else asks for an action: a sandbox may end who does. */
static __thread __attribute__((tls_model("initial-exec"))) int is_forking;

static void block_signals(sigset_t *before)
{
	sigset_t all, trap;

	sigfillset(&all);
	/* A breakpoint or single step that meets a blocked SIGTRAP kills the process. */
	sigdelset(&all, SIGTRAP);
	if (is_forking && !is_handled(SIGCHLD))
		sigdelset(&all, SIGCHLD);
	/* Who waits for SIGCHLD, as by signalfd(2), has it blocked, and it stays so. */
	pthread_sigmask(SIG_BLOCK, &all, before);
	if (sigismember(before, SIGTRAP)) {
		sigemptyset(&trap);
		sigaddset(&trap, SIGTRAP);
		pthread_sigmask(SIG_UNBLOCK, &trap, NULL);
	}
}

static int try_to_take(struct lock *lock)
{
	sigset_t before;
	int cancel = disable_cancel();

	block_signals(&before);
	if (pthread_mutex_trylock(&lock->mutex)) {
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		restore_cancel(cancel);
		return -EBUSY;
	}
	lock->signals = before;
	lock->cancel = cancel;
	return 0;
}

static void take(struct lock *lock)
{
	sigset_t before;
	int cancel = disable_cancel();

	block_signals(&before);
	pthread_mutex_lock(&lock->mutex);
	lock->signals = before;
	lock->cancel = cancel;
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
 * A lock is counted when it is taken, which blocks signals: a signal handler that
 * came in between, and forks or exits, would think that its thread has the lock.
 */
void pb_modules_lock(void)
{
	/* The other way round would be the opposite order. */
	assert(modules_depth || !engine_depth);
	if (!modules_depth)
		take(&modules);
	modules_depth++;
}

int pb_modules_trylock(void)
{
	const int error = modules_depth ? 0 : try_to_take(&modules);

	if (!error)
		modules_depth++;
	return error;
}

void pb_modules_unlock(void)
{
	if (!--modules_depth)
		give_back(&modules);
}

/* With the modules lock. The change lock is given back later: the signals are its own. */
static void own_change(void)
{
	change.is_taken = 1;
	change.signals = modules.signals;
	change.cancel = modules.cancel;
	pthread_sigmask(SIG_BLOCK, NULL, &modules.signals);
	modules.cancel = PTHREAD_CANCEL_DISABLE;
}

/* With the modules lock, which other threads may take meanwhile. */
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
	/* The callback may have changed the mask, which is its thread's. */
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
	take(&engine);
	engine_depth = 1; /* not before; see pb_modules_lock() */
	/* Like a seqlock's: odd before anything changes, even when all has. */
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

/* Who held a lock, if it was not us, does not exist in the child. */
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
	pb_text_forget();
	pb_engine_unlock();
}

__attribute__((constructor(101))) static void lock_init(void)
{
	pthread_atfork(before_fork, pb_engine_unlock, forked_child);
}
