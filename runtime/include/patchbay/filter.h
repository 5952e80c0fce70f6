/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Selects the functions of a tracer: filters, arming and disarming, and batches of
 * both. A part of <patchbay/patchbay.h>, which has the common rules.
 */
#ifndef PATCHBAY_FILTER_H
#define PATCHBAY_FILTER_H

#include <patchbay/tracer.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * struct patchbay_filter - a selection of functions
 * @size:    sizeof(struct patchbay_filter); see Versions in <patchbay/patchbay.h>
 * @glob:    a pattern of fnmatch(3). It matches the name in the symbol table (of a
 *           C++ function: the mangled name), or that name without the compiler's
 *           suffix (<patchbay/names.h>); so do @regex and @syms. "*" matches every
 *           function with a site, including those without a name. In @glob and @syms,
 *           "@ID+1a40" is also a name of the function at ELF address 0x1a40 of a module.
 *           ID is the module's build id in lower-case hexadecimal digits, or its path if
 *           it has none
 * @regex:   a POSIX extended regular expression, regcomp(3), that matches
 *           anywhere in the name; ^ and $ anchor it. glibc's implementation is
 *           recursive, so ten thousand nested parentheses overflow the stack:
 *           accept none from untrusted sources
 * @syms:    @cnt names, in any order. Each selects all functions of that name. The
 *           cost of finding a name does not depend on @cnt
 * @addrs:   @cnt entry addresses of functions; other addresses within a function are
 *           invalid
 * @cookies: NULL, or @cnt values for cell->data, for the names or addresses at
 *           the same positions; if several select one function, the first counts
 * @cnt:     0 with @glob and @regex
 * @notrace: NULL, or a filter without cookies that selects functions to exclude
 * @match:   NULL, or, only with @glob, a replacement for fnmatch(3): returns
 *           whether the glob selects the function of this name (1 or 0), or -ENOMEM.
 *           So a program can match other names, such as demangled ones. The library
 *           does not call @match for "*", nor for symbols that are not functions with
 *           a site. For a function without a symbol, the name is "@ID+1a40". For a
 *           module whose functions have no names, the library calls @match once with
 *           NULL, and ignores the result. See Callbacks in <patchbay/patchbay.h>
 * @arg:     for @match
 *
 * Exactly one of @glob, @regex, @syms and @addrs is not NULL. The library copies
 * everything except the object at @arg: the rest may be freed when the call
 * returns. Filters with equal globs are equal, even if @match differs.
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
 * Also arm the selected functions of modules that are loaded later; not for @addrs.
 * Then it is no error if nothing is selected now. A new module is armed as if it had
 * been loaded before: by one filter after the other, of all tracers, in the order in
 * which they were given. struct patchbay_ops_info has the errors.
 */
#define PATCHBAY_ARM_FUTURE 1u

/*
 * Skip functions that cannot be armed, and arm the rest. Skipped are: names and addresses
 * without a function with a site, sites with -EILSEQ and -ERANGE, functions with
 * -EOPNOTSUPP and -E2BIG, and functions that the tracer's @check refuses. The result of the
 * call counts only functions that were armed.
 */
#define PATCHBAY_ARM_SKIP 2u

/*
 * Arms @ops on the functions that @filter selects, in all loaded modules.
 *
 * Functions on which @ops is already armed do not change, and keep their data. A function
 * may have several tracers; their handlers run in the order in which they were armed. A
 * call costs nothing for tracers that are only armed on other functions.
 *
 * Returns the number of functions that were armed by this call, or
 * -EINVAL:  unknown flags, or an invalid filter: not exactly one selector,
 *           a list without items or with a NULL, a regular expression that does
 *           not compile, cookies without a list, @match without a glob, @notrace
 *           with cookies or with a @notrace, PATCHBAY_ARM_FUTURE with addresses,
 *           a size less than PATCHBAY_FILTER_SIZE_VER0
 * -E2BIG:   a filter of a later header that sets a field which this library
 *           does not know; or more than INT_MAX items; or more than
 *           PATCHBAY_EXIT_MAX tracers with @exit on a function
 * -EOPNOTSUPP: a tracer with @exit, and a function whose body cannot be called
 *           for it (PATCHBAY_RECORD_NO_EXIT): its arguments are not known
 *           (`...`, or by its record), it never returns, or it ends in a
 *           guaranteed tail call. PATCHBAY_ARM_SKIP skips such functions;
 *           patchbay_link_attach() has a log that names them
 * -ENOENT:  no function is selected, or a name or an address in the list has no
 *           function
 * -EILSEQ:  the text of a site is not the compiler's (another patcher
 *           changed it)
 * -ENOMEM:  no memory, or no free address space for a jump to the trampolines within a
 *           branch's reach of a module (AArch64: 128 MB, ppc64le: 32 MB)
 * -ERANGE:  such space is in reach of the module, but not of the function
 *           (AArch64: it is in the middle of more than 256 MB of text, ppc64le:
 *           of more than 64 MB)
 * -EDEADLK: called from a handler
 * -EBUSY:   another thread has been in a callback for too long (<patchbay/patchbay.h>)
 * -EAGAIN:  a function was disarmed before, and a handler that was running then has
 *           not returned within the limit of patchbay_set_wait_limit()
 * -ENODEV:  no /proc to write text through, as in a chroot(2)
 * or an error of the tracer's @check or @attach, of membarrier(2) or of
 * opening files: -EACCES if the process has dropped privileges (setuid)
 * and may not write its text any more.
 */
int patchbay_arm_filter(struct patchbay_ops *ops,
			const struct patchbay_filter *filter,
			unsigned int flags);

/* Like patchbay_arm_filter(), for a filter that has only a glob. */
int patchbay_arm(struct patchbay_ops *ops, const char *glob,
		 unsigned int flags);

/*
 * Disarms @ops on the functions that @filter selects. Also removes the filters that were
 * given with PATCHBAY_ARM_FUTURE and are equal to @filter except for cookies. Waits for
 * running handlers: when this returns, no thread is in the handler on behalf of these
 * functions.
 *
 * A site that cannot be changed back (another patcher changed it, or text cannot be
 * written any more) still calls a trampoline, which does nothing. Only in one case a failed
 * write of text is an error, and nothing is disarmed: functions of the module share a cell,
 * and some of these keep the tracer. Disarming a tracer everywhere, and destroying it,
 * succeed without writing text.
 *
 * Returns the number of functions that were disarmed by this call. Returns -ENOENT if
 * @ops is armed on no selected function (names and addresses where it is not armed are no
 * error; filters for later modules are removed all the same). Or returns errors as for
 * patchbay_arm_filter(). If waiting failed, which is -ETIMEDOUT
 * (patchbay_set_wait_limit()) or an error of membarrier(2), the functions are disarmed,
 * but the handler may be running. To wait again, call patchbay_synchronize().
 */
int patchbay_disarm_filter(struct patchbay_ops *ops,
			   const struct patchbay_filter *filter);
int patchbay_disarm(struct patchbay_ops *ops, const char *glob);

/*
 * A batch does several of the above calls, for one or more tracers, in one transaction.
 * When the batch is committed, each request is applied to the result of the previous
 * requests, and each function changes from its old tracers to its new tracers in one
 * step. Tracers that stay miss no call. A tracer that is disarmed and armed again,
 * with other data, sees each call once, and moves to the end of the order. The library
 * writes text and interrupts CPUs as often as for one request.
 *
 * Each request searches the functions of all modules, so one request with a list is faster
 * than a request for each name. The tracers of a batch must not be destroyed before the
 * batch is committed or destroyed.
 */
struct patchbay_batch;

/* Returns 0 or -ENOMEM. */
int patchbay_batch_create(struct patchbay_batch **batch);

/* Drops the batch. NULL is allowed. */
void patchbay_batch_destroy(struct patchbay_batch *batch);

/* Adds a request. -EINVAL, -E2BIG, -ENOMEM: the batch has not changed. */
int patchbay_batch_arm(struct patchbay_batch *batch, struct patchbay_ops *ops,
		       const struct patchbay_filter *filter,
		       unsigned int flags);
int patchbay_batch_disarm(struct patchbay_batch *batch,
			  struct patchbay_ops *ops,
			  const struct patchbay_filter *filter);

/*
 * Applies all requests, or none. Afterwards the batch is empty and can be used
 * again; after an error it has not changed. A request that disarms nothing is no
 * error here, because the result is as requested.
 *
 * Returns the number of functions that were armed and disarmed, summed over requests, or
 * errors of patchbay_arm_filter() and patchbay_disarm_filter(). After -EAGAIN no request
 * was applied. After -ETIMEDOUT all requests were applied, but a handler may be running:
 * call patchbay_synchronize(), and do not commit the batch again.
 *
 * If text becomes unwritable half way, sites that were already armed are disarmed
 * again. Handlers may have run, but none is running when this function returns.
 */
int patchbay_batch_commit(struct patchbay_batch *batch);

#ifdef __cplusplus
}
#endif

#endif /* PATCHBAY_FILTER_H */
