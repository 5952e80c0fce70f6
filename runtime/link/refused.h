/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions that were refused while a link was attached. The list is kept until the library's
 * locks are free: only then names can be looked up, and the log can be called.
 */
#pragma once

#include "check.h"

/*
 * @record: a copy, because the module may be unloaded before the log is called
 * @name:   looked up later
 */
struct pb_refusal {
	uintptr_t entry;
	struct patchbay_record record;
	int error;
	char *name;
};

struct pb_refused {
	struct pb_refusal *list;
	size_t nr, room;
};

/* Add a refused function. If out of memory, the log lacks the function. */
void pb_refused_add(struct pb_refused *refused,
		    const struct patchbay_target *target, int error);

/* Call the log for each refused function. */
void pb_refused_log(struct pb_refused *refused, const struct pb_needs *needs,
		    const struct patchbay_link_opts *opts);

void pb_refused_free(struct pb_refused *refused);
