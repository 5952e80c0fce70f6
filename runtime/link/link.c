/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <patchbay/link.h>

#include "system/attr.h"
#include "system/memory.h"
#include "log.h"
#include "missing.h"
#include "refused.h"

#include <errno.h>

/*
 * @ops:     NULL if the link is detached
 * @needs:   the requirements that functions were checked for when the link was attached
 * @refused: set only while the link is being attached with a log
 * @last:    the function that was checked last
 */
struct patchbay_link {
	struct patchbay_ops *ops;
	enum patchbay_link_kind kind;
	unsigned int flags;
	struct patchbay_program program;
	struct pb_needs needs;
	struct pb_refused *refused;
	struct patchbay_target last;
};

/* Returns NULL, or the reason why @program is not a program of this kind. */
static const char *check_program(enum patchbay_link_kind kind,
				 const struct patchbay_program *program)
{
	if ((unsigned int)kind > PATCHBAY_SESSION)
		return "unknown kind of link";
	if (!program->entry != (kind == PATCHBAY_FEXIT))
		return program->entry ? "a program for exits has an entry handler" :
					"a program without an entry handler";
	if (!program->exit !=
	    (kind == PATCHBAY_FENTRY || kind == PATCHBAY_MODIFY_RETURN))
		return program->exit ? "a program for entries has an exit handler" :
				       "a program without an exit handler";
	if (program->flags & ~(PATCHBAY_OPS_FAST | PATCHBAY_OPS_RECURSION))
		return "unknown flags of a program";
	if ((unsigned int)program->result > PATCHBAY_RETURN_FP)
		return "unknown kind of result";
	if (program->nr_fp_args && program->flags & PATCHBAY_OPS_FAST)
		return "a PATCHBAY_OPS_FAST program reads floating-point arguments";
	return NULL;
}

static const char *check_opts(const struct patchbay_link_opts *opts)
{
	if (!opts->filter)
		return "no filter";
	if (opts->flags & ~(PATCHBAY_LINK_SKIP_INVALID | PATCHBAY_LINK_FUTURE))
		return "unknown flags of a link";
	if (opts->filter->cookies && opts->cookie)
		return "cookies both in the filter and in the options";
	return NULL;
}

/*
 * The arguments of patchbay_link_attach(), with the sizes of this library's headers.
 * @abi: the PATCHBAY_HANDLER_ABI of the program's header
 */
struct request {
	enum patchbay_link_kind kind;
	unsigned int abi;
	struct patchbay_program program;
	struct patchbay_link_opts opts;
	struct patchbay_filter filter;
};

static int read_program(struct patchbay_program *to,
			const struct patchbay_program *from)
{
	return pb_read_attr(to, sizeof(*to), from, PATCHBAY_PROGRAM_SIZE_VER0);
}

static int read_filter(struct request *to)
{
	int error;

	if (!to->opts.filter)
		return 0;
	error = pb_read_attr(&to->filter, sizeof(to->filter), to->opts.filter,
			     PATCHBAY_FILTER_SIZE_VER0);
	to->opts.filter = &to->filter;
	return error;
}

static int read_request(struct request *to,
			const struct patchbay_program *program,
			const struct patchbay_link_opts *opts)
{
	int error = pb_read_attr(&to->opts, sizeof(to->opts), opts,
				 PATCHBAY_LINK_OPTS_SIZE_VER0);
	const char *reason;

	if (error)
		return error;
	opts = &to->opts;
	error = read_program(&to->program, program);
	if (error) {
		pb_log(opts, NULL, 0, error, "a program of another size");
		return error;
	}
	error = read_filter(to);
	if (error) {
		pb_log(opts, NULL, 0, error, "a filter of another size");
		return error;
	}
	reason = check_program(to->kind, &to->program);
	if (!reason)
		reason = check_opts(opts);
	if (!reason)
		return 0;
	pb_log(opts, NULL, 0, -EINVAL, reason);
	return -EINVAL;
}

/* libpatchbay calls this with its lock held. */
static int check_function(void *arg, const struct patchbay_target *target)
{
	struct patchbay_link *link = arg;
	int error = pb_needs_check(&link->needs, target->record);

	if (!link->refused)
		return error;
	link->last = *target;
	if (error)
		pb_refused_add(link->refused, target, error);
	return error;
}

/* A program that can return instead of the function needs an exit handler. */
static patchbay_handler exit_of(enum patchbay_link_kind kind,
				const struct patchbay_program *program)
{
	return kind == PATCHBAY_MODIFY_RETURN ? patchbay_no_exit : program->exit;
}

static int make_ops(struct patchbay_link *link, void *cookie, unsigned int abi)
{
	const struct patchbay_program *program = &link->program;
	const struct patchbay_ops_attr attr = {
		.size = sizeof(attr),
		.flags = program->flags,
		.handler = program->entry,
		.exit = exit_of(link->kind, program),
		.data = cookie,
		.check = check_function,
		.check_arg = link,
	};

	return patchbay_ops_create_abi(&attr, &link->ops, abi);
}

static int arm(struct patchbay_link *link,
	       const struct patchbay_link_opts *opts)
{
	unsigned int flags = 0;
	int nr;

	if (link->flags & PATCHBAY_LINK_SKIP_INVALID)
		flags |= PATCHBAY_ARM_SKIP;
	if (link->flags & PATCHBAY_LINK_FUTURE)
		flags |= PATCHBAY_ARM_FUTURE;
	nr = patchbay_arm_filter(link->ops, opts->filter, flags);
	return nr || link->flags & PATCHBAY_LINK_FUTURE ? nr : -ENOENT;
}

static void say_missing(const struct patchbay_link_opts *opts)
{
	const struct patchbay_filter *filter = opts->filter;
	const char *name = filter->glob ? filter->glob : filter->regex;
	uintptr_t entry = 0;

	if (filter->cnt) {
		size_t index = pb_find_missing(filter);

		if (index < filter->cnt && filter->syms)
			name = filter->syms[index];
		else if (index < filter->cnt)
			entry = filter->addrs[index];
	}
	pb_log(opts, name, entry, -ENOENT, patchbay_link_strerror(-ENOENT));
}

/* Is this an error of the library about the function that was checked last? */
static int is_of_function(int error)
{
	return error == -EILSEQ || error == -ERANGE || error == -E2BIG ||
	       error == -EOPNOTSUPP;
}

static void explain(struct patchbay_link *link,
		    const struct patchbay_link_opts *opts, int error)
{
	size_t before = link->refused->nr;

	if (is_of_function(error) && link->last.entry && !before)
		pb_refused_add(link->refused, &link->last, error);
	pb_refused_log(link->refused, &link->needs, opts);
	if (error == -EINVAL)
		pb_log(opts, NULL, 0, error,
		       "an invalid filter: not exactly one selector, an invalid regular "
		       "expression, or addresses with future modules: see <patchbay/filter.h>");
	else if (error == -ENOENT && !before)
		say_missing(opts);
	else if (error < 0 && !link->refused->nr)
		pb_log(opts, NULL, 0, error, patchbay_link_strerror(error));
}

static int attach(struct patchbay_link *link, const struct request *request)
{
	const struct patchbay_link_opts *opts = &request->opts;
	struct pb_refused refused = { 0 };
	int nr, error = make_ops(link, opts->cookie, request->abi);

	if (opts->log)
		link->refused = &refused;
	nr = error ? error : arm(link, opts);
	if (opts->log)
		explain(link, opts, nr);
	link->refused = NULL;
	pb_refused_free(&refused);
	return nr;
}

int patchbay_link_attach_abi(enum patchbay_link_kind kind,
			     const struct patchbay_program *program,
			     const struct patchbay_link_opts *opts,
			     struct patchbay_link **link, unsigned int abi)
{
	struct request request = { .kind = kind, .abi = abi };
	struct patchbay_link *new;
	int error, nr = read_request(&request, program, opts);

	*link = NULL;
	if (nr)
		return nr;
	new = pb_calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	new->kind = kind;
	new->flags = request.opts.flags;
	new->program = request.program;
	new->needs = pb_needs_of(kind, &request.program);
	nr = attach(new, &request);
	/*
	 * The program may have been armed on some functions before others failed, and a thread
	 * may still be in the program. Then link and program cannot be freed yet.
	 */
	error = nr < 0 ? patchbay_link_destroy(new) : 0;
	if (nr >= 0 || error)
		*link = new;
	return error ? error : nr;
}

/* Programs that were built with the first headers call this; see pb_ops_create_first(). */
int pb_link_attach_first(enum patchbay_link_kind kind,
			 const struct patchbay_program *program,
			 const struct patchbay_link_opts *opts,
			 struct patchbay_link **link)
	__asm__("patchbay_link_attach");

int pb_link_attach_first(enum patchbay_link_kind kind,
			 const struct patchbay_program *program,
			 const struct patchbay_link_opts *opts,
			 struct patchbay_link **link)
{
	return patchbay_link_attach_abi(kind, program, opts, link, 0);
}

/* Were the functions checked for everything that @program needs? */
static int is_covered(const struct pb_needs *needs,
		      const struct patchbay_program *program)
{
	return program->nr_args <= needs->nr_args &&
	       program->nr_fp_args <= needs->nr_fp_args &&
	       (program->result == PATCHBAY_RETURN_ANY ||
		program->result == needs->result);
}

int patchbay_link_update(struct patchbay_link *link,
			 const struct patchbay_program *given)
{
	struct patchbay_program read, *program = &read;
	int error = read_program(program, given);

	if (error)
		return error;
	if (!link->ops)
		return -ENOLINK;
	if (check_program(link->kind, program) ||
	    program->flags != link->program.flags ||
	    !is_covered(&link->needs, program))
		return -EINVAL;
	error = patchbay_ops_update_both(link->ops, program->entry,
					 exit_of(link->kind, program));
	/* On -ETIMEDOUT the program has been replaced, but a thread may be in the old program. */
	if (!error || error == -ETIMEDOUT)
		link->program = *program;
	return error;
}

int patchbay_link_detach(struct patchbay_link *link)
{
	int error = link->ops ? patchbay_ops_destroy(link->ops) : -ENOLINK;

	if (!error)
		link->ops = NULL;
	return error;
}

int patchbay_link_destroy(struct patchbay_link *link)
{
	int error = link && link->ops ? patchbay_link_detach(link) : 0;

	if (!error)
		pb_free(link);
	return error;
}

int patchbay_link_get_info(const struct patchbay_link *link,
			   struct patchbay_link_info *info)
{
	struct patchbay_ops_info ops = { .size = sizeof(ops) };
	struct patchbay_link_info now;
	int error = 0;

	if (link->ops)
		error = patchbay_ops_get_info(link->ops, &ops);
	if (error)
		return error;
	now = (struct patchbay_link_info){
		.kind = link->kind,
		.flags = link->flags,
		.program = link->program,
		.attached = ops.armed,
		.nmissed = ops.nmissed,
		.future_error = ops.future_error,
	};
	return pb_write_info(info, &now, sizeof(now),
			     PATCHBAY_LINK_INFO_SIZE_VER0);
}
