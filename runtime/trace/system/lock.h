/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A lock that signal handlers may take, because the thread that holds the lock blocks
 * signals. Word 0 is a free lock.
 *
 * SIGTRAP stays unblocked: the kernel kills a process in which an instruction raises a
 * blocked SIGTRAP (single steps, breakpoints). Code that runs in a handler of SIGTRAP, or
 * in a traced C library, must not take the lock if pb_locked is set.
 *
 * The algorithm is mutex 2 of Drepper, Futexes Are Tricky, 2011.
 */
#ifndef PB_TRACE_LOCK_H
#define PB_TRACE_LOCK_H

#include "sys.h"

#include <linux/futex.h>

#define PB_SIGTRAP 5 /* SIGTRAP is 5 on all architectures of Linux */

/* Does this thread hold a lock, or wait for one? */
extern __thread int pb_locked __attribute__((tls_model("initial-exec")));
/* 1 in the listening thread, whose calls are not recorded. */
extern __thread int pb_untraced __attribute__((tls_model("initial-exec")));

struct pb_signal_lock {
	uint32_t word; /* 0 free, 1 held, 2 held and waited for */
};

static inline void pb_signal_lock(struct pb_signal_lock *lock, pb_sigset *old)
{
	uint32_t word = 0;

	/*
	 * Block signals first. Otherwise a signal handler could leave by siglongjmp(3) with
	 * pb_locked set, and this thread would stop recording.
	 */
	pb_sigmask(~((pb_sigset)1 << (PB_SIGTRAP - 1)), old);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	pb_locked = 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__atomic_compare_exchange_n(&lock->word, &word, 1, 0,
					__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	while (__atomic_exchange_n(&lock->word, 2, __ATOMIC_ACQUIRE))
		pb_sys(SYS_futex, &lock->word, FUTEX_WAIT_PRIVATE, 2, NULL,
		       NULL, 0);
}

static inline void pb_signal_unlock(struct pb_signal_lock *lock, pb_sigset old)
{
	if (__atomic_exchange_n(&lock->word, 0, __ATOMIC_RELEASE) == 2)
		pb_sys(SYS_futex, &lock->word, FUTEX_WAKE_PRIVATE, 1, NULL,
		       NULL, 0);
	/* Clear pb_locked before unblocking signals: see pb_signal_lock(). */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	pb_locked = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	pb_sigmask(old, NULL);
}

struct pb_guard {
	struct pb_signal_lock *lock;
	pb_sigset signals;
};

static inline struct pb_guard pb_guard_begin(struct pb_signal_lock *lock)
{
	struct pb_guard guard = { lock, 0 };

	pb_signal_lock(lock, &guard.signals);
	return guard;
}

static inline void pb_guard_end(struct pb_guard *guard)
{
	pb_signal_unlock(guard->lock, guard->signals);
}

/*
 * Take the lock and hold it until the end of the block, like guard() of Linux's cleanup.h.
 */
#define pb_guard(lock)                                                         \
	struct pb_guard guard __attribute__((unused, cleanup(pb_guard_end))) = \
		pb_guard_begin(lock)

#endif /* PB_TRACE_LOCK_H */
