/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For architectures where code cannot be written back while threads execute it. */
#include "change/bulk.h"

int pb_bulk_commit(struct pb_request *requests, struct pb_module *only,
		   enum pb_wait wait)
{
	(void)requests;
	(void)only;
	(void)wait;
	return PB_NOT_BULK;
}
