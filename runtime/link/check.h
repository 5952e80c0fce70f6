/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compares the requirements of a program with the records of functions. */
#pragma once

#include <patchbay/link.h>

/*
 * The requirements of a link on functions.
 * @exits: 1 if the link needs traced exits, as all kinds of link except PATCHBAY_FENTRY do
 */
struct pb_needs {
	int exits;
	unsigned int nr_args, nr_fp_args;
	enum patchbay_return result;
};

struct pb_needs pb_needs_of(enum patchbay_link_kind kind,
			    const struct patchbay_program *program);

/* Returns 0, or -EOPNOTSUPP, -EDOM or -EPROTOTYPE, as patchbay_link_attach() does. */
int pb_needs_check(const struct pb_needs *needs,
		   const struct patchbay_record *record);

/* Explains why pb_needs_check() has refused a function with @record. */
void pb_needs_explain(const struct pb_needs *needs,
		      const struct patchbay_record *record, char *reason,
		      size_t size);
