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
 * that are not armed cost one instruction that does nothing.
 *
 * Usage
 * -----
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
 * Functions are selected by a struct patchbay_filter: glob, regular expression,
 * a list of names or of addresses, each with a filter for what to leave out:
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
 * <patchbay/args.h> is how a handler gets at arguments by their number. A tracer
 * may also be called when a function is left, see its result or give another,
 * or answer in its place: <patchbay/exit.h>.
 *
 * Errors
 * ------
 * Functions return 0, or a count where that is said, or a negative errno. The
 * library never prints, never exits and never aborts. A call that fails has
 * changed nothing. Pointers are not NULL, unless it is said that they may be.
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
 * - Text is never writable and executable at once; slots are in text.
 * - Function pointers in writable memory are: what tracers were made with, which
 *   is read with the library's lock held only, but for the exit handlers of those
 *   with a threshold; what matches names for filters of modules to come; and what calls read without it, which is these, cells and
 *   the sets that they point to, and nothing else. (Keys of static calls are the
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
#include <patchbay/regs.h>

#ifdef __cplusplus
extern "C" {
#endif

struct patchbay_ops;
struct pb_set;

struct patchbay_cell;

/*
 * A handler.
 * @ip:        entry of the function that was called
 * @parent_ip: return address in its caller
 * @cell:      the function's cell: data, record
 * @regs:      its arguments
 */
typedef void (*patchbay_handler)(uintptr_t ip, uintptr_t parent_ip,
				 const struct patchbay_cell *cell,
				 struct patchbay_regs *regs);

/*
 * struct patchbay_cell - one tracer on one function
 * @enter:  what the trampoline calls (internal)
 * @func:   the handler
 * @data:   given by @attach or by the tracer's attributes
 * @record: the function's record
 * @ops:    the tracer
 * @set:    the other tracers of the function (internal)
 * @exit:   the exit handler, or NULL
 * @since:  when it was armed, and which of a call's words is its own (internal)
 *
 * The slot of an armed function points to one. Handlers read what is theirs;
 * the library writes.
 */
struct patchbay_cell {
	patchbay_handler enter;
	patchbay_handler func;
	void *data;
	const struct patchbay_record *record;
	struct patchbay_ops *ops;
	const struct pb_set *set;
	patchbay_handler exit;
	uint64_t since;
};

/*
 * Bits of @since: the word, and how the trampoline may go about it, of which EXIT
 * and BOTH together mean: entry handler, no exit; and EXIT and TIMED: a threshold
 * (internal).
 */
#define PATCHBAY_CELL_WORD 0x3f
#define PATCHBAY_CELL_DIRECT_EXIT 0x40
#define PATCHBAY_CELL_DIRECT_BOTH 0x80
#define PATCHBAY_CELL_DIRECT_TIMED 0x100
#define PATCHBAY_CELL_SINCE (~(uint64_t)0x1ff)

/*
 * struct patchbay_module_info - a loaded module
 * @path:          file, "" if it is not known; valid while it is loaded
 * @base:          load bias: run-time address minus ELF address
 * @build_id:      GNU build id, NULL if there is none
 * @build_id_size: its length in bytes
 */
struct patchbay_module_info {
	const char *path;
	uintptr_t base;
	const uint8_t *build_id;
	size_t build_id_size;
};

/*
 * struct patchbay_target - a function that is about to be armed
 * @entry:  its entry
 * @record: its record
 * @data:   what cell->data shall be; beforehand, the filter's cookie or else
 *          the tracer's data
 */
struct patchbay_target {
	uintptr_t entry;
	const struct patchbay_record *record;
	void *data;
};

/*
 * The handler was compiled with -mgeneral-regs-only (ppc64le: -msoft-float
 * -mno-altivec -mno-vsx), or is known to use no vector and no floating-point
 * register, and calls nothing that is instrumented. It is called without saving
 * these, which is several times cheaper.
 */
#define PATCHBAY_OPS_FAST 1u

/*
 * Beside PATCHBAY_OPS_FAST: the handler must not be called while its thread is in
 * a handler, because it takes a lock, for instance, which a signal handler that
 * interrupts it and makes a traced call would wait for. Such calls are missed,
 * and counted, as by tracers that are not FAST.
 */
#define PATCHBAY_OPS_RECURSION 2u

/*
 * struct patchbay_ops_attr - properties of a tracer
 * @size:    sizeof(struct patchbay_ops_attr), so that it can grow
 * @flags:   PATCHBAY_OPS_*
 * @handler: what to call; NULL only if there is an @exit
 * @data:    cell->data of every function, unless a cookie or @attach says other
 * @attach:  NULL, or called once per module and request before its functions
 *           are armed, to choose the data of each. A negative errno stops the
 *           batch. It is called with the library's lock held and must not call
 *           the library, nor dlclose(). If the batch fails later, what
 *           @attach did stays.
 * @exit:    NULL, or what to call when the function is left; <patchbay/exit.h>
 *           has what it sees, and what @handler can do beside it
 * @check:   NULL, or called with @check_arg for each function that is selected
 *           and does not have the tracer yet, before anything is changed. A
 *           negative errno refuses the function: it stops the batch, or the
 *           function is left out with PATCHBAY_ARM_SKIP. As @attach it is called
 *           with the library's lock held
 * @threshold: NULL, or @exit is called for calls only that took at least this
 *           many ticks of patchbay_clock(), with both times: <patchbay/exit.h>.
 *           The library times them, so there is no @handler. It may be changed at
 *           any time, by an atomic store, also from handlers and signal
 *           handlers; it is what it is when a call ends. It has to stay until
 *           the tracer has been destroyed
 */
struct patchbay_ops_attr {
	size_t size;
	unsigned int flags;
	patchbay_handler handler;
	void *data;
	int (*attach)(void *data, const struct patchbay_module_info *module,
		      struct patchbay_target *targets, size_t nr);
	patchbay_handler exit;
	int (*check)(void *check_arg, const struct patchbay_target *target);
	void *check_arg;
	const uint64_t *threshold;
};

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
 * How long whoever disarms or changes a tracer waits for handlers that are
 * running, in milliseconds. 0: not at all. It holds for the whole process, from
 * the next wait on. May be called from anywhere.
 *
 * Where a handler takes longer, struct patchbay_stats says which thread it is, and
 * one of two errors is returned:
 *
 * -ETIMEDOUT: it is done, but not quiet yet. All is as it was asked for, and no
 *         handler is entered any more that should not be; but one that was running
 *         may be running still, and what it may be using is kept. To wait once
 *         more, call patchbay_synchronize(), or patchbay_ops_destroy() again.
 * -EAGAIN: nothing was changed. A function was to be armed that had been disarmed,
 *         and a handler that it had then is still running. Try again later.
 */
#define PATCHBAY_WAIT_LIMIT 10000u /* unless it is set */
#define PATCHBAY_WAIT_FOREVER (~0u)

void patchbay_set_wait_limit(unsigned int milliseconds);

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
 * Make a tracer. It does nothing until it is armed.
 *
 * -EINVAL: neither handler, unknown flags, @threshold with @handler or without
 * @exit, or a size less than this header's.
 * -E2BIG: a larger size, of a later header, with something set that this library
 * does not know. -EACCES: hardened mode; @handler, @exit, @attach or @check is not
 * of its type.
 * -EDEADLK: called from a handler. -ENOMEM.
 */
int patchbay_ops_create(const struct patchbay_ops_attr *attr,
			struct patchbay_ops **ops);

/*
 * Disarm the tracer everywhere and free it. When this returns no thread is in
 * its handler and none will enter it. NULL is no tracer, and no error.
 *
 * -EDEADLK: called from a handler; nothing changed. -ETIMEDOUT
 * (patchbay_set_wait_limit()), or an error of membarrier(2): the tracer is disarmed
 * everywhere and is entered no more, but one of its handlers may be running, so it
 * was not freed. It may be a handler of another tracer that takes so long: which
 * ones are over is known of all of them together. Call it again.
 * Other errors are those of patchbay_disarm(): nothing changed.
 */
int patchbay_ops_destroy(struct patchbay_ops *ops);

/*
 * Exchange the entry handler, everywhere at once and without a write to text.
 * The flags hold for @handler, too. Data stay. During the call threads run the
 * old handler or the new one; when it returns none is in the old one.
 *
 * -EINVAL: @handler is NULL, or the tracer was made without one. -EACCES:
 * hardened mode; it is not of its type. -EDEADLK: called from a handler.
 * Other errors are -ETIMEDOUT, patchbay_set_wait_limit(), and those of
 * membarrier(2): the handler was exchanged, but the old one may be running.
 */
int patchbay_ops_update(struct patchbay_ops *ops, patchbay_handler handler);

/*
 * The same for a tracer with an exit handler. A call whose entry the old handler
 * saw may be told of to the new @exit, with the word that it left. -EINVAL, too:
 * one of the two is NULL and was not, or the other way.
 */
int patchbay_ops_update_both(struct patchbay_ops *ops, patchbay_handler handler,
			     patchbay_handler exit);

/*
 * Stop calling the handler, and start again; a tracer is enabled when it is
 * made. It stays armed where it is, and can be armed and disarmed meanwhile. So
 * this takes no write to text, but calls of its functions go on taking the way
 * through a trampoline. When patchbay_ops_disable() returns, no thread is in
 * the handler. To do either twice is no error.
 *
 * -EDEADLK, or errors as for patchbay_ops_update().
 */
int patchbay_ops_enable(struct patchbay_ops *ops);
int patchbay_ops_disable(struct patchbay_ops *ops);

/*
 * struct patchbay_ops_info - a tracer as it is
 * @size:         sizeof(struct patchbay_ops_info), set by the caller
 * @flags:        as it was made
 * @enabled:      1, or 0 after patchbay_ops_disable()
 * @armed:        on how many functions
 * @nmissed:      calls that it did not see since it was made, because their
 *                thread was in a handler (always 0 if it is FAST and not
 *                PATCHBAY_OPS_RECURSION, without an exit handler)
 * @future_error: the last negative errno of arming functions of a module that
 *                came after PATCHBAY_ARM_FUTURE, 0 if there was none: those
 *                functions are not armed
 */
struct patchbay_ops_info {
	size_t size;
	unsigned int flags;
	int enabled;
	size_t armed;
	uint64_t nmissed;
	int future_error;
};

/*
 * It waits for nobody, and may be called from a handler. -EINVAL: a size less than
 * this header's.
 */
int patchbay_ops_get_info(const struct patchbay_ops *ops,
			  struct patchbay_ops_info *info);

/*
 * struct patchbay_filter - which functions
 * @size:    sizeof(struct patchbay_filter), so that it can grow
 * @glob:    a pattern of fnmatch(3) for the name in the symbol table (of C++
 *           functions: the mangled name), or for what the name was before the
 *           compiler appended to it (<patchbay/names.h>); so are @regex and
 *           @syms. "*" matches every function with a site, also those without
 *           a name
 * @regex:   a POSIX extended regular expression, regcomp(3), to be found
 *           anywhere in the name; ^ and $ tie it to the ends. glibc recurses
 *           into it, so one of ten thousand nested parentheses ends the stack:
 *           take none from who is not trusted
 * @syms:    @cnt names, in any order. All functions of a name are meant. What
 *           it takes to find one does not depend on how many there are
 * @addrs:   @cnt entries of functions; an address within a function is none
 * @cookies: NULL, or @cnt values for cell->data, for the names or addresses in
 *           the same places; where several are one function, the first counts
 * @cnt:     0 with @glob and @regex
 * @notrace: NULL, or a filter without cookies: leave out what that selects
 * @match:   NULL, or, with @glob only, what decides in place of fnmatch(3)
 *           whether the glob selects the function of this name: 1, 0 or -ENOMEM.
 *           So names can be matched that only the caller knows, such as
 *           demangled ones. It is not asked about "*", nor about symbols that
 *           are no functions with a site; once with a name that is NULL, where
 *           what it returns is no matter, of a module whose functions have no
 *           names. It runs within the library's lock, for modules to come in
 *           the thread that loads them, and must not call this library
 * @arg:     for @match
 *
 * Exactly one of @glob, @regex, @syms and @addrs is not NULL. Everything is
 * copied, but for what @arg points to: nothing else has to stay when the call is
 * over. Filters with equal globs are equal, whatever matches them.
 */
struct patchbay_filter {
	size_t size;
	const char *glob;
	const char *regex;
	const char *const *syms;
	const uintptr_t *addrs;
	void *const *cookies;
	size_t cnt;
	const struct patchbay_filter *notrace;
	int (*match)(const char *glob, const char *name, void *arg);
	void *arg;
};

/*
 * Arm also the selected functions of modules that are loaded later; not for
 * @addrs. It is then no error if nothing is selected now. A module that comes is
 * armed as if it had been there: for filter after filter, of all tracers, in the
 * order in which they were given. What goes wrong is in struct
 * patchbay_ops_info.
 */
#define PATCHBAY_ARM_FUTURE 1u

/*
 * Skip what cannot be armed, and arm the rest: names and addresses that no
 * function with a site has, sites with -EILSEQ and -ERANGE, functions with
 * -EOPNOTSUPP and -E2BIG, what the tracer's @check refuses. The count tells.
 */
#define PATCHBAY_ARM_SKIP 2u

/*
 * Arm @ops on the functions that @filter selects, in all loaded modules.
 *
 * Functions that @ops is armed on already are left so, with the data that they
 * have. Several tracers may be armed on one function; their handlers run in the
 * order in which they were armed, and a call costs nothing for tracers that are
 * armed on other functions only.
 *
 * Returns the number of functions that were armed by this call, or
 * -EINVAL:  unknown flags, or a filter that is none: not exactly one selector,
 *           a list without items or with a NULL, a regular expression that does
 *           not compile, cookies without a list, @match without a glob, @notrace
 *           with cookies or with a @notrace, PATCHBAY_ARM_FUTURE with addresses, a size less than
 *           this header's
 * -E2BIG:   a filter of a later header, with something set that this library
 *           does not know; or more than INT_MAX items; or more than
 *           PATCHBAY_EXIT_MAX tracers with @exit on a function
 * -EOPNOTSUPP: a tracer with @exit, and a function whose body cannot be called
 *           for it: its arguments are not known (`...`, or by its record), or
 *           it never returns
 * -ENOENT:  no function is selected, or for a name or an address in the list
 *           there is none
 * -EILSEQ:  the text of a site is not what the compiler put there (somebody
 *           else patched it)
 * -ENOMEM:  no memory, or no room for a way to the trampolines within a
 *           branch's reach of a module (x86-64: 2 GB, AArch64: 128 MB, ppc64le:
 *           32 MB)
 * -ERANGE:  such a place is in reach of the module, but not of the function
 *           (AArch64: it is in the middle of more than 256 MB of text, ppc64le:
 *           of more than 64 MB)
 * -EDEADLK: called from a handler
 * -EAGAIN:  a function was disarmed before, and a handler that was running then has
 *           not returned for as long as patchbay_set_wait_limit() says
 * -EBUSY:   strict mode: the handler of SIGTRAP has been replaced
 * -ENODEV:  no /proc to write text through, as in a chroot(2)
 * or what the tracer's @check or @attach returned, or what membarrier(2) or
 * opening files returned: -EACCES where the process has given up privileges
 * (setuid) and may not write its text any more.
 */
int patchbay_arm_filter(struct patchbay_ops *ops,
			const struct patchbay_filter *filter,
			unsigned int flags);

/* The same, for a filter that has only a glob. */
int patchbay_arm(struct patchbay_ops *ops, const char *glob,
		 unsigned int flags);

/*
 * Disarm @ops on the functions that @filter selects, and forget the filters
 * that were given with PATCHBAY_ARM_FUTURE and are equal to it but for cookies.
 * When this returns no thread is in the handler on behalf of these functions:
 * it waits for handlers that are running.
 *
 * A site that cannot be changed back (another patcher changed it, or writing
 * text has become impossible) goes on calling a trampoline that does nothing.
 *
 * Returns the number of functions that were disarmed by this call, or -ENOENT
 * if @ops is armed on none that is selected (names and addresses where it is
 * not armed are no error; filters for later are forgotten all the same), or
 * errors as for patchbay_arm_filter(). If it is waiting that failed, which is
 * -ETIMEDOUT (patchbay_set_wait_limit()) or an error of membarrier(2), the
 * functions are disarmed, but the handler may be running. To wait again, call
 * patchbay_synchronize().
 */
int patchbay_disarm_filter(struct patchbay_ops *ops,
			   const struct patchbay_filter *filter);
int patchbay_disarm(struct patchbay_ops *ops, const char *glob);

/*
 * Batches: what several calls of the above would do, of several tracers, in one
 * transaction. Nothing happens until it is committed; then each request is
 * carried out on what those before it lead to, and each function goes from its
 * tracers to the new ones in one step: tracers that stay miss no call, and one
 * that is disarmed and armed again, with other data, sees each call once, at
 * the end of the order. Text is written and processors are interrupted as often
 * as for one request.
 *
 * Each request looks at the functions of all modules: a list of many is faster
 * than as many requests. The tracers of a batch must not be destroyed before it
 * is committed or destroyed.
 */
struct patchbay_batch;

/* -ENOMEM */
int patchbay_batch_create(struct patchbay_batch **batch);

/* Forget the batch. NULL is none. */
void patchbay_batch_destroy(struct patchbay_batch *batch);

/* Note a request. -EINVAL, -E2BIG, -ENOMEM: the batch is as before. */
int patchbay_batch_arm(struct patchbay_batch *batch, struct patchbay_ops *ops,
		       const struct patchbay_filter *filter,
		       unsigned int flags);
int patchbay_batch_disarm(struct patchbay_batch *batch,
			  struct patchbay_ops *ops,
			  const struct patchbay_filter *filter);

/*
 * Carry out all requests, or none. The batch is then empty and can be used
 * again; after an error it is as before. A request that disarms nothing is no
 * error here: all is as it asked for.
 *
 * Returns how many functions were armed and disarmed, added up over requests,
 * or errors as for patchbay_arm_filter() and patchbay_disarm_filter(). As there,
 * -EAGAIN is none of it, and -ETIMEDOUT all of it with a handler that may be running:
 * the batch need not be committed again, but patchbay_synchronize() be called.
 *
 * If text cannot be written in the middle of it, sites that were armed by then
 * are disarmed again. Their handlers may have run, but none is running when
 * this returns.
 */
int patchbay_batch_commit(struct patchbay_batch *batch);

/*
 * The same without waiting for handlers: when it returns, none is entered any more
 * on behalf of what was disarmed, but some may be running. What the library keeps
 * for them is freed later, by whoever calls it next. What the caller keeps for them
 * may be freed after patchbay_synchronize(). To arm a function again whose handlers
 * are still running does wait.
 */
int patchbay_batch_commit_nowait(struct patchbay_batch *batch);

/*
 * Return when every handler that was running at the time of the call has returned,
 * as synchronize_rcu() in Linux does. -EDEADLK: called from a handler. -ETIMEDOUT:
 * patchbay_set_wait_limit(). Or an error of membarrier(2).
 */
int patchbay_synchronize(void);

/*
 * enum patchbay_site_state - what a site is, by its bytes
 * @PATCHBAY_SITE_DISARMED: it can be armed
 * @PATCHBAY_SITE_ARMED:    it calls a trampoline of this library
 *
 * The others cannot be armed: patchbay_arm() returns -EILSEQ.
 * @PATCHBAY_SITE_OUTSIDE:  its record leads to outside of the module's text, or
 *                          to text that is not executed any more since llvm-bolt
 *                          moved the function
 * @PATCHBAY_SITE_NO_SLOT:  there is no pad, and so no slot, before the entry
 * @PATCHBAY_SITE_UNKNOWN:  its bytes are not what the compiler put there: a
 *                          debugger's breakpoint, another patcher
 * @PATCHBAY_SITE_FOREIGN:  it is armed, but not by this copy of the library
 */
enum patchbay_site_state {
	PATCHBAY_SITE_DISARMED,
	PATCHBAY_SITE_ARMED,
	PATCHBAY_SITE_OUTSIDE,
	PATCHBAY_SITE_NO_SLOT,
	PATCHBAY_SITE_UNKNOWN,
	PATCHBAY_SITE_FOREIGN,
};
#define PATCHBAY_SITE_NR_STATES 8 /* with room for more */

/*
 * struct patchbay_site_info - a site, as patchbay_for_each_site() shows it
 * @state:    what it is
 * @cells:    the tracers that are armed on it, in the order of their handlers
 * @nr_cells: how many; 0 if the site is not armed, or is armed for nothing
 *            because it could not be disarmed
 */
struct patchbay_site_info {
	const struct patchbay_module_info *module;
	const struct patchbay_record *record;
	uintptr_t entry;
	const struct patchbay_cell *cells;
	size_t nr_cells;
	enum patchbay_site_state state;
};

/*
 * Call @visit for every site of every module until it returns non-zero, and
 * return what it returned last. @visit runs with a lock of the library held and
 * must not call the library, but for patchbay_get_stats() and
 * patchbay_ops_get_info(). Who waits for handlers is not waited for.
 */
int patchbay_for_each_site(int (*visit)(const struct patchbay_site_info *site,
					void *arg),
			   void *arg);

/*
 * Call @visit for every name of every function with a site until it returns
 * non-zero, and return what it returned last. A function that was renamed has the
 * name of its symbol here. Symbol tables that were not read yet are read, which
 * takes some milliseconds. @name is gone when @visit returns,
 * which is called as that of patchbay_for_each_site(). -EDEADLK, -ENOMEM,
 * -EMFILE, -ENFILE: there may be names that were not visited.
 */
int patchbay_for_each_name(int (*visit)(uintptr_t entry, const char *name,
					void *arg),
			   void *arg);

/*
 * struct patchbay_stats - what there is, and what happened so far
 * @size:         sizeof(struct patchbay_stats), set by the caller
 * @modules:      loaded modules
 * @sites:        their sites
 * @armed:        functions that have a tracer
 * @memory:       bytes of cells and sets of tracers, for functions that are or
 *                were armed
 * @batches:      times that functions were armed or disarmed
 * @membarriers:  system calls that made every processor serialize
 * @text_writes:  system calls that wrote to text, for static calls, too
 * @strict_traps: calls that met a trap of strict mode
 * @refused:      sites for which arming failed, by enum patchbay_site_state
 * @modes:        PATCHBAY_MODE_* that are on
 * @left:         handlers that were found never to return, because a signal
 *                handler left them by siglongjmp(3)
 * @timeouts:     waits for handlers that patchbay_set_wait_limit() ended
 * @waited_for:   the thread that the last of these waited for, as gettid(2) calls
 *                it; 0: one that is ending
 */
struct patchbay_stats {
	size_t size;
	uint64_t modules, sites, armed, memory;
	uint64_t batches, membarriers, text_writes, strict_traps;
	uint64_t refused[PATCHBAY_SITE_NR_STATES];
	unsigned int modes;
	uint64_t left, timeouts, waited_for;
};

/*
 * Fill in @stats. It waits for nobody, and may be called from a handler. -EINVAL:
 * a size less than this header's.
 */
int patchbay_get_stats(struct patchbay_stats *stats);

/*
 * Called by the constructor and the destructor that the pass puts into every
 * module; programs have no reason to. -EPROTONOSUPPORT: the module is of an
 * ABI version that this library does not know, and none of its sites is used.
 * -EALREADY, -ENOENT, -ENOMEM.
 */
int patchbay_module_register(const struct patchbay_module *module);
int patchbay_module_unregister(const struct patchbay_module *module);

/* The ABI version that this library was built for: PATCHBAY_ABI_VERSION. */
unsigned int patchbay_abi_version(void);

#ifdef __cplusplus
}
#endif

#endif /* PATCHBAY_PATCHBAY_H */
