/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lock.h"

#include "text.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static pthread_mutex_t caller = PTHREAD_MUTEX_INITIALIZER;

/* A lock that its thread may take again, with signals blocked. */
struct lock {
	pthread_mutex_t mutex;
	int cancel;
	sigset_t signals;
};

static struct lock change = { .mutex = PTHREAD_MUTEX_INITIALIZER };
static struct lock engine = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static int caller_cancel;

/* How often this thread has locked each. */
static __thread __attribute__((tls_model("initial-exec"))) unsigned int
	caller_depth, change_depth, engine_depth;

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

int pb_caller_lock(void)
{
	int before;

	if (caller_depth || change_depth)
		return -EDEADLK;
	before = disable_cancel();
	pthread_mutex_lock(&caller);
	caller_depth = 1;
	caller_cancel = before;
	return 0;
}

int pb_caller_trylock(void)
{
	int before = disable_cancel();
	int error = pthread_mutex_trylock(&caller);

	if (error) {
		restore_cancel(before);
		return error;
	}
	caller_depth = 1;
	caller_cancel = before;
	return 0;
}

void pb_caller_unlock(void)
{
	int before = caller_cancel;

	caller_depth = 0;
	pthread_mutex_unlock(&caller);
	restore_cancel(before);
}

static void take(struct lock *lock)
{
	sigset_t all, before;
	int cancel = disable_cancel();

	sigfillset(&all);
	/* A trap of strict mode that is blocked would kill the process. */
	sigdelset(&all, SIGTRAP);
	pthread_sigmask(SIG_SETMASK, &all, &before);
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

/* Who held a lock, if it was not us, does not exist in the child. */
static void forked_child(void)
{
	if (!caller_depth)
		pthread_mutex_init(&caller, NULL);
	if (!change_depth)
		pthread_mutex_init(&change.mutex, NULL);
	pb_text_forget();
	pb_engine_unlock();
}

__attribute__((constructor(101))) static void lock_init(void)
{
	pthread_atfork(pb_engine_lock, pb_engine_unlock, forked_child);
}
