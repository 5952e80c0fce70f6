/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * libpatchbay-link: links, in the manner of libbpf.
 *
 * A *program* is one or two handlers and what they ask of a function: how many
 * arguments of which kind they read, what kind of result. A *link* is a program attached to
 * functions, one or fifty thousand: whoever does not have what the program asks
 * for is refused, with a reason, when it is attached. So programs need not check
 * what they read. A link is a tracer (patchbay.h) and costs what one costs: a
 * program is called with the function's cell, and no context is built for it.
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
 * Floating-point arguments are counted on their own. Of scale(int, double):
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
 * It is a library of its own: link with -lpatchbay-link -lpatchbay.
 *
 * Kinds
 * -----
 * PATCHBAY_FENTRY         @entry is called when the function is entered
 * PATCHBAY_FEXIT          @exit is called when it is left, with its arguments as
 *                         they were at the entry, and its result
 * PATCHBAY_MODIFY_RETURN  @entry may call patchbay_override_return(): the body
 *                         is not called then, and the caller gets that result
 * PATCHBAY_SESSION        both, with a word of this call between them
 *
 * What BPF programs ask helpers for
 * ---------------------------------
 * bpf_get_func_ip()         @ip
 * bpf_get_func_arg()        patchbay_get_func_arg()
 * bpf_get_func_arg_cnt()    patchbay_get_func_arg_cnt()
 * floating-point ones       patchbay_get_func_arg_double(), ..._float(),
 *                           patchbay_get_func_fp_arg_cnt()
 * bpf_get_func_ret()        patchbay_get_func_ret()
 * bpf_get_attach_cookie()   patchbay_get_attach_cookie()
 * bpf_session_cookie()      patchbay_session_word()       <patchbay/exit.h>
 * bpf_override_return()     patchbay_override_return()
 * a function's name         patchbay_for_each_name()      <patchbay/inspect.h>
 *
 * Floating-point results are patchbay_result_fp(), the second register of a
 * small structure is patchbay_result_gp(regs, 1), and of a structure in memory
 * patchbay_get_func_ret() is the address. patchbay_exit_reason() says whether
 * there is a result at all: of calls that an exception leaves there is none.
 *
 * Order
 * -----
 * Links and tracers of one function are called in the order in which they were
 * attached to it, whatever their kinds are; at the exit in the opposite order.
 * After patchbay_override_return() the others are called all the same; they see
 * PATCHBAY_EXIT_SKIP in patchbay_exit_reason(), at the entry, too, and who
 * overrides later wins. (In the kernel, fmod_ret programs after one that has
 * overridden are not called, and fentry programs come first.)
 *
 * Faults
 * ------
 * Programs are code of the process: one that faults ends it, as it would
 * elsewhere. <patchbay/patchbay.h> says what handlers must not do.
 *
 * Threads
 * -------
 * A link is for one thread at a time. Otherwise all is as in
 * <patchbay/patchbay.h>, errors and signals, too; of links with exits
 * <patchbay/exit.h> says more.
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
 * enum patchbay_return - what a program asks of results
 * @PATCHBAY_RETURN_ANY:  nothing: it does not look, or asks the record itself
 * @PATCHBAY_RETURN_VOID: there is none
 * @PATCHBAY_RETURN_GP:   it is in integer registers: an integer, a pointer, a
 *                        structure of those of up to two registers
 * @PATCHBAY_RETURN_FP:   it is in floating-point registers
 */
enum patchbay_return {
	PATCHBAY_RETURN_ANY,
	PATCHBAY_RETURN_VOID,
	PATCHBAY_RETURN_GP,
	PATCHBAY_RETURN_FP,
};

/*
 * struct patchbay_program - what is called, and what that asks of functions
 * @size:    sizeof(struct patchbay_program); see Versions in <patchbay/patchbay.h>
 * @entry:   for all kinds but PATCHBAY_FEXIT
 * @exit:    for PATCHBAY_FEXIT and PATCHBAY_SESSION
 * @flags:   PATCHBAY_OPS_FAST, PATCHBAY_OPS_RECURSION
 * @nr_args: patchbay_get_func_arg() is called for arguments below this
 * @result:  of the functions
 * @nr_fp_args: patchbay_get_func_arg_double() and alike are called for arguments
 *           below this; 0 with PATCHBAY_OPS_FAST
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

/* Leave out functions that are refused, and attach to the others. */
#define PATCHBAY_LINK_SKIP_INVALID 1u

/* Attach to functions of modules that are loaded later, too. */
#define PATCHBAY_LINK_FUTURE 2u

/*
 * struct patchbay_link_opts - to what a program is attached
 * @size:    sizeof(struct patchbay_link_opts); see Versions
 * @filter:  the functions. Its cookies are what patchbay_get_attach_cookie() gives
 * @cookie:  the same for all functions, if the filter has none
 * @flags:   PATCHBAY_LINK_*
 * @log:     NULL, or called for each function that is refused (without
 *           PATCHBAY_LINK_SKIP_INVALID for one of them), by its name
 *           (NULL if it has none) and entry, and for what else is wrong, with
 *           the name that is meant, or NULL, and 0. @error is a negative errno,
 *           @reason a phrase in English. Called before patchbay_link_attach()
 *           returns, without locks: it may call the library. If memory is short
 *           it may not be called for all
 * @log_arg: its first argument
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
 * Attach @program to all functions that the filter selects, or to none. @abi is
 * PATCHBAY_HANDLER_ABI of the header that the program is compiled with;
 * patchbay_link_attach() passes it.
 *
 * Returns the number of functions, and the link in *@link; or an error, and NULL
 * there. If that is not NULL after an error it is a link on no function: the program
 * was attached to some until others failed, and a thread may be in it still. What is
 * returned then is the error of patchbay_link_destroy(), which has to be called again
 * before the program may be unloaded; what failed is what @opts->log was told.
 *
 * -EINVAL:     a size less than PATCHBAY_PROGRAM_SIZE_VER0 or
 *              PATCHBAY_LINK_OPTS_SIZE_VER0; unknown kind, flags or result; a
 *              handler that the kind does not have, or without one that it has;
 *              floating-point arguments and PATCHBAY_OPS_FAST; no filter, or one
 *              that is none; cookies in both places
 * -E2BIG:      a later header's size, with something set; or more than
 *              PATCHBAY_EXIT_MAX links with exits on a function
 * -ENOENT:     no function with a site is selected, or none of a name or address
 *              in the list; or all were left out
 * -EDOM:       the program reads an argument that a function does not have in
 *              an integer register, or in a floating-point one
 * -EPROTONOSUPPORT: @abi is not the library's: compile the program again
 * -EPROTOTYPE: a function's result is not of the kind that the program asks for
 * -EOPNOTSUPP: a function whose body cannot be called for its exit, by any kind
 *              but PATCHBAY_FENTRY: it is variadic, its arguments are not
 *              known, it never returns, or it ends in a guaranteed tail call
 * and what patchbay_arm_filter() returns. Of these, -EDOM, -EPROTOTYPE, -EILSEQ,
 * -ERANGE, -EOPNOTSUPP and -E2BIG are of single functions, which
 * PATCHBAY_LINK_SKIP_INVALID leaves out.
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
 * Exchange the program, everywhere at once, as patchbay_ops_update_both().
 * Functions and cookies stay. 0, or
 * -EINVAL:  it is none of the link's kind; or its flags are others; or it asks
 *           more of functions than the program that was attached
 * -ENOLINK: the link is detached
 * -ETIMEDOUT: the program was exchanged, and patchbay_link_get_info() tells the new
 *           one, but a thread may be in the old one still, by
 *           patchbay_set_wait_limit()
 * or other errors of patchbay_ops_update_both().
 */
int patchbay_link_update(struct patchbay_link *link,
			 const struct patchbay_program *program);

/*
 * Detach the program from all functions. When this returns no thread is in it.
 * The link stays, for patchbay_link_get_info(). -ENOLINK: it is detached
 * already. -ETIMEDOUT: it is entered no more, but a thread may be in it still, by
 * patchbay_set_wait_limit(); try again. Or other errors of patchbay_ops_destroy():
 * it is attached still.
 */
int patchbay_link_detach(struct patchbay_link *link);

/*
 * Detach the program, unless it is detached, and free the link. NULL is no link,
 * and no error. Errors are those of patchbay_link_detach(): the link is as that
 * leaves it.
 */
int patchbay_link_destroy(struct patchbay_link *link);

/*
 * struct patchbay_link_info - a link as it is
 * @size:         sizeof(struct patchbay_link_info), set by the caller
 * @kind, @flags: as it was attached
 * @program:      the one that is attached now, in the size of this header
 * @attached:     to how many functions, 0 when it is detached
 * @nmissed:      calls that it did not see, because their thread was in a
 *                handler; 0 when it is detached
 * @future_error: as of struct patchbay_ops_info
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
 * A phrase in English for what the functions here return: of -EDOM, what that
 * means here. Never NULL, and never freed. Async-signal-safe.
 */
const char *patchbay_link_strerror(int error);

/*
 * What follows is for programs, with what these were given. It calls nothing,
 * uses general registers only unless that is said, is async-signal-safe and
 * cannot fail.
 */

/* The cookie of this function and this link. */
PATCHBAY_INLINE void *
patchbay_get_attach_cookie(const struct patchbay_cell *cell)
{
	return cell->data;
}

/*
 * Integer or pointer argument @n, counted from 0, below the nr_args of the
 * program; <patchbay/args.h> says how they are counted. At the exit it is what
 * the function was called with.
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
 * Floating-point argument @n, counted from 0, below the nr_fp_args of the
 * program, of a function that takes it as a double or a float, which is for the
 * program to know. At the exit, too, it is what the function was called with.
 * These two use floating-point registers. patchbay_regs_fp() is where the
 * argument is, to be changed, or read with other registers.
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

/* How many of these are in registers. */
PATCHBAY_INLINE unsigned int
patchbay_get_func_fp_arg_cnt(const struct patchbay_cell *cell)
{
	return cell->record->fp_args;
}

/* How many integer or pointer arguments are in registers. */
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
 * At the exit: the result in an integer register. Of a type narrower than 64
 * bits the upper bits mean nothing.
 */
PATCHBAY_INLINE uint64_t patchbay_get_func_ret(struct patchbay_regs *regs)
{
	return *patchbay_result_gp(regs, 0);
}

/*
 * In the entry handler of a link that is PATCHBAY_MODIFY_RETURN or
 * PATCHBAY_SESSION: do not call the body, and return @value. A result in
 * floating-point registers is to be set beside it, patchbay_result_fp(); and of
 * a structure in memory @value is its address, the hidden argument.
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
