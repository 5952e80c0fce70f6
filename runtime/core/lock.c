/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lock.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static pthread_mutex_t caller = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t engine = PTHREAD_MUTEX_INITIALIZER;

/* Of the thread that holds the engine lock. */
static sigset_t saved;

void pb_caller_lock(void)
{
	pthread_mutex_lock(&caller);
}

int pb_caller_trylock(void)
{
	return pthread_mutex_trylock(&caller);
}

void pb_caller_unlock(void)
{
	pthread_mutex_unlock(&caller);
}

void pb_engine_lock(void)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_mutex_lock(&engine);
	saved = before;
}

void pb_engine_unlock(void)
{
	sigset_t before = saved;

	pthread_mutex_unlock(&engine);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Who held the caller lock, if it was not us, does not exist in the child. */
static void forked_child(void)
{
	pthread_mutex_init(&caller, NULL);
	pb_engine_unlock();
}

__attribute__((constructor(101))) static void lock_init(void)
{
	pthread_atfork(pb_engine_lock, pb_engine_unlock, forked_child);
}
