/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What libpatchbay does for libpatchbay-trace, and for nobody else: both are of
 * the same build. Not a part of the interface; it may change at any time. The
 * library exports these functions under a version of their own,
 * PATCHBAY_PRIVATE.
 */
#ifndef PB_CORE_PRIVATE_H
#define PB_CORE_PRIVATE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Have @retire called by each thread that ends and has made a traced call: so
 * that what belongs to the thread can be given back. There is one such function
 * in a process, and it stays.
 *
 * It is called in the thread itself, from a destructor of a pthread key, in the first
 * round of these, with signals blocked and no lock of the library held. That need not be
 * the last that the thread does. Destructors that run later may make calls that are
 * traced: handlers have to expect them, also on a thread that has been retired.
 * @retire is not called when the whole process ends, nor in a forked child for
 * the threads that the child does not have.
 *
 * -EBUSY: there is another one. -EAGAIN: the C library has no key left, and
 * nobody can be called when a thread ends.
 */
int pb_private_at_thread_exit(void (*retire)(void));

struct patchbay_ops;

/*
 * Have @told called for each call that a tracer misses, because its thread is in a
 * handler, or seems to be: what struct patchbay_ops_info counts as @nmissed. It is
 * called in that thread and for that call, with NULL for a call whose tracers could not be
 * looked at (struct patchbay_stats, @unseen), with vector registers saved, and
 * possibly within another handler, so it must be async-signal-safe. There is one
 * such function in a process, and it stays. -EBUSY: there is another one.
 */
int pb_private_on_missed(void (*told)(const struct patchbay_ops *ops));

struct patchbay_site_info;

/*
 * Have @told called for each function of a module that is leaving, as all do when the
 * process exits, that has a tracer and whose site something else has changed: as
 * patchbay_rearm() does for those that stay. It is called with a lock of the library
 * held. There is one such function in a process, and it stays. -EBUSY: there is another.
 */
int pb_private_on_changed(void (*told)(const struct patchbay_site_info *site));

/*
 * Call @visit for each function that has a tracer and whose site something else has
 * changed, with a lock of the library held. Nothing is armed again. -EBUSY: another thread
 * has that lock. Async-signal-safe.
 */
int pb_private_look_at_sites(void (*visit)(const struct patchbay_site_info *site,
					   void *arg),
			     void *arg);

/*
 * Returns how many timed calls have begun and not ended since the process began: of
 * tracers with a threshold, and what pb_private_count_open_call() was told of others. They
 * are running, or were left without a return that the library
 * sees. A forked child begins with 0. Async-signal-safe. While system calls are
 * restricted, counts only the calling thread and threads that have ended.
 */
int64_t pb_private_open_calls(void);

/*
 * For a handler: a call has begun in this thread (1), or has ended (-1). Keeps vector
 * registers. Async-signal-safe.
 */
void pb_private_count_open_call(int change);

/*
 * 1: from now on make no system call for a call of a traced function, since the
 * program is about to restrict those (seccomp(2)) and might be killed for it. Then
 * a thread that left a handler by siglongjmp() is found out only by what it can see
 * without the kernel (left.h), and one that ends without notice leaves its reader to
 * whoever comes to the same place (reader.h). 0: go on as before. What changes tracers makes
 * system calls in any case.
 */
void pb_private_restrict(int restricted);

/*
 * For a thread with descriptors of its own: open what code is changed through, and
 * keep it. A process that becomes another user is no longer allowed to (proc(5),
 * PR_SET_DUMPABLE); what the calling thread changes from then on is changed through
 * this. It is never a forked child's. Returns 0 or -errno.
 */
int pb_private_keep_text(void);

/*
 * 1: as patchbay_ops_disable(), where no system call may be made: the calling thread
 * enters no handler of @ops from now on, and other threads soon do not. Other tracers of
 * the same functions are not entered either. 0: as before. Takes no lock, so the caller
 * must be sure that no other thread changes tracers.
 */
void pb_private_pause(struct patchbay_ops *ops, int paused);

/* As patchbay_set_wait_limit(). Returns what it was before. */
unsigned int pb_private_wait_limit(unsigned int milliseconds);

/*
 * A loaded module of which nothing can be traced, and why: it is of another version of
 * the ABI, @number, or it is in another namespace of the loader (dlmopen(3)), and has
 * @number functions.
 */
enum pb_private_why { PB_PRIVATE_OTHER_VERSION = 1, PB_PRIVATE_OTHER_NAMESPACE = 2 };
struct pb_private_other {
	enum pb_private_why why;
	unsigned int number;
	const char *path;
};

/*
 * Call @visit for each of them. It is called with a lock of the library or of the loader
 * held, and calls neither.
 */
void pb_private_visit_others(void (*visit)(const struct pb_private_other *other,
					   void *arg),
			     void *arg);

struct patchbay_module_info;

/*
 * patchbay_for_each_name() of one module, from within the attach function of a tracer,
 * which was given @module.
 */
int pb_private_visit_names(const struct patchbay_module_info *module,
			   int (*visit)(uintptr_t entry, const char *name,
					void *arg),
			   void *arg);

#ifdef __cplusplus
}
#endif

/*
 * Have @start called by this library's constructor: behind the executable's
 * .preinit_array, but before constructors of most other libraries. -EALREADY: it
 * is over. Calls nothing.
 */
int pb_private_start_late(void (*start)(void));

/* Told before anything else of a library that is there from the start of the process. */
void pb_private_preloaded(void);

#endif /* PB_CORE_PRIVATE_H */
