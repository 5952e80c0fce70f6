/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Attaches and detaches programs by links. */
#include "system/attr.h"
#include "helpers.h"
#include "object.h"
#include "run.h"

#include <errno.h>
#include <stdlib.h>

/* A program that interrupted itself could wait for a map's lock that it holds. */
static unsigned int flags_of(const struct patchbay_bpf_program *program)
{
	unsigned int flags = PATCHBAY_OPS_RECURSION;

	if (!(program->uses.flags & PB_BPF_VECTORS))
		flags |= PATCHBAY_OPS_FAST;
	return flags;
}

/* The number of arguments among the words that the program reads: the last may be the result. */
static unsigned int nr_args(const struct patchbay_bpf_program *program)
{
	unsigned int words = program->uses.nr_words;

	return program->kind == PATCHBAY_FENTRY || !words ? words : words - 1;
}

static struct patchbay_program
describe(const struct patchbay_bpf_program *program)
{
	struct patchbay_program result = {
		.size = sizeof(result),
		.flags = flags_of(program),
		.nr_args = nr_args(program),
	};

	if (program->kind == PATCHBAY_FENTRY)
		result.entry = pb_bpf_run_entry;
	else if (program->kind == PATCHBAY_FEXIT)
		result.exit = pb_bpf_run_exit;
	else
		result.entry = pb_bpf_run_modify_return;
	return result;
}

/*
 * A cell's data is one pointer, for the program and the cookie together. So a list with cookies
 * needs one attachment for each function.
 */
static struct pb_bpf_attachment *
make_attachments(const struct patchbay_bpf_program *program,
		 const struct patchbay_link_opts *opts, void **cookies)
{
	const struct patchbay_filter *filter = opts->filter;
	size_t nr = cookies ? filter->cnt : 1;
	struct pb_bpf_attachment *all = calloc(nr + 1, sizeof(*all));

	if (!all)
		return NULL;
	for (size_t i = 0; i < nr; i++) {
		void *cookie = cookies ? filter->cookies[i] : opts->cookie;

		all[i].program = program;
		all[i].cookie = (uintptr_t)cookie;
		if (cookies)
			cookies[i] = &all[i];
	}
	return all;
}

static int attach(struct patchbay_bpf_program *program,
		  const struct patchbay_link_opts *opts, void **cookies)
{
	const struct patchbay_program what = describe(program);
	struct patchbay_filter filter = *opts->filter;
	struct patchbay_link_opts with = *opts;
	struct pb_bpf_attachment *attachments;
	int nr;

	attachments = make_attachments(program, opts, cookies);
	if (!attachments)
		return -ENOMEM;
	filter.cookies = cookies;
	with.filter = &filter;
	with.cookie = cookies ? NULL : attachments;
	nr = patchbay_link_attach(program->kind, &what, &with, &program->link);
	if (!program->link)
		free(attachments);
	else
		program->attachments = attachments;
	return nr;
}

static int attach_to(struct patchbay_bpf_program *program,
		     const struct patchbay_link_opts *opts)
{
	void **cookies = NULL;
	int nr;

	if (opts->filter->cookies) {
		if (opts->cookie)
			return -EINVAL;
		cookies = calloc(opts->filter->cnt + 1, sizeof(*cookies));
		if (!cookies)
			return -ENOMEM;
	}
	nr = attach(program, opts, cookies);
	free(cookies);
	return nr;
}

int patchbay_bpf_attach(struct patchbay_bpf_program *program,
			const struct patchbay_link_opts *opts)
{
	const struct patchbay_filter section = {
		.size = sizeof(section),
		.glob = program->multi ? program->target : NULL,
		.syms = program->multi ? NULL : &program->target,
		.cnt = !program->multi,
	};
	struct patchbay_link_opts with = { .size = sizeof(with) };
	struct patchbay_filter filter = section;
	int error = 0;

	if (program->link)
		return -EALREADY;
	if (opts)
		error = pb_read_attr(&with, sizeof(with), opts,
				     PATCHBAY_LINK_OPTS_SIZE_VER0);
	if (!error && with.filter)
		error = pb_read_attr(&filter, sizeof(filter), with.filter,
				     PATCHBAY_FILTER_SIZE_VER0);
	if (error)
		return error;
	with.filter = &filter;
	return attach_to(program, &with);
}

int patchbay_bpf_attach_all(struct patchbay_bpf_object *object,
			    const struct patchbay_link_opts *opts)
{
	int sum = 0;

	if (opts && opts->filter)
		return -EINVAL;
	for (uint32_t i = 0; i < object->nr_programs; i++) {
		int nr = patchbay_bpf_attach(&object->programs[i], opts);

		if (nr < 0) {
			while (i--)
				patchbay_bpf_detach(&object->programs[i]);
			return nr;
		}
		sum += nr;
	}
	return sum;
}

int patchbay_bpf_detach(struct patchbay_bpf_program *program)
{
	int error = program->link ? patchbay_link_destroy(program->link) :
				    -ENOLINK;

	if (error)
		return error;
	free(program->attachments);
	program->attachments = NULL;
	program->link = NULL;
	return 0;
}

struct patchbay_link *
patchbay_bpf_link(const struct patchbay_bpf_program *program)
{
	return program->link;
}
