/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * libpatchbay: calling handlers at entry and exit of chosen functions.
 *
 * Overview
 * --------
 * A program or shared object built with the Patchbay pass is a *module* whose
 * functions each have a site. A module announces itself when it is loaded. A
 * *tracer* (struct patchbay_ops) is a handler with its properties; arming
 * it on functions makes every call of them run the handler first. Functions
 * that are not armed cost an instruction or two that do nothing.
 *
 * Usage
 * -----
 *	__attribute__((no_profile_instrument_function))
 *	static void on_call(uintptr_t ip, uintptr_t parent_ip,
 *			    const struct patchbay_cell *cell,
 *			    struct patchbay_regs *regs)
 *	{
 *		atomic_fetch_add((_Atomic long *)cell->data, 1);
 *	}
 *
 *	const struct patchbay_ops_attr attr = {
 *		.size = sizeof(attr), .handler = on_call, .data = &calls,
 *	};
 *	struct patchbay_ops *ops;
 *
 *	if (!patchbay_ops_create(&attr, &ops))
 *		error = patchbay_arm(ops, "lua_*", 0);
 *	...
 *	patchbay_ops_destroy(ops);
 *
 * The attribute keeps the pass from giving the handler a site. It is not called for
 * itself, but each of its calls would count as missed where "*" is armed.
 *
 * Functions are selected by a struct patchbay_filter: glob, regular expression,
 * a list of names or of addresses, each with a filter for what to leave out. Names
 * are those of the symbol table: of C++, mangled ones:
 *
 *	const char *const syms[] = { "lua_newstate", "lua_close" };
 *	void *const cookies[] = { &opened, &closed };
 *	const struct patchbay_filter filter = {
 *		.size = sizeof(filter),
 *		.syms = syms, .cookies = cookies, .cnt = 2,
 *	};
 *
 *	error = patchbay_arm_filter(ops, &filter, 0);
 *
 * What several calls of these would do one after the other, a batch does at
 * once or not at all, also for several tracers:
 *
 *	error = patchbay_batch_disarm(batch, before, &filter);
 *	error = patchbay_batch_arm(batch, after, &filter, 0);
 *	error = patchbay_batch_commit(batch);
 *
 * Where to read on:
 *
 *	<patchbay/tracer.h>	tracers and their handlers
 *	<patchbay/filter.h>	arming and disarming, batches
 *	<patchbay/waiting.h>	waiting for handlers, and for how long
 *	<patchbay/inspect.h>	what there is, and what happened so far
 *
 * All of these come with this header. <patchbay/args.h> is how a handler gets at
 * arguments by their number. A tracer may also be called when a function is left,
 * see its result or give another, or answer in its place: <patchbay/exit.h>.
 *
 * Callbacks
 * ---------
 * @check and @attach of tracers, @match of filters, @log of links and the visitors of
 * patchbay_for_each_site() and patchbay_for_each_name() are called without a lock that
 * the loader or another thread's dlopen() could wait for, with the signal mask of the
 * thread that called the library. Of tracers that are armed with PATCHBAY_ARM_FUTURE
 * the thread is the one that loads the module, within dlopen(), or the one that is just
 * arming or disarming tracers. A callback
 * - may allocate memory, ask the loader (dladdr(3), dlopen(3), dlsym(3),
 *   dl_iterate_phdr(3)), make threads, fork, and end the process;
 * - must not call this library, which returns -EDEADLK, but for
 *   patchbay_get_stats(), patchbay_ops_get_info() and static calls; only @log may;
 * - must return: no longjmp, no exception;
 * - must not unload the module that it is asked about;
 * - must not wait for a thread that arms or disarms tracers: one thread at a time
 *   does that.
 * A thread that arms or disarms tracers waits for the callbacks of others that do. If it
 * holds what such a callback waits for, as a constructor holds the loader's lock, that
 * would be for ever. So it gives up when one callback has taken as long as
 * patchbay_set_wait_limit() says, and a second: then its function returns -EBUSY, and has
 * changed nothing.
 * Other threads may unload modules meanwhile. What a callback is given stays until it
 * returns, but code at @entry may have gone. No function of such a module is armed.
 * Modules that other threads load while @check, @attach or @match runs are registered
 * when it is over.
 *
 * Versions
 * --------
 * A structure with a @size begins with it: the size in the header that the program is
 * compiled with, as of struct perf_event_attr. Fields are added at the end only, so
 * a program works with an older and with a later library:
 * - What the program gives: fields that its header does not have are 0. Fields that
 *   the library does not have must be 0 (-E2BIG).
 * - What the library fills in: it writes the fields that the program has room for,
 *   and 0 to those that it does not have.
 * - A size less than ..._SIZE_VER0, up to the first field that can be left out, is
 *   -EINVAL.
 * Handlers read structures without a size, by inline functions. So
 * patchbay_ops_create() and patchbay_link_attach() pass PATCHBAY_HANDLER_ABI of the
 * program's header, and a library of another number refuses it (-EPROTONOSUPPORT).
 *
 * Errors
 * ------
 * Functions return 0, or a count where that is said, or a negative errno. The
 * library never prints, never exits and never aborts. A call that fails has
 * changed nothing, unless it is waiting for handlers that failed
 * (<patchbay/waiting.h>), or text can be written no more, not even to take back what
 * has been written: then functions that came to share a tracer with others may keep
 * it, and count as armed, until they are disarmed. Pointers are not NULL, unless it is said that they may be.
 *
 * Threads and signals
 * -------------------
 * Every function may be called from any thread at any time, except from a
 * handler (-EDEADLK) and from a signal handler (undefined: they take a lock).
 * They may wait for handlers, so a lock that a handler takes must not be held.
 * A batch is the exception: it is for one thread at a time.
 * Handlers run on the thread that made the call, also inside signal handlers,
 * and on several threads at once.
 *
 * Security
 * --------
 * - Text is never writable; slots are in text.
 * - Function pointers in writable memory are: what tracers were made with, which
 *   is read with the library's lock held only, but for the exit handlers of those
 *   with a threshold; what matches names for filters of modules to come; and what
 *   calls read without it, which is these, cells and the sets that they point to,
 *   and nothing else. (Keys of static calls are the
 *   program's data; tramps in the direct form do not read them.) What the C
 *   library keeps, destructors and handlers of fork(), is its own matter.
 * - The library reads no environment variables, so none arms anything, in
 *   programs that run with more privileges than their caller or elsewhere.
 * - Whoever may debug a process may look at it: `patchbay list --live`.
 *
 * Edge cases
 * ----------
 * - Functions inlined into their callers, and functions of modules that were
 *   built without the pass, have no site and are never reported.
 * - Names are those of the symbol table in a module's file, with and without what
 *   a compiler appended (<patchbay/names.h>). They are read when a name is first
 *   asked for, and kept until the module goes: some 20 bytes for each function,
 *   and the name itself. If the file is stripped, or was replaced or removed
 *   before that, functions have no names; "*" and addresses select them all the
 *   same.
 * - llvm-bolt moves functions and leaves records behind that lead to old code. In
 *   its output only functions that it left where they were can be armed.
 * - A handler may call instrumented functions. Tracers do not see those calls, nor
 *   what a signal handler calls that interrupts a handler: they might recurse. Each
 *   counts what it has missed (struct patchbay_ops_info; struct patchbay_stats,
 *   @unseen).
 * - A handler must return: no longjmp, no exception. A signal handler may leave
 *   one by siglongjmp, as programs do that limit the time of a computation.
 *   What the thread calls after that is missed, and counted, until memory that
 *   the handler had on the stack is used for something else, most of the time
 *   by the next traced call; only then is it sure that the handler has gone. Or
 *   until somebody says so before the jump (patchbay_jump() in exit.h).
 *   Who waits for handlers meanwhile waits as long as
 *   patchbay_set_wait_limit() allows (struct patchbay_stats: left, timeouts).
 * - A traced call takes no more than 1.5 KB of the stack that it is made on,
 *   beside what handlers take (x86-64 with AVX-512, where a thread's first call
 *   takes most: 0.9 KB). Of an alternate signal stack (sigaltstack(2)) the
 *   signal itself has taken some by then: sysconf(_SC_MINSIGSTKSZ) says how
 *   much, 3.3 KB there. So one of 8 KB, the SIGSTKSZ of old, is enough for a
 *   signal handler that makes traced calls, but not for each that jumps out of
 *   them (patchbay_jump()); sysconf(_SC_SIGSTKSZ) is.
 * - A shared object with libpatchbay.a inside stays loaded after dlclose(), as
 *   libpatchbay.so does: threads have pointers to its code.
 * - The child of a fork() may go on with tracers and change them. That of a
 *   _Fork(), or of clone(2) as such, must not call the library: its locks are
 *   as they were.
 * - A process may have several copies of the library. Each knows the modules
 *   whose patchbay_module_register() the loader bound to it, as of any symbol:
 *   where a copy is visible to all (in the executable, exported), it serves
 *   all; where it is hidden in a shared object, it has that alone.
 * - A module is registered before its own constructors run: armed by then, or
 *   with PATCHBAY_ARM_FUTURE, they are traced.
 * - A handler must not be traced by itself if it is PATCHBAY_OPS_FAST: mark it
 *   no_profile_instrument_function. It would call itself for ever.
 * - A thread may end in any way. Calls that it makes in or after the last round of its
 *   pthread_key_create() destructors are traced like all others.
 */
#ifndef PATCHBAY_PATCHBAY_H
#define PATCHBAY_PATCHBAY_H

#include <patchbay/abi.h>
#include <patchbay/filter.h>
#include <patchbay/inspect.h>
#include <patchbay/regs.h>
#include <patchbay/tracer.h>
#include <patchbay/waiting.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Called by the constructor and the destructor that the pass puts into every
 * module; programs have no reason to. -EPROTONOSUPPORT: the module is of an
 * ABI version that this library does not know, and none of its sites is used;
 * it is counted (struct patchbay_stats). -EBUSY: another copy of this library has
 * the module. -EINVAL: a descriptor that makes no sense. -EALREADY, -ENOENT, -ENOMEM.
 *
 * Modules that were loaded before the library itself, into a program that was
 * started without it, are registered by its constructor.
 */
int patchbay_module_register(const struct patchbay_module *module);
int patchbay_module_unregister(const struct patchbay_module *module);

/* The ABI version that this library was built for: PATCHBAY_ABI_VERSION. */
unsigned int patchbay_abi_version(void);

#ifdef __cplusplus
}
#endif

#endif /* PATCHBAY_PATCHBAY_H */
