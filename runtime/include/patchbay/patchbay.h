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
 * - Text is never writable and executable at once, and never writable but with
 *   PATCHBAY_MODE_STORES; slots are in text.
 * - Function pointers in writable memory are: what tracers were made with, which
 *   is read with the library's lock held only, but for the exit handlers of those
 *   with a threshold; what matches names for filters of modules to come; and what
 *   calls read without it, which is these, cells and the sets that they point to,
 *   and nothing else. (Keys of static calls are the
 *   program's data; tramps in the direct form do not read them.) What the C
 *   library keeps, destructors and handlers of fork(), is its own matter.
 *   PATCHBAY_MODE_HARDENED checks what is given.
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
 * - A handler may call instrumented functions. Those calls, and what a signal
 *   handler calls that interrupts a handler, are seen only by tracers that are
 *   PATCHBAY_OPS_FAST, and not PATCHBAY_OPS_RECURSION: others might recurse; and
 *   by those within no more than eight such handlers of the same thread. Each
 *   counts what it has missed (struct patchbay_ops_info).
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
 * - Calls that a thread makes after the last round of its pthread_key_create()
 *   destructors are traced, at a somewhat higher price.
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
 * Modes of the whole process.
 *
 * PATCHBAY_MODE_STRICT: change code by the letter of the processor's manual.
 *
 * On x86-64 a site is armed by a store to its first byte, while other threads
 * may execute it. AMD documents that as safe (APM vol. 2, 7.6.1). Intel does
 * not list it (SDM vol. 3A, 10.1.3): it may be found to fail on some processor,
 * though none is known. In strict mode sites, and the tramps of static calls,
 * are changed as the Linux kernel changes its own code: for some microseconds
 * their first byte is a breakpoint (int3). A batch takes three membarriers
 * instead of one, and a thread that calls one of its functions meanwhile takes
 * a signal, SIGTRAP, and goes on untraced. Once armed, calls cost the same.
 *
 * It needs SIGTRAP. The library installs a handler, which calls the former one
 * for traps and signals that are not its own. So:
 * - Install other handlers of SIGTRAP before this mode is switched on. If ours
 *   is not there any more, arming fails (-EBUSY), and disarming takes the
 *   tracer away but leaves the site calling a trampoline that does nothing.
 * - Functions with sites must not run while SIGTRAP is blocked: the kernel kills
 *   a process that cannot take a trap. Whoever blocks "all" signals, in a
 *   thread or in the sa_mask of a handler, has to leave out SIGTRAP.
 * - A debugger shows such a trap as if it had set it, and does not hand it on:
 *   `handle SIGTRAP nostop noprint pass` in gdb.
 * static_call_patch_sites() is refused, and this mode while that is enabled.
 *
 * Elsewhere it changes nothing: the architectures list the stores that are used.
 */
#define PATCHBAY_MODE_STRICT 1u

/*
 * PATCHBAY_MODE_HARDENED: call only what has the kCFI hash of its type.
 *
 * A program that is compiled with -fsanitize=kcfi checks the hash before a
 * function that it calls through a pointer. In hardened mode the library does
 * so, too, when a handler or @attach is given to it: what has another hash, or
 * none, is refused (-EACCES). So tracers have to be compiled with
 * -fsanitize=kcfi, and without -fsanitize-cfi-icall-experimental-normalize-integers,
 * which makes other hashes.
 *
 * Trampolines call what a cell says without looking, because what they would
 * compare is as much as a call costs; where there is time, which is when a
 * handler is interrupted or calls traced functions, the hash is looked at again,
 * and what has another one is not called. See Security.
 */
#define PATCHBAY_MODE_HARDENED 2u

/*
 * PATCHBAY_MODE_STORES: change code by plain stores where nobody else can execute it.
 *
 * For a process that has one thread, and shares its memory with no other process, the
 * text of a module is made readable and writable, and not executable, for as long as
 * it takes to change it, some microseconds for each page, with signals blocked. Then
 * it is readable and executable again, so that it is never writable and executable,
 * and /proc/PID/maps is as it was. To arm and disarm many functions takes a fraction
 * of the time then. In strict mode it changes nothing.
 *
 * It is done for requests on many functions, on x86-64, if
 * - the C library knows of no other thread, and unshare(2) with CLONE_VM says that there
 *   is none, nor a process with the same memory: neither can be mistaken for the other;
 * - no filter of system calls is installed (seccomp(2)), which might end the process;
 * - the module's text is one private mapping of a file which has not been replaced
 *   since, and not what this library is in: a program with libpatchbay.a inside changes
 *   others;
 * - the same succeeds with another mapping of the file, made for that purpose. It does
 *   not under PR_SET_MDWE, nor where SELinux does not allow execmod.
 * Else, and whenever mprotect(2) fails, code is changed as without this mode, and
 * nobody is told. Kernels count the text as memory that may have to be kept, which
 * matters where they overcommit none (vm.overcommit_memory is 2).
 *
 * `patchbay record` switches it on. Elsewhere it changes nothing.
 */
#define PATCHBAY_MODE_STORES 4u

/*
 * Switch on @modes, PATCHBAY_MODE_*, in addition to those that are on. They
 * stay on for the life of the process. Best called before anything is armed; it
 * holds for what is armed and disarmed afterwards.
 *
 * -EINVAL: unknown modes. -EDEADLK: called from a handler. -EBUSY: strict mode,
 * while static_call_patch_sites() is enabled. -EACCES: hardened mode, and a
 * tracer that exists already is not of its type. -EOPNOTSUPP: hardened mode, and
 * the library was built by a compiler without kCFI. Or what sigaction(2),
 * mprotect(2) or opening files returned.
 */
int patchbay_set_mode(unsigned int modes);

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
