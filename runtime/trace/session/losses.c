/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "losses.h"

#include "session.h"
#include "system/sys.h"

#include <core/system/private.h>

struct pbd_losses *pb_losses_nearest;
const void *pb_losses_held;

/* The number of open calls when the recording began, and the state to write to the file. */
static int64_t open_before;
static enum pbd_returns returns;

void pb_losses_begin_returns(void)
{
	struct pbd_losses *losses = pb_session->losses;

	open_before = pb_private_open_calls();
	returns = PBD_RETURNS_PENDING;
	if (losses)
		losses->returns = returns;
}

static void write_returns(enum pbd_returns state, uint64_t nr)
{
	struct pbd_losses *losses =
		__atomic_load_n(&pb_session->losses, __ATOMIC_ACQUIRE);

	if (!losses || returns == PBD_RETURNS_NOT_COUNTED)
		return;
	__atomic_store_n(&losses->no_return, nr, __ATOMIC_RELAXED);
	__atomic_store_n(&losses->returns, state, __ATOMIC_RELEASE);
}

/*
 * The difference is negative if calls from before the recording, or from the parent
 * process, have ended since.
 */
void pb_losses_write_returns(void)
{
	const int64_t open = pb_private_open_calls() - open_before;

	if (returns == PBD_RETURNS_PENDING)
		write_returns(PBD_RETURNS_COUNTED, open > 0 ? (uint64_t)open : 0);
}

void pb_losses_take_back_returns(void)
{
	write_returns(returns, 0);
}

void pb_losses_forget_returns(void)
{
	if (returns == PBD_RETURNS_PENDING)
		returns = PBD_RETURNS_UNKNOWN;
	write_returns(returns, 0);
}

void pb_losses_no_file(int error)
{
	if (!pb_losses_nearest || pb_losses_nearest->child_error)
		return;
	pb_losses_nearest->child_user = (uint32_t)pb_sys(SYS_geteuid);
	pb_losses_nearest->child_error = (uint32_t)-error;
}

void pb_losses_forget(void)
{
	pb_losses_nearest = NULL;
	pb_losses_held = NULL;
	returns = PBD_RETURNS_NOT_COUNTED;
}

void pb_losses_go_back(struct pbd_losses *losses)
{
	__atomic_store_n(&pb_session->losses, losses, __ATOMIC_RELEASE);
	pb_losses_nearest = losses;
	pb_losses_held = pb_session->file.held;
	losses->returns = returns;
}

int pb_losses_begin(void)
{
	struct pbd_losses *losses;
	int error;

	losses = pb_data_reserve(&pb_session->file, PBD_LOSSES, sizeof(*losses),
				 &error);
	if (!losses)
		return error;
	losses->returns = returns;
	pb_data_commit(&pb_session->file, &losses->chunk);
	/* Only the last file of a process contains the number. */
	if (pb_session->losses)
		pb_session->losses->returns = PBD_RETURNS_NOT_COUNTED;
	/* This process leaves the file of its parent. */
	else if (pb_losses_held && pb_options_rotate(&pb_options) &&
		 pb_left_files.nr < PB_ROTATE_LEFT)
		pb_left_files.held[pb_left_files.nr++] = pb_losses_held;
	__atomic_store_n(&pb_session->losses, losses, __ATOMIC_RELEASE);
	pb_losses_nearest = losses;
	pb_losses_held = pb_session->file.held;
	return 0;
}
