/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "quiesce.h"

#include "private.h"
#include "text.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

#define PATIENCE 64 /* polls, about 20 microseconds */

#define load(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define store(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)

__thread struct pb_thread pb_thread = { .phase = PB_THREAD_NEW };
uint64_t pb_quiesce_phase = PB_PHASE_FIRST;

/*
 * Threads that have been in a trampoline. Pushing is lock-free, because it may
 * happen in a signal handler; unlinking and walking hold the list lock with
 * signals blocked.
 */
static struct pb_thread *threads;
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;

/* Handlers entered by threads that are not on the list. */
static uint64_t unlisted;

/*
 * glibc and musl keep the values of a thread's first keys in the thread itself,
 * so that pthread_setspecific() only stores, as it must in a signal handler.
 * For other keys glibc allocates; we do without one of those.
 */
#define KEYS_INLINE 32

static pthread_key_t key;
static int have_key;

/* Of libpatchbay-trace, or NULL. */
static void (*retire)(void);

static void block_signals(sigset_t *saved)
{
	sigset_t all;

	sigfillset(&all);
	/* Not a trap of strict mode: whoever wraps mutexes may be traced. */
	sigdelset(&all, SIGTRAP);
	pthread_sigmask(SIG_SETMASK, &all, saved);
}

static void lock_list(sigset_t *saved)
{
	block_signals(saved);
	pthread_mutex_lock(&list_lock);
}

static void unlock_list(const sigset_t *saved)
{
	pthread_mutex_unlock(&list_lock);
	pthread_sigmask(SIG_SETMASK, saved, NULL);
}

static void push(struct pb_thread *self)
{
	struct pb_thread *head = load(&threads);

	do {
		self->next = head;
	} while (!__atomic_compare_exchange_n(&threads, &head, self, 0,
					      __ATOMIC_RELEASE,
					      __ATOMIC_ACQUIRE));
}

static void unlink_thread(struct pb_thread *self)
{
	struct pb_thread *head = self;
	struct pb_thread *before;

	if (__atomic_compare_exchange_n(&threads, &head, self->next, 0,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return;
	for (before = head; before->next != self; before = before->next)
		;
	before->next = self->next;
}

/*
 * A thread's storage is about to go. Calls that it makes from here on (other
 * destructors) are counted in `unlisted` instead.
 */
static void thread_exit(void *arg)
{
	struct pb_thread *self = arg;
	void (*also)(void) = load(&retire);
	sigset_t saved, blocked;

	block_signals(&saved);
	lock_list(&blocked);
	unlink_thread(self);
	store(&self->phase, PB_THREAD_UNLISTED);
	unlock_list(&blocked);
	if (also)
		also();
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
}

int pb_private_at_thread_exit(void (*func)(void))
{
	void (*none)(void) = NULL;

	pb_quiesce_init();
	if (!have_key)
		return -EAGAIN;
	return __atomic_compare_exchange_n(&retire, &none, func, 0,
					   __ATOMIC_RELEASE, __ATOMIC_RELAXED) ?
		       0 :
		       -EBUSY;
}

/* Only the thread that forks lives on in the child. */
static void forked_child(void)
{
	pthread_mutex_init(&list_lock, NULL);
	unlisted = pb_thread.depth;
	threads = NULL;
	if (pb_thread.phase != PB_THREAD_NEW &&
	    pb_thread.phase != PB_THREAD_UNLISTED)
		push(&pb_thread);
}

static void init(void)
{
	have_key = !pthread_key_create(&key, thread_exit) && key < KEYS_INLINE;
	pthread_atfork(NULL, NULL, forked_child);
}

void pb_quiesce_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, init);
}

/*
 * Put this thread on the list. It counts as unlisted until it is there, for
 * the sake of signal handlers that interrupt us. Without a key nobody would
 * take the thread off the list, so it stays unlisted.
 */
static void enlist(void)
{
	store(&pb_thread.phase, PB_THREAD_UNLISTED);
	if (!have_key || pthread_setspecific(key, &pb_thread))
		return;
	push(&pb_thread);
	store(&pb_thread.phase, PB_THREAD_OUTSIDE);
}

/* PB_THREAD_CALLED: a signal handler has interrupted the rest of a trampoline. */
static int is_outside(uint64_t phase)
{
	return phase == PB_THREAD_OUTSIDE || phase == (uint64_t)PB_THREAD_CALLED;
}

uint64_t pb_thread_enter(int *nested)
{
	uint64_t token;

	if (pb_thread.phase == PB_THREAD_NEW)
		enlist();
	token = pb_thread.phase;
	if (token == PB_THREAD_UNLISTED) {
		*nested = pb_thread.depth++ != 0;
		__atomic_fetch_add(&unlisted, 1, __ATOMIC_SEQ_CST);
	} else if (is_outside(token)) {
		*nested = 0;
		store(&pb_thread.phase, load(&pb_quiesce_phase));
	} else {
		*nested = 1;
	}
	return token;
}

void pb_thread_leave(uint64_t token)
{
	if (token == PB_THREAD_UNLISTED) {
		__atomic_fetch_sub(&unlisted, 1, __ATOMIC_SEQ_CST);
		pb_thread.depth--;
	} else if (is_outside(token)) {
		store(&pb_thread.phase, token);
	}
}

int pb_thread_inside(void)
{
	return pb_thread.phase >= PB_PHASE_FIRST || pb_thread.depth;
}

int pb_quiesce_begin(uint64_t *phase)
{
	/*
	 * Pairs with the trampolines' plain loads and stores: after this every
	 * thread has either made its mark visible, or will read its slot and
	 * cell after what our caller stored. The phase moves afterwards: weakly
	 * ordered processors may load slot and cell before it, so who finds the
	 * new phase must be known to find the new cell, too.
	 */
	int error = pb_sync_core();

	if (!error)
		*phase = __atomic_add_fetch(&pb_quiesce_phase, 1,
					    __ATOMIC_SEQ_CST);
	return error;
}

int pb_quiesce_over(uint64_t phase)
{
	int found = load(&unlisted) != 0;
	sigset_t saved;

	lock_list(&saved);
	for (const struct pb_thread *t = load(&threads); t && !found;
	     t = t->next) {
		uint64_t seen = load(&t->phase);

		found = seen >= PB_PHASE_FIRST && seen < phase;
	}
	unlock_list(&saved);
	return !found;
}

int pb_quiesce(void)
{
	const struct timespec pause = { .tv_nsec = 20000 };
	uint64_t phase;
	int error;

	if (pb_thread_inside())
		return -EDEADLK;
	error = pb_quiesce_begin(&phase);
	if (error)
		return error;
	/* Most handlers are over at once; a few need their processor back. */
	for (int polls = 0; !pb_quiesce_over(phase); polls++)
		if (polls >= PATIENCE)
			nanosleep(&pause, NULL);
	return 0;
}
