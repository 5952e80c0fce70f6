/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "file/arena.h"
#include "file/quota.h"
#include "session/losses.h"
#include "session/session.h"
#include "session/untraceable_modules.h"
#include "system/moment.h"
#include "threads/rotate.h"

#include <time.h>

/*
 * Intervals of pb_rotate_look(). A thread that switches files wakes the listening thread at
 * once.
 */
#define SOON_MS 10
#define BUSY_MS 100
#define IDLE_MS 500
#define CHILD_NS UINT64_C(1000000000)
#define REMOVE_NS UINT64_C(50000000)

/*
 * The command may have removed files: let threads retry that exceeded max-size=. A forked
 * child may even have failed to make its file.
 */
static int try_again(void)
{
	if (!pb_quota_was_refused())
		return 0;
	pb_guard(&pb_session->lock);
	if (pb_session->failed == -PB_OVER_SIZE)
		pb_session->failed = 0;
	__atomic_fetch_add(&pb_session->again, 1, __ATOMIC_RELAXED);
	return 1;
}

/* Unmap the first @nr earlier files, which all threads have left. */
static void finish(uint32_t nr)
{
	struct pb_left_files *left = &pb_left_files;

	for (uint32_t i = 0; i < nr; i++)
		pb_data_unmap_all(left->held[i]);
	pb_guard(&pb_session->lock);
	left->nr -= nr;
	for (uint32_t i = 0; i < left->nr; i++)
		left->held[i] = left->held[i + nr];
	if (!left->nr)
		pb_arena_finish_files();
}

/* A forked child needs its parent's files until it has its own chunks (has_maps). */
static void finish_all(void)
{
	const uint32_t nr = __atomic_load_n(&pb_left_files.nr, __ATOMIC_ACQUIRE);

	if (nr && pb_session->rotation.has_maps && !patchbay_synchronize())
		finish(nr);
}

/*
 * A forked child without a file keeps its parent's file locked, so the command cannot see
 * when the parent has left that file. So make the child's file after CHILD_NS.
 */
static void make_file(uint64_t now)
{
	struct pb_rotation *of = &pb_session->rotation;

	pb_guard(&pb_session->lock);
	if (!pb_session->chunk && pb_losses_held && !of->since_ns)
		of->since_ns = now;
	else if (!pb_session->chunk && pb_losses_held && now - of->since_ns > CHILD_NS)
		pb_session_events();
}

/*
 * Without an arena the process cannot see when the command removes files. Assume that an
 * earlier file is removed after REMOVE_NS, and stop counting its bytes.
 */
static void give_back(uint64_t now)
{
	struct pb_rotation *of = &pb_session->rotation;

	pb_guard(&pb_session->lock);
	if (of->gone_bytes && now - of->gone_ns > REMOVE_NS) {
		pb_quota_count(-(int64_t)of->gone_bytes);
		of->gone_bytes = 0;
	}
	if (!of->gone_bytes && !pb_left_files.nr) {
		of->gone_bytes = of->left_bytes;
		of->gone_ns = now;
		of->left_bytes = 0;
	}
}

/* Before a switch, write the modules that cannot be traced, which are in no other chunk. */
static void write_others(uint64_t now)
{
	const uint64_t since =
		__atomic_load_n(&pb_session->rotation.since_ns, __ATOMIC_RELAXED);

	if (__atomic_load_n(&pb_left_files.nr, __ATOMIC_RELAXED) ||
	    (pb_options.rotate_ms && since &&
	     now - since >= pb_options.rotate_ms * 1000000))
		pb_others_write();
}

/*
 * Switch to the next file if rotate-every= has passed and the file has events. Returns the
 * ms until the next switch.
 */
static uint64_t switch_in_time(uint64_t now)
{
	struct pb_rotation *of = &pb_session->rotation;
	uint64_t every = pb_options.rotate_ms * 1000000, passed;

	pb_guard(&pb_session->lock);
	of->failed = 0;
	passed = of->since_ns ? now - of->since_ns : 0;
	if (every && passed >= every && of->has_events && !pb_rotate_switch())
		passed = 0;
	if (!every)
		return IDLE_MS;
	/* A switch that is overdue is retried soon. */
	return passed >= every ? BUSY_MS : (every - passed) / 1000000 + 1;
}

int pb_rotate_look(void)
{
	const uint64_t now = pb_now_ns(CLOCK_MONOTONIC);
	uint64_t left;
	int is_refused;

	if (!pb_options_rotate(&pb_options))
		return -1;
	is_refused = try_again();
	make_file(now);
	write_others(now);
	left = switch_in_time(now);
	finish_all();
	give_back(now);
	if (is_refused || pb_left_files.nr)
		return SOON_MS;
	return left < IDLE_MS ? (int)left : IDLE_MS;
}

void pb_rotate_end(void)
{
	finish(pb_left_files.nr);
}
