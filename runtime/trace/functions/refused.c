/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "refused.h"

#include <patchbay/patchbay.h>

#include <errno.h>

int pb_refused(void)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	if (patchbay_get_stats(&stats))
		return 0;
	for (int i = 0; i < PATCHBAY_SITE_NR_STATES; i++)
		if (stats.refused[i])
			return -EILSEQ;
	return stats.others ? -EPROTONOSUPPORT : 0;
}
