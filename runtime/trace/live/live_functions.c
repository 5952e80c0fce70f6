/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "start/live_part.h"

#include "budget/budget.h"
#include "listen.h"

const struct pb_live_part pb_live = {
	.listen_start = pb_listen_start,
	.listen_end = pb_listen_end,
	.listen_await = pb_listen_await,
	.listen_never = pb_listen_never,
	.budget_begin = pb_budget_begin,
	.budget_arm = pb_budget_arm,
	.budget_disarm = pb_budget_disarm,
	.budget_forked = pb_budget_forked,
	.budget_undo = pb_budget_undo,
};
