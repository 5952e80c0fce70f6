/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "quiesce.h"

#include "left.h"
#include "private.h"
#include "stats.h"
#include "text.h"
#include "unlisted.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

#define load(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define store(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)

/* Of so many calls that come from within a handler one asks the kernel (left.h). */
#define OFTEN 64

__thread struct pb_thread pb_thread = { .outer.phase = PB_THREAD_NEW };
uint64_t pb_quiesce_phase = PB_PHASE_FIRST;

/*
 * Threads that have been in a trampoline. Pushing is lock-free, because it may
 * happen in a signal handler; unlinking and walking hold the list lock with
 * signals blocked.
 */
static struct pb_thread *threads;
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;

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
	/* Never put there: a signal handler left enlist() by siglongjmp(). */
	if (!self->link)
		return;
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
 * destructors) are marked elsewhere (unlisted.h).
 */
static void thread_exit(void *arg)
{
	struct pb_thread *self = arg;
	void (*also)(void) = load(&retire);
	sigset_t saved, blocked;

	block_signals(&saved);
	lock_list(&blocked);
	unlink_thread(self);
	store(&self->outer.phase, PB_THREAD_UNLISTED);
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

/* What leads from one thread to the next is right at any moment. */
static int is_listed(const struct pb_thread *thread)
{
	const struct pb_thread *t = load(&threads);

	while (t && t != thread)
		t = t->next;
	return t != NULL;
}

/*
 * Only the thread that forks lives on in the child. While it is put on the list it
 * may fork, too, in a signal handler: whether that had been done by then only the
 * list knows.
 */
static void forked_child(void)
{
	const uint64_t phase = pb_thread.outer.phase;
	const int listed = phase == PB_THREAD_UNLISTED ? is_listed(&pb_thread) :
							 phase != PB_THREAD_NEW;

	pthread_mutex_init(&list_lock, NULL);
	pb_unlisted_forked();
	threads = NULL;
	if (listed)
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
 * the sake of signal handlers that interrupt us. One that does so before has done
 * all this: a thread that is put there twice would be followed by itself. Without
 * a key nobody would take the thread off the list, so it stays unlisted.
 */
static void enlist(void)
{
	uint64_t phase = PB_THREAD_NEW;

	if (!__atomic_compare_exchange_n(&pb_thread.outer.phase, &phase,
					 PB_THREAD_UNLISTED, 0,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;
	pb_unlisted_begin_thread();
	if (!have_key || pthread_setspecific(key, &pb_thread))
		return;
	push(&pb_thread);
	store(&pb_thread.outer.phase, PB_THREAD_OUTSIDE);
}

/* The handler that the thread is in has gone: the thread is outside. */
static void forget_outer(void)
{
	pb_count(&pb_stats.left);
	store(&pb_thread.outer.phase, PB_THREAD_OUTSIDE);
	store(&pb_thread.outer.frame, 0);
}

/*
 * So has the one that had @mark. Not by a plain store: a signal handler may have
 * found out the same, and somebody have taken the mark since.
 */
static void forget_inner(struct pb_mark *mark, uintptr_t frame)
{
	if (__atomic_compare_exchange_n(&mark->frame, &frame, 0, 0,
					__ATOMIC_RELEASE, __ATOMIC_RELAXED))
		pb_count(&pb_stats.left);
}

/*
 * Forget handlers that were left, and tell whether the thread is in one. Of the
 * outer one nobody asks as long as there are others: whoever they call is not
 * called from outside.
 */
static int is_inside_still(pb_has_left has_left, uintptr_t from, uintptr_t to)
{
	int inside = 0;

	for (int i = 0; i <= PB_NESTED_MAX; i++) {
		struct pb_mark *mark = &pb_thread.inner[i];
		uintptr_t frame = load(&mark->frame);

		if (frame && has_left(frame, from, to))
			forget_inner(mark, frame);
		else if (frame)
			inside = 1;
	}
	if (inside)
		return 1;
	/* A frame that is not known is not asked about; see struct pb_thread. */
	if (pb_thread.outer.phase >= PB_PHASE_FIRST && pb_thread.outer.frame &&
	    has_left(pb_thread.outer.frame, from, to))
		forget_outer();
	return pb_thread.outer.phase >= PB_PHASE_FIRST;
}

static int has_left_as_seen(uintptr_t frame, uintptr_t from, uintptr_t to)
{
	return pb_left_is_reused(&pb_thread, frame, from, to) ||
	       ((pb_thread.nested + 1) % OFTEN == 0 &&
		pb_left_is_gone(&pb_thread, frame));
}

static int has_left_surely(uintptr_t frame, uintptr_t from, uintptr_t to)
{
	(void)from;
	return pb_left_is_surely_gone(&pb_thread, frame, to);
}

/*
 * Take one of the inner marks, if there is one. The phase is loaded when it has
 * been taken, and whoever calls us loads slot and cell later than both stores: so
 * after the barrier of pb_quiesce_begin() this thread has either made both
 * visible, or will find what was stored before it. It is the same as with the
 * outer mark, and for this kind of waiting it is enough: no processor has to be
 * kept from loading the cell before the stores are seen by others.
 */
static struct pb_mark *mark_inner(const struct patchbay_regs *frame)
{
	/* First: who waits looks at none as long as this is 0. */
	store(&pb_thread.nested, pb_thread.nested + 1);
	for (int i = 0; i <= PB_NESTED_MAX; i++) {
		struct pb_mark *mark = &pb_thread.inner[i];
		uintptr_t none = 0;

		if (!__atomic_compare_exchange_n(&mark->frame, &none,
						 (uintptr_t)frame, 0,
						 __ATOMIC_ACQ_REL,
						 __ATOMIC_RELAXED))
			continue;
		store(&mark->phase, load(&pb_quiesce_phase));
		return mark;
	}
	return NULL;
}

/*
 * Who finds no mark, since somebody who was too deep was interrupted while he counted,
 * counts, too: one of the marks that are for all threads keeps the tracers there.
 */
static uint64_t enter_too_deep(const struct patchbay_regs *frame, uintptr_t from,
			       uintptr_t to, enum pb_nesting *nesting)
{
	*nesting = PB_NESTING_TOO_DEEP;
	pb_unlisted_is_inside(has_left_as_seen, from, to);
	return (uintptr_t)pb_unlisted_enter((uintptr_t)frame) |
	       PB_THREAD_UNLISTED;
}

static uint64_t enter_inner(const struct patchbay_regs *frame, uintptr_t from,
			    uintptr_t to, enum pb_nesting *nesting)
{
	struct pb_mark *mark = mark_inner(frame);

	if (!mark)
		return enter_too_deep(frame, from, to, nesting);
	*nesting = mark == &pb_thread.inner[PB_NESTED_MAX] ?
			   PB_NESTING_TOO_DEEP :
			   PB_NESTING_NESTED;
	return (uintptr_t)mark;
}

/* A call of a thread that is not on the list. Its marks are in no thread's storage. */
static uint64_t enter_unlisted(const struct patchbay_regs *frame, uintptr_t from,
			       uintptr_t to, enum pb_nesting *nesting)
{
	if (pb_unlisted_is_inside(has_left_as_seen, from, to)) {
		store(&pb_thread.nested, pb_thread.nested + 1);
		*nesting = PB_NESTING_NESTED;
	}
	return (uintptr_t)pb_unlisted_enter((uintptr_t)frame) |
	       PB_THREAD_UNLISTED;
}

/* Not inlined: what is below its frame address is not looked at. */
__attribute__((noinline)) uint64_t
pb_thread_enter(const struct patchbay_regs *frame, const void *end,
		enum pb_nesting *nesting)
{
	const uintptr_t from = (uintptr_t)__builtin_frame_address(0);
	const uintptr_t to = (uintptr_t)end;
	uint64_t token;

	if (pb_thread.outer.phase == PB_THREAD_NEW)
		enlist();
	if (pb_thread.outer.phase >= PB_PHASE_FIRST)
		is_inside_still(has_left_as_seen, from, to);
	token = pb_thread.outer.phase;
	*nesting = PB_NESTING_FREE;
	if (token == PB_THREAD_UNLISTED) {
		token = enter_unlisted(frame, from, to, nesting);
	} else if (token == PB_THREAD_OUTSIDE) {
		store(&pb_thread.outer.frame, (uintptr_t)frame);
		store(&pb_thread.outer.phase, load(&pb_quiesce_phase));
	} else {
		token = enter_inner(frame, from, to, nesting);
	}
	/*
	 * The mark comes before the load of slot and cell, in the order of the
	 * program: that is what the barrier of pb_quiesce_begin() relies on.
	 */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return token;
}

void pb_thread_leave(uint64_t token)
{
	if (token & PB_THREAD_UNLISTED) {
		pb_unlisted_leave((struct pb_unlisted *)(uintptr_t)(
			token & ~(uint64_t)PB_THREAD_UNLISTED));
	} else if (token == PB_THREAD_OUTSIDE) {
		store(&pb_thread.outer.phase, token);
		store(&pb_thread.outer.frame, 0);
	} else {
		/* A release: what the handler did is over before this is seen. */
		store(&((struct pb_mark *)(uintptr_t)token)->frame, 0);
	}
}

int pb_thread_inside_below(const void *frame)
{
	return is_inside_still(has_left_surely, 0, (uintptr_t)frame) |
	       pb_unlisted_is_inside(has_left_surely, 0, (uintptr_t)frame);
}

size_t pb_thread_frames(uintptr_t frames[PB_FRAMES_MAX])
{
	size_t nr = 0;

	if (pb_thread.outer.phase >= PB_PHASE_FIRST && pb_thread.outer.frame)
		frames[nr++] = pb_thread.outer.frame;
	for (int i = 0; i <= PB_NESTED_MAX; i++) {
		frames[nr] = load(&pb_thread.inner[i].frame);
		nr += frames[nr] != 0;
	}
	return nr + pb_unlisted_frames(&frames[nr], PB_FRAMES_MAX - nr);
}

void pb_thread_forget(uintptr_t frame)
{
	pb_unlisted_forget(frame);
	for (int i = 0; i <= PB_NESTED_MAX; i++)
		if (load(&pb_thread.inner[i].frame) == frame)
			forget_inner(&pb_thread.inner[i], frame);
	if (pb_thread.outer.phase >= PB_PHASE_FIRST &&
	    pb_thread.outer.frame == frame)
		forget_outer();
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

/* Has who had @frame gone, as far as we ask? 0 is a frame that is not known. */
static int is_gone(const struct pb_thread *thread, uintptr_t frame, int closely)
{
	return closely && frame && pb_left_is_gone(thread, frame);
}

/*
 * Since which phase has @thread been in a handler that was running at @phase? @phase:
 * it is in none. Without looking @closely one that was left is taken for running.
 *
 * A handler that has been running all the time since @phase was read has the frame
 * that is read here, or 0. If the frame has gone, so has the handler; another one
 * that has the mark by now is not waited for. Each mark is for itself: that the
 * frame of the outer one has gone says nothing of the others.
 */
static uint64_t inside_since(const struct pb_thread *thread, uint64_t phase,
			     int closely)
{
	uint64_t seen = load(&thread->outer.phase);
	uint64_t since = phase;

	if (seen >= PB_PHASE_FIRST && seen < since &&
	    !is_gone(thread, load(&thread->outer.frame), closely))
		since = seen;
	if (!load(&thread->nested))
		return since;
	for (int i = 0; i <= PB_NESTED_MAX; i++) {
		uintptr_t frame = load(&thread->inner[i].frame);

		if (!frame)
			continue;
		seen = load(&thread->inner[i].phase);
		if (seen < since && !is_gone(thread, frame, closely))
			since = seen;
	}
	return since;
}

uint64_t pb_quiesce_until(uint64_t phase, int closely)
{
	uint64_t until = pb_unlisted_until(phase, closely);
	sigset_t saved;

	lock_list(&saved);
	for (const struct pb_thread *t = load(&threads); t && until; t = t->next)
		until = inside_since(t, until, closely);
	unlock_list(&saved);
	return until;
}

int pb_quiesce_over(uint64_t phase)
{
	return pb_quiesce_until(phase, 0) == phase;
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

	*over = pb_unlisted_until(phase, 1) == phase;
	lock_list(&saved);
	for (const struct pb_thread *t = load(&threads); t && !number;
	     t = t->next) {
		if (inside_since(t, phase, 1) == phase)
			continue;
		*over = 0;
		number = number_of(t);
	}
	unlock_list(&saved);
	return number;
}
