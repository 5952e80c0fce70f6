/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which functions a tracer is armed on: filters, arming and disarming, and batches of
 * both. A part of <patchbay/patchbay.h>, which has what holds for all of this.
 */
#ifndef PATCHBAY_FILTER_H
#define PATCHBAY_FILTER_H

#include <patchbay/tracer.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * struct patchbay_filter - which functions
 * @size:    sizeof(struct patchbay_filter); see Versions in <patchbay/patchbay.h>
 * @glob:    a pattern of fnmatch(3) for the name in the symbol table (of C++
 *           functions: the mangled name), or for what the name was before the
 *           compiler appended to it (<patchbay/names.h>); so are @regex and
 *           @syms. "*" matches every function with a site, also those without
 *           a name. The function at ELF address 0x1a40 of a module is meant by
 *           "@ID+1a40" as well, in @glob and @syms: ID is the module's build id
 *           in lower-case hexadecimal digits, or its path if it has none
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
 *           are no functions with a site. Of a function without a symbol it is
 *           asked about "@ID+1a40"; once about a name that is NULL, where
 *           what it returns is no matter, of a module whose functions have no
 *           names. See Callbacks in <patchbay/patchbay.h>
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

#define PATCHBAY_FILTER_SIZE_VER0 16 /* up to @glob */

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
 *           with cookies or with a @notrace, PATCHBAY_ARM_FUTURE with addresses,
 *           a size less than PATCHBAY_FILTER_SIZE_VER0
 * -E2BIG:   a filter of a later header, with something set that this library
 *           does not know; or more than INT_MAX items; or more than
 *           PATCHBAY_EXIT_MAX tracers with @exit on a function
 * -EOPNOTSUPP: a tracer with @exit, and a function whose body cannot be called
 *           for it (PATCHBAY_RECORD_NO_EXIT): its arguments are not known
 *           (`...`, or by its record), it never returns, or it ends in a
 *           guaranteed tail call. PATCHBAY_ARM_SKIP leaves such out;
 *           patchbay_link_attach() has a log that names them
 * -ENOENT:  no function is selected, or for a name or an address in the list
 *           there is none
 * -EILSEQ:  the text of a site is not what the compiler put there (somebody
 *           else patched it)
 * -ENOMEM:  no memory, or no room for a way to the trampolines within a
 *           branch's reach of a module (AArch64: 128 MB, ppc64le: 32 MB)
 * -ERANGE:  such a place is in reach of the module, but not of the function
 *           (AArch64: it is in the middle of more than 256 MB of text, ppc64le:
 *           of more than 64 MB)
 * -EDEADLK: called from a handler
 * -EBUSY:   another thread has been in a callback for long (<patchbay/patchbay.h>)
 * -EAGAIN:  a function was disarmed before, and a handler that was running then has
 *           not returned for as long as patchbay_set_wait_limit() says
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
 * text has become impossible) goes on calling a trampoline that does nothing. Only
 * where others of the module keep the tracer, which some share a cell with, text has
 * to be written to part them: if it cannot be, that is an error, and nothing was
 * disarmed. To disarm a tracer everywhere, and to destroy it, never needs it.
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

#ifdef __cplusplus
}
#endif

#endif /* PATCHBAY_FILTER_H */
