/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls of tracers' callbacks @check and @attach. They run without the modules lock, so
 * they see copies of a module's data: the module may be unloaded meanwhile
 * (pb_module.gone). The caller holds the change lock, and checks that afterwards.
 */
#ifndef PB_CORE_QUESTION_H
#define PB_CORE_QUESTION_H

#include "change/plan.h"

/* @index: for the caller. @refused: the tracer refused the function, which is no error */
struct pb_question {
	struct patchbay_target target;
	struct patchbay_record record;
	size_t index;
	int refused;
};

void pb_question_init(struct pb_question *question,
		      const struct patchbay_record *record, void *data);

/*
 * Ask the @check of the request's tracer about @nr functions. Returns 0 or a negative
 * errno.
 */
int pb_question_ask(const struct pb_request *request, struct pb_question *questions,
		    size_t nr);

/*
 * Ask all tracers of a plan about the functions of its first @nr targets, each once about
 * each, and set @asked and @refused of the targets. Returns 0 or a negative errno.
 */
int pb_question_ask_plan(struct pb_plan *plan, struct pb_request *requests, size_t nr);

/*
 * Ask the tracer for the data of @nr functions of a module. *@own_data is set if they
 * are not all the same. Returns 0 or a negative errno.
 */
int pb_attach(const struct patchbay_ops *ops, const struct pb_module *module,
	      struct patchbay_target *targets, size_t nr, int *own_data);

/* Fill in the first target of a function. Returns the index of the next function's first. */
size_t pb_function_begin(struct pb_plan *plan, size_t i);

/* The description of a function that tracers see. */
static inline struct patchbay_target
pb_function_target(const struct patchbay_record *record, void *data)
{
	return (struct patchbay_target){ .entry = pb_record_entry(record),
					 .record = record,
					 .data = data };
}

#endif /* PB_CORE_QUESTION_H */
