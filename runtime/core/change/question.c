/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "change/plan.h"

#include "cells/cell.h"
#include "system/lock.h"
#include "system/memory.h"
#include "types/set.h"
#include "types/tracer.h"

#include <errno.h>

void pb_question_init(struct pb_question *question,
		      const struct patchbay_record *record, void *data)
{
	*question = (struct pb_question){ .target = pb_function_target(record, data),
					  .record = pb_record_copy(record) };
	question->target.record = &question->record;
}

int pb_question_ask(const struct pb_request *request, struct pb_question *questions,
		    size_t nr)
{
	const struct patchbay_ops_attr *attr = &request->ops->attr;
	int error = 0;

	if (!nr)
		return 0;
	pb_callback_begin();
	for (size_t i = 0; i < nr && error >= 0; i++) {
		error = attr->check(attr->check_arg, &questions[i].target);
		questions[i].refused = error < 0;
		if (request->flags & PATCHBAY_ARM_SKIP)
			error = 0;
	}
	pb_callback_end();
	return error < 0 ? error : 0;
}

size_t pb_function_begin(struct pb_plan *plan, size_t i)
{
	struct pb_target *target = &plan->targets[i];
	size_t end = i + 1;

	while (end < plan->nr && plan->targets[end].record == target->record)
		end++;
	target->nr = (uint32_t)(end - i);
	target->cell = pb_cell_of(target->module, target->record);
	return end;
}

/*
 * Must the tracer of target @i be asked about the function? No, if the tracer was asked for an
 * earlier target. No, if the tracer stays armed on the function.
 */
static int must_ask(const struct pb_target *target, uint32_t i)
{
	const struct pb_request *request = target[i].request;
	const struct patchbay_cell *cell = target->cell;
	int is_on = cell && pb_set_find(cell, request->ops);

	if (request->disarm || !request->ops->attr.check)
		return 0;
	for (uint32_t j = 0; j < i; j++) {
		if (target[j].request->ops != request->ops)
			continue;
		if (target[j].asked)
			return 0;
		is_on &= !target[j].request->disarm;
	}
	return !is_on;
}

/*
 * Ask the tracer of @request about the functions of one module, for targets *@i to @last - 1.
 * Sets *@i to the first target of the next module.
 */
static int ask_module(struct pb_plan *plan, const struct pb_request *request,
		      struct pb_question *questions, size_t *i, size_t last)
{
	const struct pb_module *module = plan->targets[*i].module;
	size_t nr = 0, end;
	int error;

	for (; *i < last && plan->targets[*i].module == module; *i = end) {
		struct pb_target *target = &plan->targets[*i];

		end = *i + target->nr;
		for (uint32_t j = 0; j < target->nr && !module->gone; j++) {
			if (target[j].request != request || !must_ask(target, j))
				continue;
			target[j].asked = 1;
			pb_question_init(&questions[nr], target->record,
					 target[j].data);
			questions[nr++].index = *i + j;
		}
	}
	error = pb_question_ask(request, questions, nr);
	for (size_t j = 0; j < nr; j++)
		plan->targets[questions[j].index].refused = (questions[j].refused != 0) & 1u;
	return error;
}

int pb_question_ask_plan(struct pb_plan *plan, struct pb_request *requests, size_t nr)
{
	struct pb_question *questions = pb_malloc((nr + 1) * sizeof(*questions));
	int error = questions ? 0 : -ENOMEM;

	for (const struct pb_request *r = requests; r && !error; r = r->next)
		for (size_t i = 0; !r->disarm && r->ops->attr.check && i < nr && !error;)
			error = ask_module(plan, r, questions, &i, nr);
	pb_free(questions);
	return error;
}

/* Make @targets point to copies of their records. Returns NULL if out of memory. */
static struct patchbay_record *copy_records(struct patchbay_target *targets, size_t nr)
{
	struct patchbay_record *records = pb_malloc(nr * sizeof(*records));

	for (size_t i = 0; records && i < nr; i++) {
		records[i] = pb_record_copy(targets[i].record);
		targets[i].record = &records[i];
	}
	return records;
}

int pb_attach(const struct patchbay_ops *ops, const struct pb_module *module,
	      struct patchbay_target *targets, size_t nr, int *own_data)
{
	const struct patchbay_ops_attr *attr = &ops->attr;
	struct patchbay_record *records = copy_records(targets, nr);
	int differ = 0, error;

	if (!records)
		return -ENOMEM;
	pb_callback_begin();
	error = attr->attach(attr->data, &module->info, targets, nr);
	pb_callback_end();
	pb_free(records);
	for (size_t i = 1; i < nr; i++)
		differ |= targets[i].data != targets[0].data;
	*own_data |= differ;
	if (error < 0)
		return error;
	return differ && attr->flags & PATCHBAY_OPS_MODULE_DATA ? -EINVAL : 0;
}
