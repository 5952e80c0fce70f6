/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lock.h"

#include "os/linux.h"
#include "text.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

/*
 * The caller lock is held while its thread waits for handlers, so with signals open.
 * A signal handler that comes at any moment, and calls the library or forks, has to
 * know whether its own thread has the lock. So that a thread takes it and that it
 * says so is one instruction, which pthread_mutex_lock() and a store are not.
 * @owner:    what is &change_depth there; NULL: nobody
 * @released: how often it was given back, for those who sleep
 * @cancel:   of the owner: what to restore
 */
static struct {
	const void *owner;
	uint32_t released;
	int cancel;
} caller;

/* A lock that its thread may take again, with signals blocked. */
struct lock {
	pthread_mutex_t mutex;
	int cancel;
	sigset_t signals;
};

static struct lock change = { .mutex = PTHREAD_MUTEX_INITIALIZER };
static struct lock engine = { .mutex = PTHREAD_MUTEX_INITIALIZER };

/* How often this thread has locked each. */
static __thread __attribute__((tls_model("initial-exec"))) unsigned int
	change_depth, engine_depth;

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

int pb_caller_lock(void)
{
	uint32_t released;
	int before;

	if (has_caller_lock() || change_depth)
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
		pb_os_sleep(&caller.released, released);
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
	/* A trap of strict mode that is blocked would kill the process. */
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

void pb_change_lock(void)
{
	/* The other way round would be the opposite order. */
	assert(change_depth || !engine_depth);
	/*
	 * Counted when it is taken, which blocks signals: a signal handler that
	 * came in between, and forks or exits, would think that we have it.
	 */
	if (!change_depth)
		take(&change);
	change_depth++;
}

void pb_change_unlock(void)
{
	if (!--change_depth)
		give_back(&change);
}

int pb_change_is_locked(void)
{
	return change_depth != 0;
}

void pb_engine_lock(void)
{
	if (engine_depth) {
		engine_depth++;
		return;
	}
	take(&engine);
	engine_depth = 1; /* not before; see pb_change_lock() */
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
	if (!change_depth)
		pthread_mutex_init(&change.mutex, NULL);
	pb_text_forget();
	pb_engine_unlock();
}

__attribute__((constructor(101))) static void lock_init(void)
{
	pthread_atfork(before_fork, pb_engine_unlock, forked_child);
}
