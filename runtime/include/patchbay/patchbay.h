/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * libpatchbay: calls handlers at entry and exit of selected functions.
 *
 * Overview
 * --------
 * A program or shared object that is built with the Patchbay pass is a *module* whose
 * functions each have a site. A module registers itself when it is loaded. A *tracer*
 * (struct patchbay_ops) is a handler with its properties. While a tracer is armed on a
 * function, every call of the function runs the handler first. Functions that are not
 * armed execute one or two extra instructions without effect.
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
 * The attribute keeps the pass from giving the handler a site. With a site, each call of
 * the handler would count as missed if "*" is armed.
 *
 * A struct patchbay_filter selects functions: by glob, regular expression, a list of
 * names or of addresses, and maybe a filter of functions to exclude. Names are those
 * of the symbol table; C++ names are mangled:
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
 * A batch does several such calls at once or not at all, even for several
 * tracers:
 *
 *	error = patchbay_batch_disarm(batch, before, &filter);
 *	error = patchbay_batch_arm(batch, after, &filter, 0);
 *	error = patchbay_batch_commit(batch);
 *
 * Further reading:
 *
 *	<patchbay/tracer.h>	tracers and their handlers
 *	<patchbay/filter.h>	arming and disarming, batches
 *	<patchbay/waiting.h>	waiting for handlers, and its limit
 *	<patchbay/inspect.h>	current state, and counters
 *
 * This header includes all of these. With <patchbay/args.h> a handler accesses arguments
 * by number. With <patchbay/exit.h> a tracer is also called when a function is left, and
 * can see or change its result, or skip its body.
 *
 * Callbacks
 * ---------
 * @check and @attach of tracers, @match of filters, @log of links and the visitors of
 * patchbay_for_each_site() and patchbay_for_each_name() are callbacks. They run with the
 * signal mask of the thread that called the library. The library then holds no lock that
 * the loader or another thread's dlopen() could wait for. With PATCHBAY_ARM_FUTURE,
 * callbacks run on the thread that loads the module, within dlopen(), or on a thread that
 * arms or disarms tracers. A callback
 * - may allocate memory, ask the loader (dladdr(3), dlopen(3), dlsym(3),
 *   dl_iterate_phdr(3)), make threads, fork, and end the process;
 * - must not call this library, which returns -EDEADLK, except
 *   patchbay_get_stats(), patchbay_ops_get_info() and static calls; only @log may;
 * - must return: no longjmp, no exception;
 * - must not unload the module that it is called for;
 * - must not wait for a thread that arms or disarms tracers: one thread at a time
 *   does that.
 *
 * A thread that arms or disarms tracers waits for the callbacks of other such threads. It
 * may hold a lock that such a callback waits for, as a constructor holds the loader's
 * lock. To avoid a deadlock, the thread gives up when one callback has taken as long as
 * patchbay_set_wait_limit() allows, plus a second. Then the call returns -EBUSY and has
 * changed nothing.
 *
 * Other threads may unload modules during a callback. The parameters of a callback stay
 * valid until it returns, but code at @entry may be gone. No function of such a module is
 * armed. Modules that other threads load while @check, @attach or @match runs are
 * registered afterwards.
 *
 * Versions
 * --------
 * A structure with a @size begins with it: the size in the header that the program is
 * compiled with, like that of struct perf_event_attr. New fields are only added at the
 * end, so a program works with an older and with a later library:
 * - Input of the program: fields that its header does not have are 0. Fields that
 *   the library does not have must be 0 (-E2BIG).
 * - Output of the library: the library writes the fields that the program has space
 *   for, and 0 to fields that only the program knows.
 * - A size less than ..._SIZE_VER0, up to the first optional field, is
 *   -EINVAL.
 * Handlers read structures without a size, by inline functions. So
 * patchbay_ops_create() and patchbay_link_attach() pass PATCHBAY_HANDLER_ABI of the
 * program's header. A library with another number refuses the call (-EPROTONOSUPPORT).
 *
 * Errors
 * ------
 * Functions return 0, or a count where stated, or a negative errno. The library never
 * prints, never exits and never aborts. On error nothing has changed, with two
 * exceptions. Waiting for handlers may fail (<patchbay/waiting.h>). And text may become
 * unwritable half way, so that the library cannot undo earlier writes. Then functions that
 * came to share a tracer with others may keep the tracer, and count as armed, until they
 * are disarmed. Pointers must not be NULL unless stated otherwise.
 *
 * Threads and signals
 * -------------------
 * Every function may be called from any thread at any time, except from a handler
 * (-EDEADLK) and from a signal handler (undefined: functions take a lock). Functions may
 * wait for handlers, so the caller must not hold a lock that a handler takes. A batch is
 * for one thread at a time. Handlers run on the thread that made the call, also inside
 * signal handlers, and on several threads at once.
 *
 * Security
 * --------
 * - Text is never writable; slots are in text.
 * - These function pointers are in writable memory:
 *   - handlers and callbacks of tracers, which the library only reads with its lock
 *     held, except the exit handlers of tracers with a threshold;
 *   - @match of filters for later modules;
 *   - cells and the sets that they point to. Traced calls read only cells, sets and
 *     these exit handlers without the lock.
 *   (Keys of static calls are the program's data; tramps in the direct form do not read
 *   them. The C library's lists of destructors and of fork() handlers are not included.)
 * - The library reads no environment variables, so none can arm anything. This also holds
 *   for programs that run with more privileges than their caller.
 * - Users that may debug a process may inspect it: `patchbay list --live`.
 *
 * Edge cases
 * ----------
 * - Functions inlined into their callers, and functions of modules that were
 *   built without the pass, have no site and are never reported.
 * - Names are those of the symbol table in a module's file, with and without the
 *   compiler's suffixes (<patchbay/names.h>). The library reads all names when it first
 *   needs a name, and keeps them until the module is unloaded: some 20 bytes for each
 *   function, and the name itself. If the file is stripped, or was replaced or removed
 *   before that, functions have no names; "*" and addresses still select them.
 * - llvm-bolt moves functions, but their records still point to old code. So in the
 *   output of llvm-bolt, moved functions cannot be armed.
 * - A handler may call instrumented functions. Tracers do not see those calls, nor those
 *   of a signal handler that interrupts a handler, because they might recurse. Each
 *   tracer counts the calls that it missed (struct patchbay_ops_info; struct
 *   patchbay_stats, @unseen).
 * - A handler must return: no longjmp, no exception. But a signal handler that interrupts
 *   a handler may leave it by siglongjmp, for example when a computation times out.
 *   The library detects that when other calls reuse the handler's stack, mostly at the
 *   next traced call. Until then the thread's calls are missed and counted, and a thread
 *   that waits for handlers waits up to the limit of patchbay_set_wait_limit() (struct
 *   patchbay_stats: left, timeouts). Calling patchbay_jump() (exit.h) before the jump
 *   avoids that.
 * - A traced call uses at most 1.5 KB of its stack, in addition to handlers (x86-64
 *   with AVX-512: 0.9 KB, in a thread's first call). On an alternate signal stack
 *   (sigaltstack(2)) the signal frame uses sysconf(_SC_MINSIGSTKSZ) bytes (x86-64 with
 *   AVX-512: 3.3 KB). So 8 KB, the old SIGSTKSZ, is enough for a signal handler that makes
 *   traced calls. A signal handler that jumps out of traced calls (patchbay_jump()) may
 *   need sysconf(_SC_SIGSTKSZ).
 * - A shared object with libpatchbay.a inside stays loaded after dlclose(), as
 *   libpatchbay.so does: threads have pointers to its code.
 * - The child of a fork() may keep tracers and change them. The child of a _Fork(), or
 *   of a direct clone(2), must not call the library, whose locks may be held.
 * - A process may have several copies of the library. The loader binds a module's
 *   patchbay_module_register() to one copy, like any symbol. A copy that is visible to
 *   all modules (in the executable, exported) serves all. A copy that is hidden in a
 *   shared object serves only that.
 * - A module is registered before its own constructors run: if they are armed by then, or
 *   with PATCHBAY_ARM_FUTURE, they are traced.
 * - The handler of a tracer with PATCHBAY_OPS_FAST must not be traced by itself: mark it
 *   no_profile_instrument_function. Otherwise it would call itself for ever.
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
 * module; programs need not call them. -EPROTONOSUPPORT: the module has an ABI
 * version that this library does not know. None of its sites is used, and the module
 * is counted (struct patchbay_stats). -EBUSY: another copy of this library has the
 * module. -EINVAL: an invalid descriptor. -EALREADY, -ENOENT, -ENOMEM.
 *
 * If a program is started without the library, the library's constructor registers the
 * modules that were loaded before it.
 */
int patchbay_module_register(const struct patchbay_module *module);
int patchbay_module_unregister(const struct patchbay_module *module);

/* The ABI version that this library was built for: PATCHBAY_ABI_VERSION. */
unsigned int patchbay_abi_version(void);

#ifdef __cplusplus
}
#endif

#endif /* PATCHBAY_PATCHBAY_H */
