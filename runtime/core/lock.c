/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lock.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static pthread_mutex_t caller = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t engine = PTHREAD_MUTEX_INITIALIZER;

/* Of the threads that hold the locks. */
static int caller_cancel, engine_cancel;
static sigset_t saved;

/* How often this thread has locked each. */
static __thread __attribute__((tls_model("initial-exec"))) unsigned int
	caller_depth, engine_depth;

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

	if (caller_depth)
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

void pb_engine_lock(void)
{
	sigset_t all, before;
	int cancel;

	if (engine_depth++)
		return;
	cancel = disable_cancel();
	sigfillset(&all);
	/* A trap of strict mode that is blocked would kill the process. */
	sigdelset(&all, SIGTRAP);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_mutex_lock(&engine);
	/* Like a seqlock's: odd before anything changes, even when all has. */
	__atomic_store_n(&pb_engine_generation, pb_engine_generation + 1,
			 __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	saved = before;
	engine_cancel = cancel;
}

void pb_engine_unlock(void)
{
	sigset_t before = saved;
	int cancel = engine_cancel;

	if (--engine_depth)
		return;
	__atomic_store_n(&pb_engine_generation, pb_engine_generation + 1,
			 __ATOMIC_RELEASE);
	pthread_mutex_unlock(&engine);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	restore_cancel(cancel);
}

/* Who held the caller lock, if it was not us, does not exist in the child. */
static void forked_child(void)
{
	if (!caller_depth)
		pthread_mutex_init(&caller, NULL);
	pb_engine_unlock();
}

__attribute__((constructor(101))) static void lock_init(void)
{
	pthread_atfork(pb_engine_lock, pb_engine_unlock, forked_child);
}
