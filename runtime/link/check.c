/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "check.h"

#include <errno.h>
#include <stdio.h>

struct pb_needs pb_needs_of(enum patchbay_link_kind kind,
			    const struct patchbay_program *program)
{
	return (struct pb_needs){ .exits = kind != PATCHBAY_FENTRY,
				  .nr_args = program->nr_args,
				  .nr_fp_args = program->nr_fp_args,
				  .result = program->result };
}

/* Returns NULL, or the reason why the exit of the function cannot be traced. */
static const char *no_exit(const struct patchbay_record *record)
{
	if (record->flags & PATCHBAY_RECORD_VARIADIC)
		return "its exit cannot be seen: it is variadic";
	if (record->flags & PATCHBAY_RECORD_UNKNOWN_ARGS)
		return "its exit cannot be seen: its arguments are not known";
	if (record->flags & PATCHBAY_RECORD_NORETURN)
		return "its exit cannot be seen: it never returns";
	if (record->flags & PATCHBAY_RECORD_MUSTTAIL)
		return "its exit cannot be seen: it ends in a guaranteed tail call";
	return NULL;
}

/* The number of arguments, of the first @nr, that patchbay_get_func_arg() can read. */
static unsigned int count_args(const struct patchbay_record *record,
			       unsigned int nr)
{
	const struct patchbay_cell cell = { .record = record };
	struct patchbay_regs regs;
	uint64_t *arg;

	if (nr > PATCHBAY_RECORD_COUNT_MAX)
		nr = PATCHBAY_RECORD_COUNT_MAX;
	/* patchbay_arg() only computes the argument's address: it reads no argument. */
	while (nr && patchbay_arg(&cell, &regs, nr - 1, &arg))
		nr--;
	return nr;
}

/* The number of arguments that patchbay_get_func_arg_double() and similar functions can read. */
static unsigned int count_fp_args(const struct patchbay_record *record)
{
	return record->flags & PATCHBAY_RECORD_UNKNOWN_ARGS ? 0 :
							      record->fp_args;
}

static int is_result(enum patchbay_return result,
		     const struct patchbay_record *record)
{
	int class = record->flags & PATCHBAY_RECORD_RETURN_MASK;

	if (result == PATCHBAY_RETURN_ANY)
		return 1;
	if (record->flags & PATCHBAY_RECORD_SRET)
		return 0;
	if (result == PATCHBAY_RETURN_VOID)
		return class == PATCHBAY_RECORD_RETURN_VOID;
	return class == (result == PATCHBAY_RETURN_GP ?
				 PATCHBAY_RECORD_RETURN_GP :
				 PATCHBAY_RECORD_RETURN_FP);
}

int pb_needs_check(const struct pb_needs *needs,
		   const struct patchbay_record *record)
{
	if (needs->exits && no_exit(record))
		return -EOPNOTSUPP;
	if (count_args(record, needs->nr_args) < needs->nr_args ||
	    count_fp_args(record) < needs->nr_fp_args)
		return -EDOM;
	return is_result(needs->result, record) ? 0 : -EPROTOTYPE;
}

static const char *name_result(const struct patchbay_record *record)
{
	if (record->flags & PATCHBAY_RECORD_SRET)
		return "a structure in memory";
	switch (record->flags & PATCHBAY_RECORD_RETURN_MASK) {
	case PATCHBAY_RECORD_RETURN_VOID:
		return "void";
	case PATCHBAY_RECORD_RETURN_GP:
		return "integer";
	case PATCHBAY_RECORD_RETURN_FP:
		return "floating-point";
	default:
		return "of another type";
	}
}

static void explain_args(const struct pb_needs *needs,
			 const struct patchbay_record *record, char *reason,
			 size_t size)
{
	unsigned int wanted = needs->nr_args;
	unsigned int nr = count_args(record, wanted);
	int is_fp = nr >= wanted;

	if (is_fp) {
		wanted = needs->nr_fp_args;
		nr = count_fp_args(record);
	}
	snprintf(reason, size,
		 "the program reads %u %sarguments, the function has %u that "
		 "are known to be in %s registers",
		 wanted, is_fp ? "floating-point " : "", nr,
		 is_fp ? "floating-point" : "integer");
}

void pb_needs_explain(const struct pb_needs *needs,
		      const struct patchbay_record *record, char *reason,
		      size_t size)
{
	static const char *const results[] = {
		[PATCHBAY_RETURN_ANY] = "any",
		[PATCHBAY_RETURN_VOID] = "void",
		[PATCHBAY_RETURN_GP] = "integer",
		[PATCHBAY_RETURN_FP] = "floating-point",
	};

	switch (pb_needs_check(needs, record)) {
	case -EOPNOTSUPP:
		snprintf(reason, size, "%s", no_exit(record));
		break;
	case -EDOM:
		explain_args(needs, record, reason, size);
		break;
	default:
		snprintf(reason, size,
			 "the program asks for results that are %s, the "
			 "function's is %s",
			 results[needs->result], name_result(record));
	}
}
