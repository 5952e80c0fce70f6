/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "run.h"
#include "context.h"
#include "object.h"

/* Store the words that the program reads, and no others. */
static inline void fill(struct pb_bpf_context *context, unsigned int nr)
{
	unsigned int cnt = patchbay_get_func_arg_cnt(context->cell);
	unsigned int i;

	for (i = 0; i < nr && i < cnt; i++)
		context->words[i] =
			patchbay_get_func_arg(context->cell, context->regs, i);
	for (; i < nr; i++)
		context->words[i] = 0;
	if (context->result && cnt < nr)
		context->words[cnt] = *context->result;
}

static inline uint64_t run(struct pb_bpf_context *context)
{
	const struct pb_bpf_attachment *attachment = context->cell->data;
	const struct patchbay_bpf_program *program = attachment->program;

	context->cookie = attachment->cookie;
	fill(context, program->uses.nr_words);
	return pb_bpf_machine_run(&program->machine, context);
}

void pb_bpf_run_entry(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs)
{
	struct pb_bpf_context context;

	(void)parent_ip;
	context.ip = ip;
	context.cell = cell;
	context.regs = regs;
	context.result = NULL;
	run(&context);
}

void pb_bpf_run_exit(uintptr_t ip, uintptr_t parent_ip,
		     const struct patchbay_cell *cell,
		     struct patchbay_regs *regs)
{
	const struct patchbay_record *record = cell->record;
	struct pb_bpf_context context;
	int is_result = (record->flags & PATCHBAY_RECORD_RETURN_MASK) ==
				PATCHBAY_RECORD_RETURN_GP &&
			!(patchbay_exit_reason(regs) & PATCHBAY_EXIT_UNWIND);

	(void)parent_ip;
	context.ip = ip;
	context.cell = cell;
	context.regs = regs;
	context.result = is_result ? patchbay_result_gp(regs, 0) : NULL;
	run(&context);
}

void pb_bpf_run_modify_return(uintptr_t ip, uintptr_t parent_ip,
			      const struct patchbay_cell *cell,
			      struct patchbay_regs *regs)
{
	struct pb_bpf_context context;
	uint64_t result;

	(void)parent_ip;
	context.ip = ip;
	context.cell = cell;
	context.regs = regs;
	context.result = NULL;
	result = run(&context);
	if (result)
		patchbay_override_return(regs, result);
}
