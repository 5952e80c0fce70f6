/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What libpatchbay does for libpatchbay-trace, and for nobody else: both are of
 * the same build. Not a part of the interface; it may change at any time. The
 * library exports these functions under a version of their own,
 * PATCHBAY_PRIVATE.
 */
#ifndef PB_CORE_PRIVATE_H
#define PB_CORE_PRIVATE_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Have @retire called by each thread that ends and has made a traced call: so
 * that what belongs to the thread can be given back. There is one such function
 * in a process, and it stays.
 *
 * It is called in the thread itself, from a destructor of a pthread key, with
 * signals blocked and no lock of the library held. That need not be the last
 * that the thread does. Destructors that run later may make calls that are
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
 * called in that thread and for that call, with vector registers saved, and
 * possibly within another handler, so it must be async-signal-safe. There is one
 * such function in a process, and it stays. -EBUSY: there is another one.
 */
int pb_private_on_missed(void (*told)(const struct patchbay_ops *ops));

/*
 * 1: from now on make no system call for a call of a traced function, since the
 * program is about to restrict those (seccomp(2)) and might be killed for it. Then
 * a thread that left a handler by siglongjmp() is found out only by what it can see
 * without the kernel (left.h). 0: go on as before. What changes tracers makes
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

#ifdef __cplusplus
}
#endif

/*
 * Have @start called by this library's constructor: behind the executable's
 * .preinit_array, but before constructors of most other libraries. -EALREADY: it
 * is over. Calls nothing.
 */
int pb_private_start_late(void (*start)(void));

#endif /* PB_CORE_PRIVATE_H */
