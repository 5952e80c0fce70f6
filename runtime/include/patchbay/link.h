/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * libpatchbay-link: links, similar to libbpf's.
 *
 * A *program* is one or two handlers and their requirements on a function: how many
 * arguments of each kind they read, and the kind of result. A *link* is a program that is
 * attached to functions, one or fifty thousand. Attaching refuses functions that do not
 * meet the requirements, with a reason. So programs need not check what they read. A link
 * is a tracer (patchbay.h) and has the same cost: a program gets the function's cell, and
 * no context is built for it.
 *
 * Usage
 * -----
 *	static void on_free(uintptr_t ip, uintptr_t parent_ip,
 *			    const struct patchbay_cell *cell,
 *			    struct patchbay_regs *regs)
 *	{
 *		forget(patchbay_get_func_arg(cell, regs, 0));
 *	}
 *
 *	const struct patchbay_program program = {
 *		.size = sizeof(program), .entry = on_free, .nr_args = 1,
 *	};
 *	const struct patchbay_filter filter = {
 *		.size = sizeof(filter), .glob = "*_free",
 *	};
 *	const struct patchbay_link_opts opts = {
 *		.size = sizeof(opts), .filter = &filter,
 *		.flags = PATCHBAY_LINK_SKIP_INVALID,
 *	};
 *	struct patchbay_link *link;
 *
 *	nr = patchbay_link_attach(PATCHBAY_FENTRY, &program, &opts, &link);
 *	...
 *	patchbay_link_destroy(link);
 *
 * Floating-point arguments are counted separately. For scale(int, double):
 *
 *	static void on_scale(uintptr_t ip, uintptr_t parent_ip,
 *			     const struct patchbay_cell *cell,
 *			     struct patchbay_regs *regs)
 *	{
 *		log_call(patchbay_get_func_arg(cell, regs, 0),
 *			 patchbay_get_func_arg_double(regs, 0));
 *	}
 *
 *	const struct patchbay_program program = {
 *		.size = sizeof(program), .entry = on_scale,
 *		.nr_args = 1, .nr_fp_args = 1,
 *	};
 *
 * Link with -lpatchbay-link -lpatchbay.
 *
 * Kinds
 * -----
 * PATCHBAY_FENTRY         @entry is called when the function is entered
 * PATCHBAY_FEXIT          @exit is called when the function is left, with the
 *                         arguments of the entry, and the result
 * PATCHBAY_MODIFY_RETURN  @entry may call patchbay_override_return(): then the body
 *                         is not called, and the caller gets that result
 * PATCHBAY_SESSION        both, with a word for this call between them
 *
 * Equivalents of BPF helpers
 * --------------------------
 * bpf_get_func_ip()         @ip
 * bpf_get_func_arg()        patchbay_get_func_arg()
 * bpf_get_func_arg_cnt()    patchbay_get_func_arg_cnt()
 * floating-point arguments  patchbay_get_func_arg_double(), ..._float(),
 *                           patchbay_get_func_fp_arg_cnt()
 * bpf_get_func_ret()        patchbay_get_func_ret()
 * bpf_get_attach_cookie()   patchbay_get_attach_cookie()
 * bpf_session_cookie()      patchbay_session_word()       <patchbay/exit.h>
 * bpf_override_return()     patchbay_override_return()
 * a function's name         patchbay_for_each_name()      <patchbay/inspect.h>
 *
 * patchbay_result_fp() has floating-point results, and patchbay_result_gp(regs, 1) the
 * second register of a small structure. For a structure in memory
 * patchbay_get_func_ret() is the address. patchbay_exit_reason() tells whether there
 * is a result: a call that an exception leaves has none.
 *
 * Order
 * -----
 * Links and tracers of one function are called in the order in which they were
 * attached to it, whatever their kinds are; at the exit in the reverse order.
 * After patchbay_override_return() the other links are still called, and see
 * PATCHBAY_EXIT_SKIP in patchbay_exit_reason(), also at the entry. The last
 * override wins. (In the kernel, fmod_ret programs after an override are not
 * called, and fentry programs come first.)
 *
 * Faults
 * ------
 * Programs are code of the process: a fault in a program kills the process.
 * <patchbay/patchbay.h> lists the restrictions of handlers.
 *
 * Threads
 * -------
 * A link is for one thread at a time. Otherwise the rules of <patchbay/patchbay.h>
 * apply, also for errors and signals. For links with exits see also
 * <patchbay/exit.h>.
 */
#ifndef PATCHBAY_LINK_H
#define PATCHBAY_LINK_H

#include <patchbay/args.h>
#include <patchbay/exit.h>

#ifdef __cplusplus
extern "C" {
#endif

struct patchbay_link;

enum patchbay_link_kind {
	PATCHBAY_FENTRY,
	PATCHBAY_FEXIT,
	PATCHBAY_MODIFY_RETURN,
	PATCHBAY_SESSION,
};

/*
 * enum patchbay_return - a program's requirement on results
 * @PATCHBAY_RETURN_ANY:  none: the program does not read the result, or reads the record
 * @PATCHBAY_RETURN_VOID: there is no result
 * @PATCHBAY_RETURN_GP:   the result is in integer registers: an integer, a pointer, or a
 *                        structure of those in up to two registers
 * @PATCHBAY_RETURN_FP:   the result is in floating-point registers
 */
enum patchbay_return {
	PATCHBAY_RETURN_ANY,
	PATCHBAY_RETURN_VOID,
	PATCHBAY_RETURN_GP,
	PATCHBAY_RETURN_FP,
};

/*
 * struct patchbay_program - handlers, and their requirements on functions
 * @size:    sizeof(struct patchbay_program); see Versions in <patchbay/patchbay.h>
 * @entry:   for all kinds except PATCHBAY_FEXIT
 * @exit:    for PATCHBAY_FEXIT and PATCHBAY_SESSION
 * @flags:   PATCHBAY_OPS_FAST, PATCHBAY_OPS_RECURSION
 * @nr_args: patchbay_get_func_arg() is called for arguments below this
 * @result:  the kind of result that the program requires
 * @nr_fp_args: patchbay_get_func_arg_double() and similar functions are called for
 *           arguments below this; 0 with PATCHBAY_OPS_FAST
 */
struct patchbay_program {
	size_t size;
	patchbay_handler entry, exit;
	unsigned int flags;
	unsigned int nr_args;
	enum patchbay_return result;
	unsigned int nr_fp_args;
};

#define PATCHBAY_PROGRAM_SIZE_VER0 32 /* up to @nr_args */

/* Skip functions that are refused, and attach to the others. */
#define PATCHBAY_LINK_SKIP_INVALID 1u

/* Also attach to functions of modules that are loaded later. */
#define PATCHBAY_LINK_FUTURE 2u

/*
 * struct patchbay_link_opts - the functions of a link, and options
 * @size:    sizeof(struct patchbay_link_opts); see Versions
 * @filter:  the functions. patchbay_get_attach_cookie() returns its cookies
 * @cookie:  the cookie of all functions, if the filter has no cookies
 * @flags:   PATCHBAY_LINK_*
 * @log:     NULL, or called for each refused function, with its name (NULL if it has
 *           none) and entry; without PATCHBAY_LINK_SKIP_INVALID only for one of them.
 *           Also called for other errors, with the name in question (or NULL) and entry
 *           0. @error is a negative errno, @reason a phrase in English. Called before
 *           patchbay_link_attach() returns, without locks: @log may call the library. If
 *           memory is short, some functions may not be reported
 * @log_arg: the first argument of @log
 */
struct patchbay_link_opts {
	size_t size;
	const struct patchbay_filter *filter;
	void *cookie;
	unsigned int flags;
	void (*log)(void *arg, const char *name, uintptr_t entry, int error,
		    const char *reason);
	void *log_arg;
};

#define PATCHBAY_LINK_OPTS_SIZE_VER0 16 /* up to @filter */

/*
 * Attaches @program to all functions that the filter selects, or to none. @abi is
 * PATCHBAY_HANDLER_ABI of the header that the program is compiled with;
 * patchbay_link_attach() passes it.
 *
 * Returns the number of functions, with the link in *@link; or an error, with NULL in
 * *@link. If *@link is not NULL after an error, it is a link on no function: the program
 * was attached to some functions until others failed, and a thread may still be in the
 * program. Then the result is the error of patchbay_link_destroy(), which must be called
 * again before the program may be unloaded. @opts->log has the original error.
 *
 * -EINVAL:     a size less than PATCHBAY_PROGRAM_SIZE_VER0 or
 *              PATCHBAY_LINK_OPTS_SIZE_VER0; unknown kind, flags or result; a
 *              handler that the kind does not have, or a missing one;
 *              floating-point arguments and PATCHBAY_OPS_FAST; a missing or invalid
 *              filter; cookies in both places
 * -E2BIG:      a later header's size, with an unknown field set; or more than
 *              PATCHBAY_EXIT_MAX links with exits on a function
 * -ENOENT:     no function with a site is selected, or none for a name or address
 *              in the list; or all were skipped
 * -EDOM:       the program reads an argument that a function does not have in
 *              an integer register, or in a floating-point one
 * -EPROTONOSUPPORT: @abi is not the library's: recompile the program
 * -EPROTOTYPE: a function's result is not of the required kind
 * -EOPNOTSUPP: a function whose body cannot be called for its exit, by any kind
 *              except PATCHBAY_FENTRY: it is variadic, its arguments are not
 *              known, it never returns, or it ends in a guaranteed tail call
 * and the errors of patchbay_arm_filter(). Of all these, -EDOM, -EPROTOTYPE, -EILSEQ,
 * -ERANGE, -EOPNOTSUPP and -E2BIG concern single functions, which
 * PATCHBAY_LINK_SKIP_INVALID skips.
 */
int patchbay_link_attach_abi(enum patchbay_link_kind kind,
			     const struct patchbay_program *program,
			     const struct patchbay_link_opts *opts,
			     struct patchbay_link **link, unsigned int abi);

PATCHBAY_INLINE int patchbay_link_attach(enum patchbay_link_kind kind,
					 const struct patchbay_program *program,
					 const struct patchbay_link_opts *opts,
					 struct patchbay_link **link)
{
	return patchbay_link_attach_abi(kind, program, opts, link,
					PATCHBAY_HANDLER_ABI);
}

/*
 * Replaces the program, everywhere at once, like patchbay_ops_update_both().
 * Functions and cookies stay. Returns 0, or
 * -EINVAL:  @program is not of the link's kind, or has other flags, or requires more of
 *           functions than the program that was attached
 * -ENOLINK: the link is detached
 * -ETIMEDOUT: the program was replaced, and patchbay_link_get_info() returns the new
 *           program, but a thread may still be in the old program
 *           (patchbay_set_wait_limit())
 * or other errors of patchbay_ops_update_both().
 */
int patchbay_link_update(struct patchbay_link *link,
			 const struct patchbay_program *program);

/*
 * Detaches the program from all functions. When this returns no thread is in the program.
 * The link stays, for patchbay_link_get_info(). -ENOLINK: the link is already detached.
 * -ETIMEDOUT: no thread enters the program any more, but a thread may still be in it
 * (patchbay_set_wait_limit()); try again. After other errors, those of
 * patchbay_ops_destroy(), the program is still attached.
 */
int patchbay_link_detach(struct patchbay_link *link);

/*
 * Detaches the program if it is still attached, and frees the link. NULL is allowed and
 * does nothing. After an error of patchbay_link_detach() the link still exists.
 */
int patchbay_link_destroy(struct patchbay_link *link);

/*
 * struct patchbay_link_info - the current state of a link
 * @size:         sizeof(struct patchbay_link_info), set by the caller
 * @kind, @flags: as the link was attached
 * @program:      the attached program, in the size of this header
 * @attached:     the number of functions, 0 when the link is detached
 * @nmissed:      calls that the link missed, because their thread was in a
 *                handler; 0 when the link is detached
 * @future_error: as in struct patchbay_ops_info
 */
struct patchbay_link_info {
	size_t size;
	enum patchbay_link_kind kind;
	unsigned int flags;
	struct patchbay_program program;
	size_t attached;
	uint64_t nmissed;
	int future_error;
};

#define PATCHBAY_LINK_INFO_SIZE_VER0 64 /* up to @attached */

/* Does not wait. -EINVAL: a size less than PATCHBAY_LINK_INFO_SIZE_VER0. */
int patchbay_link_get_info(const struct patchbay_link *link,
			   struct patchbay_link_info *info);

/*
 * Returns a phrase in English for an error of these functions; for -EDOM, its meaning
 * here. Never NULL, and never to be freed. Async-signal-safe.
 */
const char *patchbay_link_strerror(int error);

/*
 * The functions below are for programs, with the program's own parameters. They call no other
 * functions, use only general registers unless stated otherwise, are async-signal-safe and
 * cannot fail.
 */

/* The cookie of this function and this link. */
PATCHBAY_INLINE void *
patchbay_get_attach_cookie(const struct patchbay_cell *cell)
{
	return cell->data;
}

/*
 * Integer or pointer argument @n, counted from 0, below the nr_args of the program;
 * <patchbay/args.h> defines the counting. An exit handler gets the value at the
 * entry, too.
 */
PATCHBAY_INLINE uint64_t patchbay_get_func_arg(const struct patchbay_cell *cell,
					       struct patchbay_regs *regs,
					       unsigned int n)
{
	const struct patchbay_record *record = cell->record;
	unsigned int hidden = record->flags & PATCHBAY_RECORD_SRET ?
				      PATCHBAY_ARG_SRET_REGS :
				      0;

	return *patchbay_regs_gp(regs, n + hidden);
}

/*
 * Floating-point argument @n, counted from 0, below the nr_fp_args of the program.
 * The program has to know whether the function takes a double or a float. An exit
 * handler gets the value at the entry, too. These two functions use floating-point
 * registers. patchbay_regs_fp() uses general registers only, and lets the program
 * change the argument.
 */
PATCHBAY_INLINE double patchbay_get_func_arg_double(struct patchbay_regs *regs,
						    unsigned int n)
{
	double value;

	__builtin_memcpy(&value, patchbay_regs_fp(regs, n), sizeof(value));
	return value;
}

PATCHBAY_INLINE float patchbay_get_func_arg_float(struct patchbay_regs *regs,
						  unsigned int n)
{
#if defined(__powerpc64__)
	return (float)patchbay_get_func_arg_double(regs, n);
#else
	float value;

	__builtin_memcpy(&value, patchbay_regs_fp(regs, n), sizeof(value));
	return value;
#endif
}

/* The number of floating-point arguments in registers. */
PATCHBAY_INLINE unsigned int
patchbay_get_func_fp_arg_cnt(const struct patchbay_cell *cell)
{
	return cell->record->fp_args;
}

/* The number of integer or pointer arguments in registers. */
PATCHBAY_INLINE unsigned int
patchbay_get_func_arg_cnt(const struct patchbay_cell *cell)
{
	const struct patchbay_record *record = cell->record;
	unsigned int hidden = record->flags & PATCHBAY_RECORD_SRET ?
				      PATCHBAY_ARG_SRET_REGS :
				      0;

	return record->gp_args > hidden ? record->gp_args - hidden : 0;
}

/*
 * At the exit: the result in an integer register. The upper bits of a type narrower than
 * 64 bits are undefined.
 */
PATCHBAY_INLINE uint64_t patchbay_get_func_ret(struct patchbay_regs *regs)
{
	return *patchbay_result_gp(regs, 0);
}

/*
 * In the entry handler of a link that is PATCHBAY_MODIFY_RETURN or
 * PATCHBAY_SESSION: skips the body and returns @value. A result in floating-point
 * registers must be set in addition, with patchbay_result_fp(). For a structure
 * in memory @value is its address, the hidden argument.
 */
PATCHBAY_INLINE void patchbay_override_return(struct patchbay_regs *regs,
					      uint64_t value)
{
	*patchbay_result_gp(regs, 0) = value;
	patchbay_skip_body(regs);
}

#ifdef __cplusplus
}
#endif

#endif /* PATCHBAY_LINK_H */
