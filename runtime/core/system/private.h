/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Private functions of libpatchbay for libpatchbay-trace of the same build, which may change
 * at any time. The library exports these functions under a symbol version of their own,
 * PATCHBAY_PRIVATE.
 *
 * A process has at most one registered function of each kind, and cannot unregister it. The
 * functions that register return -EBUSY if another function is registered.
 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Register @retire, to free per-thread data: each thread that has made a traced call calls
 * @retire when the thread ends.
 *
 * A destructor of a pthread key calls @retire in the ending thread, in the first round of
 * destructors, with signals blocked and without any lock of the library. Destructors that
 * run later may make traced calls, so handlers must expect calls on a retired thread.
 * @retire is not called at the end of the process. In a forked child it is not called for
 * the threads that the child does not have.
 *
 * Returns -EAGAIN if the C library has no key left: then @retire is never called.
 */
int pb_private_at_thread_exit(void (*retire)(void));

struct patchbay_ops;

/*
 * Register @told, to be called for each call that a tracer misses because the thread is, or
 * seems to be, in a handler (@nmissed of struct patchbay_ops_info). @told runs in that thread,
 * during that call, with vector registers saved. Its argument is NULL if the library could
 * not read the call's tracers (struct patchbay_stats, @unseen). @told may run within another
 * handler, so it must be async-signal-safe.
 */
int pb_private_on_missed(void (*told)(const struct patchbay_ops *ops));

struct patchbay_site_info;

/*
 * Register @told, to be called when a module is unloaded: for each of its functions that has
 * a tracer and whose site other code has changed. patchbay_rearm() reports such functions of
 * loaded modules. All modules are unloaded when the process exits. @told runs under a lock
 * of the library.
 */
int pb_private_on_changed(void (*told)(const struct patchbay_site_info *site));

/*
 * Call @visit, under a lock of the library, for each function that has a tracer and whose
 * site other code has changed. Rearms nothing. Returns -EBUSY if another thread has that
 * lock. Async-signal-safe.
 */
int pb_private_look_at_sites(void (*visit)(const struct patchbay_site_info *site,
					   void *arg),
			     void *arg);

/*
 * Returns the number of timed calls that have begun and not ended: calls of tracers with a
 * threshold, and calls counted by pb_private_count_open_call(). Such a call is running, or
 * has ended without a return that the library sees. A forked child starts at 0. While system
 * calls are restricted, this counts only the calling thread and threads that have ended.
 * Async-signal-safe.
 */
int64_t pb_private_open_calls(void);

/*
 * A handler calls this to count a call of this thread that has begun (1) or ended (-1).
 * Preserves vector registers. Async-signal-safe.
 */
void pb_private_count_open_call(int change);

/*
 * @restricted: 1: make no more system calls during calls of traced functions. The program is
 * about to restrict system calls (seccomp(2)), and the kernel may kill the program for a
 * forbidden call. Only the thread itself can then detect that it has abandoned a handler
 * (handler_frame.h). The reader of a thread that ends without notice goes to the next thread
 * whose storage is at the same address (reader.h). 0: make system calls again. Functions that
 * change tracers make system calls in any case.
 */
void pb_private_restrict(int restricted);

/*
 * Open the handle for writing text, and keep it for the calling thread, which has its own
 * descriptor table. Call this before a change of user: afterwards the kernel no longer lets the
 * process open the handle (proc(5), PR_SET_DUMPABLE). The calling thread then writes text
 * through this handle. Forked children do not inherit the handle. Returns 0 or -errno.
 */
int pb_private_keep_text(void);

/*
 * @paused: 1: like patchbay_ops_disable(), without system calls. From now on the calling
 * thread enters no handler of @ops; other threads stop soon. This also pauses other tracers of
 * the same functions. 0: resume. Takes no lock, so the caller must make sure that no other
 * thread changes tracers.
 */
void pb_private_pause(struct patchbay_ops *ops, int paused);

/* Like patchbay_set_wait_limit(). Returns the previous limit. */
unsigned int pb_private_wait_limit(unsigned int milliseconds);

/*
 * A loaded module that cannot be traced, and the reason: the module has another ABI version,
 * @number; or the module is in another namespace of the loader (dlmopen(3)), and has @number
 * functions.
 */
enum pb_private_why { PB_PRIVATE_OTHER_VERSION = 1, PB_PRIVATE_OTHER_NAMESPACE = 2 };
struct pb_private_other {
	enum pb_private_why why;
	unsigned int number;
	const char *path;
};

/*
 * Call @visit for each module that cannot be traced, under a lock of the library or of the
 * loader. @visit must not call the library or the loader.
 */
void pb_private_visit_others(void (*visit)(const struct pb_private_other *other,
					   void *arg),
			     void *arg);

struct patchbay_module_info;

/*
 * Like patchbay_for_each_name(), for one module. Only for a tracer's attach function, which
 * passes the @module that it was called with.
 */
int pb_private_visit_names(const struct patchbay_module_info *module,
			   int (*visit)(uintptr_t entry, const char *name,
					void *arg),
			   void *arg);

#ifdef __cplusplus
}
#endif

/*
 * Register @start. The constructor of this library calls @start: after the executable's
 * .preinit_array, and before the constructors of most other libraries. Returns -EALREADY if
 * that constructor has run. Calls no other function.
 */
int pb_private_start_late(void (*start)(void));

/* If the library was loaded at process start, a preloaded object calls this first. */
void pb_private_preloaded(void);
