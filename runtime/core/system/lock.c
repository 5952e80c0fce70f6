/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "system/lock.h"

#include "system/linux.h"
#include "system/stats.h"
#include "system/text.h"

#include <patchbay/waiting.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

/*
 * A thread holds the caller lock while it waits for handlers, with signals unblocked. A
 * signal handler may interrupt the thread anywhere, and call the library or fork(). The handler
 * must know whether its own thread holds the lock. So one instruction takes the lock and records
 * the owner. pthread_mutex_lock() followed by a store would be two steps.
 * @owner:     the owner's &owns_change; NULL: the lock is free
 * @released:  counts unlocks; waiting threads sleep on it (futex)
 * @callbacks: counts beginnings and ends of callbacks: odd while the owner of the change
 *             lock is in one
 * @cancel:    the owner's cancel state, which unlock restores
 */
static struct {
	const void *owner;
	uint32_t released;
	uint32_t callbacks;
	int cancel;
} caller;

unsigned int pb_wait_limit = PATCHBAY_WAIT_LIMIT;

/* The interval of checks of a callback, and the least time that a callback may take. */
#define LOOK_MS 100u
#define CALLBACK_MS 1000u

static pthread_mutex_t modules = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t engine = PTHREAD_MUTEX_INITIALIZER;

/*
 * The change lock. The modules lock guards these fields. The owner of the change lock also
 * holds the modules lock, except in callbacks. So a constructor finds the change lock taken
 * only while its owner is in a callback.
 */
static int change_is_taken;
static pthread_cond_t change_is_free = PTHREAD_COND_INITIALIZER;

/*
 * Whether this thread owns the change lock, the depth of each other lock that it holds, and the
 * number of visitors that it is in. These change with signals blocked, after the lock is taken.
 * Otherwise a signal handler that interrupts the thread in between, and forks or exits, would see
 * wrong values.
 */
static __thread __attribute__((tls_model("initial-exec"))) unsigned int
	owns_change, modules_depth, engine_depth, visit_depth;

/*
 * A thread that holds the change, modules or engine lock has signals blocked and cannot be
 * cancelled.
 * @nr: the number of these locks that the thread holds
 * @signals, @cancel: the signal mask and the cancel state to restore after the last unlock
 */
struct quiet {
	unsigned int nr;
	int cancel;
	sigset_t signals;
};
static __thread __attribute__((tls_model("initial-exec"))) struct quiet quiet;

/* Saves `quiet` of the owner of the change lock during a callback, which may take locks. */
static struct quiet callers_quiet;

/* A function that the owner of the change lock must call before it unlocks. */
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
	return __atomic_load_n(&caller.owner, __ATOMIC_RELAXED) == &owns_change;
}

static int take_caller_lock(int cancel)
{
	if (!pb_compare_and_swap(&caller.owner, NULL, &owns_change))
		return 0;
	caller.cancel = cancel;
	return 1;
}

/*
 * Has the owner been in the same callback for too long? The callback may be waiting for the
 * loader's lock, which the calling thread holds if it is in a constructor. @seen: the count of
 * callbacks at the last check. @since: the time since this count changed, in milliseconds.
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
		 * Read `released` before trying the lock. An owner increments
		 * `released` after clearing `owner`: if the owner unlocks in
		 * between, the futex value differs and this thread does not sleep.
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
 * A child may exit, and send SIGCHLD, while the forking thread still holds the engine lock.
 * If the program has no handler for SIGCHLD, the kernel discards the signal, unless this
 * thread blocks it. A blocked SIGCHLD would wake another thread, whose epoll_wait(2) or
 * similar call would fail with EINTR (signal(7); sig_ignored() in Linux's kernel/signal.c).
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
	/* If SIGTRAP were blocked, a breakpoint or single step would kill the process. */
	sigdelset(&all, SIGTRAP);
	if (is_forking && !is_handled(SIGCHLD))
		sigdelset(&all, SIGCHLD);
	/* SIGCHLD stays blocked if the program blocks it, to wait for it by signalfd(2). */
	pthread_sigmask(SIG_BLOCK, &all, before);
	if (sigismember(before, SIGTRAP)) {
		sigemptyset(&trap);
		sigaddset(&trap, SIGTRAP);
		pthread_sigmask(SIG_UNBLOCK, &trap, NULL);
	}
}

static void begin_quiet(void)
{
	sigset_t before;
	int cancel;

	if (!quiet.nr) {
		cancel = disable_cancel();
		block_signals(&before);
		quiet.cancel = cancel;
		quiet.signals = before;
	}
	quiet.nr++;
}

static void end_quiet(void)
{
	const sigset_t before = quiet.signals;
	const int cancel = quiet.cancel;

	if (--quiet.nr)
		return;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	restore_cancel(cancel);
}

void pb_modules_lock(void)
{
	/* Taking the modules lock under the engine lock would invert the order. */
	assert(modules_depth || !engine_depth);
	if (!modules_depth) {
		begin_quiet();
		pthread_mutex_lock(&modules);
	}
	modules_depth++;
}

int pb_modules_trylock(void)
{
	if (!modules_depth) {
		begin_quiet();
		if (pthread_mutex_trylock(&modules)) {
			end_quiet();
			return -EBUSY;
		}
	}
	modules_depth++;
	return 0;
}

void pb_modules_unlock(void)
{
	if (--modules_depth)
		return;
	pthread_mutex_unlock(&modules);
	end_quiet();
}

/* Take the free change lock. The caller holds the modules lock. */
static void own_change(void)
{
	begin_quiet();
	change_is_taken = 1;
	owns_change = 1;
}

void pb_change_lock(void)
{
	assert(!owns_change && !modules_depth);
	pb_modules_lock();
	while (change_is_taken)
		pthread_cond_wait(&change_is_free, &modules);
	own_change();
}

int pb_change_trylock(void (*leave)(void))
{
	assert(modules_depth == 1);
	if (owns_change || change_is_taken) {
		left_for_owner = leave;
		return -EBUSY;
	}
	own_change();
	return 0;
}

void pb_change_unlock(void)
{
	while (left_for_owner) {
		void (*left)(void) = left_for_owner;

		left_for_owner = NULL;
		left();
	}
	owns_change = 0;
	change_is_taken = 0;
	pthread_cond_signal(&change_is_free);
	pb_modules_unlock();
	end_quiet();
}

int pb_is_called_back(void)
{
	return owns_change || visit_depth;
}

void pb_callback_begin(void)
{
	assert(owns_change && modules_depth == 1 && quiet.nr == 2);
	__atomic_fetch_add(&caller.callbacks, 1, __ATOMIC_RELEASE);
	callers_quiet = quiet;
	quiet.nr = modules_depth = 0;
	pthread_mutex_unlock(&modules);
	pthread_sigmask(SIG_SETMASK, &callers_quiet.signals, NULL);
}

void pb_callback_end(void)
{
	__atomic_fetch_add(&caller.callbacks, 1, __ATOMIC_RELEASE);
	/* The callback may have changed the signal mask of its thread. */
	block_signals(&callers_quiet.signals);
	quiet = callers_quiet;
	pthread_mutex_lock(&modules);
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
	begin_quiet();
	pthread_mutex_lock(&engine);
	engine_depth = 1;
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
	pthread_mutex_unlock(&engine);
	end_quiet();
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
	if (!owns_change) {
		caller.callbacks &= ~UINT32_C(1);
		change_is_taken = 0;
		pthread_cond_init(&change_is_free, NULL);
	}
	if (!modules_depth)
		pthread_mutex_init(&modules, NULL);
	pb_is_forked = 1;
	pb_text_forget();
	pb_engine_unlock();
}

__attribute__((constructor(101))) static void lock_init(void)
{
	pthread_atfork(before_fork, pb_engine_unlock, forked_child);
}
