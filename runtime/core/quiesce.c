/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "quiesce.h"

#include "left.h"
#include "private.h"
#include "stats.h"
#include "text.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

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

	self->link = NULL;
	do {
		self->next = head;
	} while (!__atomic_compare_exchange_n(&threads, &head, self, 0,
					      __ATOMIC_RELEASE,
					      __ATOMIC_ACQUIRE));
}

/*
 * Who pushes cannot tell the one behind what leads to it now. So it is told here, of
 * all that were pushed since the last time: once for each thread, however many there
 * are. With the list lock held.
 */
static void link_back(void)
{
	struct pb_thread **link = &threads, *t = load(&threads);

	for (; t && !t->link; t = t->next) {
		t->link = link;
		link = &t->next;
	}
	/* The first that was known already may not be the first any more. */
	if (t)
		t->link = link;
}

static void unlink_thread(struct pb_thread *self)
{
	struct pb_thread *head = self;

	link_back();
	if (self->link != &threads ||
	    !__atomic_compare_exchange_n(&threads, &head, self->next, 0,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		/* Another one may have been pushed before it. */
		link_back();
		*self->link = self->next;
	}
	if (self->next)
		self->next->link = self->link;
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

/* The handler that the thread is in has gone: the thread is outside. */
static void forget_handler(void)
{
	pb_count(&pb_stats.left);
	store(&pb_thread.phase, PB_THREAD_OUTSIDE);
	store(&pb_thread.frame, 0);
}

/* Does the calling thread go on somewhere else than in its handler? */
static int has_left(const struct patchbay_regs *frame)
{
	return pb_left_is_reused(&pb_thread,
				 (uintptr_t)__builtin_frame_address(0),
				 (uintptr_t)(frame + 1));
}

/* Not inlined: what is below its frame address is not looked at. */
__attribute__((noinline)) uint64_t
pb_thread_enter(const struct patchbay_regs *frame, int *nested)
{
	uint64_t token;

	if (pb_thread.phase == PB_THREAD_NEW)
		enlist();
	if (pb_thread.phase >= PB_PHASE_FIRST && has_left(frame))
		forget_handler();
	token = pb_thread.phase;
	if (token == PB_THREAD_UNLISTED) {
		*nested = pb_thread.depth++ != 0;
		__atomic_fetch_add(&unlisted, 1, __ATOMIC_SEQ_CST);
	} else if (token == PB_THREAD_OUTSIDE) {
		*nested = 0;
		store(&pb_thread.frame, (uintptr_t)frame);
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
	} else if (token == PB_THREAD_OUTSIDE) {
		store(&pb_thread.phase, token);
		store(&pb_thread.frame, 0);
	}
}

int pb_thread_inside_below(const void *frame)
{
	if (pb_thread.phase >= PB_PHASE_FIRST &&
	    pb_left_is_surely_gone(&pb_thread, (uintptr_t)frame))
		forget_handler();
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

/*
 * The kernel's number of the thread that @thread is of, by its clock, of which it
 * is a part: see CPUCLOCK_PID() in Linux. What a thread has in thread-local
 * storage is as far from its pthread_t in each.
 */
static int number_of(const struct pb_thread *thread)
{
	uintptr_t self = (uintptr_t)pthread_self() +
			 ((uintptr_t)thread - (uintptr_t)&pb_thread);
	clockid_t clock;

	if (pthread_getcpuclockid((pthread_t)self, &clock))
		return 0;
	return ~(clock >> 3);
}

int pb_quiesce_thread(uint64_t phase, int *over)
{
	int number = 0;
	sigset_t saved;

	*over = load(&unlisted) == 0;
	lock_list(&saved);
	for (const struct pb_thread *t = load(&threads); t && !number;
	     t = t->next) {
		uint64_t seen = load(&t->phase);
		uintptr_t frame;

		if (seen < PB_PHASE_FIRST || seen >= phase)
			continue;
		/*
		 * A handler that has been running all the time since @phase was
		 * read has this frame, or 0. If the frame has gone, so has the
		 * handler; another one of this thread is not waited for.
		 */
		frame = load(&t->frame);
		if (frame && pb_left_is_gone(t, frame))
			continue;
		*over = 0;
		number = number_of(t);
	}
	unlock_list(&saved);
	return number;
}
