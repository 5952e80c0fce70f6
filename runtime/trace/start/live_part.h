/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The only functions of live/ and budget/ that other folders call. listen.h and budget.h
 * describe them.
 */
#ifndef PB_TRACE_LIVE_PART_H
#define PB_TRACE_LIVE_PART_H

#include <patchbay/patchbay.h>

struct pb_live_part {
	int is_missing; /* 1 in libpatchbay-trace.so, where these functions do nothing */
	int (*listen_start)(int wait);
	int (*listen_end)(void);
	void (*listen_await)(void);
	void (*listen_never)(void);
	int (*budget_begin)(int (*check)(void *arg,
					 const struct patchbay_target *target));
	void (*budget_arm)(const struct patchbay_filter *which,
			   unsigned int flags);
	void (*budget_disarm)(const struct patchbay_filter *which);
	void (*budget_forked)(void);
	int (*budget_undo)(void);
};

extern const struct pb_live_part pb_live;

/* Maximum time that listen_end() waits. */
#define PB_LISTEN_END_SECONDS 10

#endif /* PB_TRACE_LIVE_PART_H */
