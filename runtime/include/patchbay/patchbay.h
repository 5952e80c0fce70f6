/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * libpatchbay: calling a handler at the entry of chosen functions.
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
 * Handlers run on the thread that made the call, also inside signal handlers,
 * and on several threads at once.
 *
 * Edge cases
 * ----------
 * - Functions inlined into their callers, and functions of modules that were
 *   built without the pass, have no site and are never reported.
 * - A handler may call instrumented functions. Those calls, and what a signal
 *   handler calls that interrupts a handler, are seen only by tracers that are
 *   PATCHBAY_OPS_FAST: others might recurse.
 * - A handler must return: no longjmp, no exception. Nor may a signal handler
 *   leave one by siglongjmp; block the signal where that can happen. Who waits
 *   for such a handler waits for ever.
 * - Calls that a thread makes after the last round of its pthread_key_create()
 *   destructors are traced, at a somewhat higher price.
 */
#ifndef PATCHBAY_PATCHBAY_H
#define PATCHBAY_PATCHBAY_H

#include <patchbay/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

struct patchbay_ops;
struct pb_set;

/*
 * struct patchbay_regs - the argument registers at the entry of the function
 *
 * What a handler writes here is what the function receives. Only registers that
 * may hold something are filled in: those of the record's gp_args, in order,
 * and the static chain; the number of vector registers (x86-64) or the address
 * of the result (AArch64); all if the function is variadic or the record says
 * PATCHBAY_RECORD_UNKNOWN_ARGS. What the others hold here means nothing.
 */
#if defined(__x86_64__)
struct patchbay_regs {
	uint64_t r10; /* static chain of a nested function */
	uint64_t rdi, rsi, rdx, rcx, r8, r9;
	uint64_t rax; /* al: number of vector registers used by `...` */
	uint64_t reserved[2];
};

/* The register of integer argument @n, counted from 0, below gp_args. */
static inline uint64_t *patchbay_regs_gp(struct patchbay_regs *regs,
					 unsigned int n)
{
	return (uint64_t *)regs + 1 + n;
}

/* The stack pointer at the entry; the return address is there. */
static inline uintptr_t patchbay_regs_sp(const struct patchbay_regs *regs)
{
	return (uintptr_t)(regs + 1) + sizeof(uint64_t);
}
#elif defined(__aarch64__)
struct patchbay_regs {
	uint64_t x0, x1, x2, x3, x4, x5, x6, x7;
	uint64_t x8;  /* address of the result, if that is in memory */
	uint64_t x15; /* static chain of a nested function */
	uint64_t reserved[6];
};

/* The register of integer argument @n, counted from 0, below gp_args. */
static inline uint64_t *patchbay_regs_gp(struct patchbay_regs *regs,
					 unsigned int n)
{
	return (uint64_t *)regs + n;
}

/* The stack pointer at the entry; arguments on the stack are there. */
static inline uintptr_t patchbay_regs_sp(const struct patchbay_regs *regs)
{
	return (uintptr_t)(regs + 1);
}
#endif

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
};

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
 * @data:   what cell->data shall be; set to the tracer's data beforehand
 */
struct patchbay_target {
	uintptr_t entry;
	const struct patchbay_record *record;
	void *data;
};

/*
 * The handler was compiled with -mgeneral-regs-only (or is known to use no
 * vector and no x87 register) and calls nothing that is instrumented. It is
 * called without saving vector registers, which is several times cheaper.
 */
#define PATCHBAY_OPS_FAST 1u

/*
 * struct patchbay_ops_attr - properties of a tracer
 * @size:    sizeof(struct patchbay_ops_attr), so that it can grow
 * @flags:   PATCHBAY_OPS_*
 * @handler: what to call; not NULL
 * @data:    cell->data of every function, unless @attach sets another
 * @attach:  NULL, or called once per module and batch before its functions are
 *           armed, to choose the data of each. A negative errno stops the
 *           batch. It is called with the library's lock held and must not call
 *           the library. If the batch fails later, what @attach did stays.
 */
struct patchbay_ops_attr {
	size_t size;
	unsigned int flags;
	patchbay_handler handler;
	void *data;
	int (*attach)(void *data, const struct patchbay_module_info *module,
		      struct patchbay_target *targets, size_t nr);
};

/*
 * Make a tracer. It does nothing until it is armed.
 *
 * -EINVAL: no handler, unknown flags, or a size less than this header's.
 * -E2BIG: a larger size, of a later header, with something set that this library
 * does not know. -EDEADLK: called from a handler. -ENOMEM.
 */
int patchbay_ops_create(const struct patchbay_ops_attr *attr,
			struct patchbay_ops **ops);

/*
 * Disarm the tracer everywhere and free it. When this returns no thread is in
 * its handler and none will enter it. NULL is no tracer, and no error.
 *
 * -EDEADLK: called from a handler; nothing changed.
 * Other errors are those of patchbay_disarm().
 */
int patchbay_ops_destroy(struct patchbay_ops *ops);

/* Arm also the matching functions of modules that are loaded later. It is then
 * no error if nothing matches now. */
#define PATCHBAY_ARM_FUTURE 1u

/*
 * Arm @ops on every function whose name matches @glob, in all loaded modules.
 *
 * @glob is a pattern of fnmatch(3) for the name in the symbol table (of C++
 * functions: the mangled name). "*" matches every function with a site, also
 * those without a name. Functions that @ops is armed on already are left so.
 * Several tracers may be armed on one function; their handlers run in the order
 * in which they were armed, and a call costs nothing for tracers that are
 * armed on other functions only.
 *
 * Returns the number of functions that were armed by this call, or
 * -ENOENT:  no function matches
 * -EILSEQ:  the text of a site is not what the compiler put there (somebody
 *           else patched it)
 * -ENOMEM:  no memory, or no room for a way to the trampolines within a
 *           branch's reach of a module (x86-64: 2 GB, AArch64: 128 MB)
 * -ERANGE:  such a place is in reach of the module, but not of the function
 *           (AArch64: it is in the middle of more than 200 MB of text)
 * -EDEADLK: called from a handler
 * -ENODEV:  no /proc to write text through, as in a chroot(2)
 * or what membarrier(2) or opening files returned: -EACCES where the process
 * has given up privileges (setuid) and may not write its text any more.
 */
int patchbay_arm(struct patchbay_ops *ops, const char *glob,
		 unsigned int flags);

/*
 * Disarm @ops on every function whose name matches @glob, and forget the globs
 * equal to @glob that were given with PATCHBAY_ARM_FUTURE. When this returns
 * no thread is in the handler on behalf of these functions: it waits for
 * handlers that are running.
 *
 * A site that cannot be changed back (another patcher changed it, or writing
 * text has become impossible) goes on calling a trampoline that does nothing.
 *
 * Returns the number of functions that were disarmed by this call, or -ENOENT
 * if @ops is armed on none that matches, or errors as for patchbay_arm().
 */
int patchbay_disarm(struct patchbay_ops *ops, const char *glob);

/*
 * struct patchbay_site_info - a site, as patchbay_for_each_site() shows it
 * @cells:    the tracers that are armed on it, in the order of their handlers
 * @nr_cells: how many; 0 if the site is not armed
 */
struct patchbay_site_info {
	const struct patchbay_module_info *module;
	const struct patchbay_record *record;
	uintptr_t entry;
	const struct patchbay_cell *cells;
	size_t nr_cells;
};

/*
 * Call @visit for every site of every module until it returns non-zero, and
 * return what it returned last. @visit runs with the library's lock held and
 * must not call the library.
 */
int patchbay_for_each_site(int (*visit)(const struct patchbay_site_info *site,
					void *arg),
			   void *arg);

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
