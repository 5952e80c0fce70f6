/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rotate.h"

#include "file/arena.h"
#include "file/quota.h"
#include "session/losses.h"
#include "session/maps.h"
#include "session/session.h"
#include "system/moment.h"
#include "system/wake.h"
#include "thread.h"

int pb_rotate_is_due(uint64_t size)
{
	const struct pb_rotation *of = &pb_session->rotation;

	return pb_options.rotate_size && of->has_events && !of->failed &&
	       pb_session->file.header->committed + size >
		       pb_options.rotate_size;
}

/* Static, because it is too large for small stacks. The session's lock guards it. */
static struct pb_data_file left;

static void leave_file(void)
{
	pb_copy(&left, &pb_session->file, sizeof(left));
	pb_session->file.header = NULL;
	pb_session->file.ahead = pb_session->file.lasting =
		(struct pb_data_ahead){ 0 };
}

/*
 * Undo a failed switch. The command removes the new file, which has no events. Small
 * mappings of the new file stay.
 */
static void go_back(struct pbd_session *chunk, struct pbd_asked *asked,
		    struct pbd_losses *losses)
{
	const struct pb_data_file *file = &pb_session->file;

	if (file->header)
		pb_data_unhold(file);
	pb_copy(&pb_session->file, &left, sizeof(left));
	pb_session->chunk = chunk;
	pb_session->asked = asked;
	pb_losses_go_back(losses);
}

/*
 * The new file lacks the same modules: copy the error about modules that cannot be traced.
 */
static void carry_note(void)
{
	const uint32_t error = left.header->error;

	if (error == EILSEQ || error == EPROTONOSUPPORT)
		pb_data_note(&pb_session->file, -(int)error);
}

/* Flags about the clocks of threads, which the new file inherits. */
#define KEPT_FLAGS (PBD_SESSION_OWN_PAGE | PBD_SESSION_OWN_CALL)

int pb_rotate_switch(void)
{
	struct pb_rotation *of = &pb_session->rotation;
	struct pbd_session *chunk = pb_session->chunk;
	struct pbd_asked *asked = pb_session->asked;
	struct pbd_losses *losses = pb_session->losses;
	int error;

	/*
	 * After the process has changed its user (@stays), it cannot make files. After the
	 * recorder has ended, no process would name and write the next files.
	 */
	if (!chunk)
		return -EPERM;
	if (pb_session->file.stays || pb_arena_is_left()) {
		pb_session_flag(PBD_SESSION_STAYS);
		return -EPERM;
	}
	if (pb_left_files.nr == PB_ROTATE_LEFT)
		return -EAGAIN;
	pb_session_unflag(PBD_SESSION_STAYS);
	pb_session_tick();
	leave_file();
	/*
	 * Exclude the old file from max-size= while the next file is made, so that the
	 * switch cannot fail for this reason.
	 */
	pb_quota_count(-(int64_t)left.allocated);
	error = pb_session_next_file();
	if (!error)
		error = pb_maps_copy();
	pb_quota_count((int64_t)left.allocated);
	if (error) {
		go_back(chunk, asked, losses);
		pb_session_flag(PBD_SESSION_STAYS);
		of->failed = 1;
		return error;
	}
	if (left.kept)
		pb_data_forget();
	carry_note();
	pb_session_flag(chunk->flags & KEPT_FLAGS);
	pb_left_files.held[pb_left_files.nr] = left.held;
	of->left_bytes += left.allocated;
	pb_arena_next_file(&left, &pb_session->file);
	/*
	 * The pool is in the old file. A pool exists only if the process has tried and
	 * failed to install a filter.
	 */
	pb_session->pool = (struct pb_pool){ 0 };
	of->since_ns = pb_now_ns(CLOCK_MONOTONIC);
	of->has_events = 0;
	pb_session->memory = 0;
	pb_session->again++;
	__atomic_store_n(&of->generation, of->generation + 1, __ATOMIC_RELEASE);
	/* From here on, the next event of each thread takes the slow path (ring.c). */
	pb_threads_leave_file();
	/*
	 * Release: the listening thread may finish the old file now. To finish, the thread
	 * waits for threads that have not seen the switch yet.
	 */
	__atomic_store_n(&pb_left_files.nr, pb_left_files.nr + 1, __ATOMIC_RELEASE);
	pb_listen_wake();
	return 0;
}
