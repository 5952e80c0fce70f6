/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "session.h"

#include "file/arena.h"
#include "losses.h"
#include "maps.h"
#include "parent.h"
#include "recording.h"
#include "requested_names.h"
#include "slow_calls.h"
#include "syscalls.h"
#include "system/moment.h"

#include <counter.h>

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>

struct pb_session *pb_session;
struct pb_left_files pb_left_files;

void *pb_session_alloc(size_t size, int *error)
{
	long memory = pb_sys(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0ul);

	*error = memory < 0 && memory > -4096 ? (int)memory : 0;
	if (*error)
		return NULL;
	*error = (int)pb_sys(SYS_madvise, memory, size, MADV_WIPEONFORK);
	if (*error) {
		pb_sys(SYS_munmap, memory, size);
		return NULL;
	}
	return (void *)memory;
}

/* Uses thread-self, because /proc/self/cmdline is empty after the main thread has ended. */
static size_t read_cmdline(char *args, size_t size)
{
	const long length = pb_read_path("/proc/thread-self/cmdline", args, size);

	return length > 0 ? (size_t)length : 0;
}

static void write_cmdline(struct pb_data_file *file, const char *args,
			  size_t length)
{
	struct pbd_cmdline *chunk;
	int error;

	if (!length)
		return;
	chunk = pb_data_reserve(file, PBD_CMDLINE, sizeof(*chunk) + length,
				&error);
	if (!chunk)
		return;
	chunk->length = length;
	pb_copy(chunk->args, args, length);
	pb_data_commit(file, &chunk->chunk);
}

/*
 * Returns the total size of the chunks that each file contains. Allocating them together is
 * faster, which matters in servers that fork for each request. The size is rounded up to
 * 4096 bytes, which most file systems allocate anyway; the first block of a forked child
 * uses the rest.
 */
static size_t expected_size(size_t cmdline)
{
	const size_t head = sizeof(struct pbd_header);
	size_t size = sizeof(struct pbd_cmdline) + cmdline + 8 +
		      sizeof(struct pbd_losses) + pb_asked_size() +
		      pb_parent_size() + 8;

	if (pb_tracer_needs_blocks)
		size += sizeof(struct pbd_session) + PB_BLOCK_LEAST;
	if (!pb_parent_size())
		size += sizeof(struct pbd_place) + PATH_MAX / 16;
	return ((head + size + 4095) & ~(size_t)4095) - head;
}

int pb_session_file(void)
{
	/* Static, because the stack may be small. The session's lock guards it. */
	static char cmdline[4096];
	size_t length;
	int error;

	if (pb_session->file.header)
		return 0;
	length = read_cmdline(cmdline, sizeof(cmdline));
	pb_arena_open();
	error = pb_data_open(&pb_session->file, pb_options.output, expected_size(length));
	if (error) {
		pb_losses_no_file(error);
		return error;
	}
	pb_session->owner = pb_session->file.header->pid;
	write_cmdline(&pb_session->file, cmdline, length);
	/* On failure, blocks and the session chunk still count losses. */
	pb_data_note(&pb_session->file, pb_losses_begin());
	pb_data_note(&pb_session->file, pb_asked_write());
	pb_data_note(&pb_session->file, pb_parent_write());
	/*
	 * A forked child runs in its parent's container, so its file refers to the parent's
	 * PBD_PLACE.
	 */
	if (!pb_parent_size())
		pb_data_note(&pb_session->file, pb_place_write());
	return 0;
}

void pb_session_own(void)
{
	pb_session->owner = (uint32_t)pb_sys(SYS_getpid);
}

int pb_session_is_vforked(void)
{
	uint32_t owner = pb_session->owner;

	return owner && owner != (uint32_t)pb_sys(SYS_getpid);
}

static struct pbd_moment moment(void)
{
	const uint64_t realtime_ns = pb_now_ns(CLOCK_REALTIME);
	const struct pb_moment now = pb_moment_now();

	return (struct pbd_moment){
		.ticks = now.ticks,
		.monotonic_ns = now.monotonic_ns,
		.realtime_ns = realtime_ns,
	};
}

void pb_session_tick(void)
{
	struct pbd_session *chunk = pb_session->chunk;
	uint64_t nr = chunk->nr_last + 1;

	if (pb_counter_is_forbidden)
		return;
	chunk->last[nr % 2] = moment();
	chunk->cpu_last_ns = pb_now_ns(CLOCK_PROCESS_CPUTIME_ID);
	/* Release: a reader that sees @nr_last also sees the moment. */
	__atomic_store_n(&chunk->nr_last, nr, __ATOMIC_RELEASE);
}

static void copy_name(char to[PBD_NAME_MAX], const char *from)
{
	for (size_t i = 0; i < PBD_NAME_MAX - 1 && from[i]; i++)
		to[i] = from[i];
}

/*
 * The first moment of the recording, which a child inherits. The command may pass an even
 * earlier moment (clock=): the longer the interval, the more exact the rate of the clock.
 */
static struct pbd_moment first;

/*
 * Does the rate since clock= equal the present rate, within 1/16? The rates differ if
 * clock= was read on another machine, or if a time namespace shifts the clock. A
 * measurement over 20 us suffices unless the thread is interrupted, so there are several
 * tries.
 */
static int is_same_clock(uint64_t ticks, uint64_t ns)
{
	for (int tries = 0; tries < 5; tries++) {
		struct pbd_moment now = moment(), later;
		unsigned __int128 expected, seen;

		do
			later = moment();
		while (later.monotonic_ns - now.monotonic_ns < 20000);
		expected = (unsigned __int128)ticks *
			   (later.monotonic_ns - now.monotonic_ns);
		seen = (unsigned __int128)(later.ticks - now.ticks) * ns;
		if (seen >= expected - expected / 16 &&
		    seen <= expected + expected / 16)
			return 1;
	}
	return 0;
}

static struct pbd_moment first_moment(struct pbd_moment now)
{
	uint64_t ticks = now.ticks - pb_options.clock_ticks;
	uint64_t ns = now.monotonic_ns - pb_options.clock_ns;

	if (!pb_options.clock_ns || pb_options.clock_ticks >= now.ticks ||
	    pb_options.clock_ns >= now.monotonic_ns ||
	    !is_same_clock(ticks, ns))
		return now;
	return (struct pbd_moment){
		.ticks = pb_options.clock_ticks,
		.monotonic_ns = pb_options.clock_ns,
		.realtime_ns = now.realtime_ns - ns,
	};
}

static int write_session(void)
{
	struct pbd_session *chunk;
	struct utsname name;
	int error;

	chunk = pb_data_reserve(&pb_session->file, PBD_SESSION, sizeof(*chunk),
				&error);
	if (!chunk)
		return error;
	chunk->counter = PB_COUNTER;
	if (pb_options.overwrite)
		chunk->flags |= PBD_SESSION_OVERWRITE;
	if (pb_options.no_sleep_time)
		chunk->flags |= PBD_SESSION_NO_SLEEP_TIME;
	if (pb_options.nr_threads)
		chunk->flags |= PBD_SESSION_SOME_THREADS;
	if (__atomic_load_n(&pb_waiting, __ATOMIC_RELAXED))
		chunk->flags |= PBD_SESSION_WAITING;
	if (pb_options.nr_under)
		chunk->flags |= PBD_SESSION_UNDER;
	if (pb_options.sample)
		chunk->flags |= PBD_SESSION_TREES;
	if (__atomic_load_n(&pb_under_waiting, __ATOMIC_RELAXED))
		chunk->flags |= PBD_SESSION_NO_ROOT;
	if (!pb_counter_is_invariant())
		chunk->flags |= PBD_SESSION_VARIABLE_RATE;
	chunk->threshold_ns = pb_options.threshold_ns;
	chunk->buffer = pb_options.buffer;
	chunk->depth = pb_options.depth;
	chunk->sample = pb_options.sample;
	chunk->max_memory = pb_options.max_memory;
	chunk->max_size = pb_options.max_size;
	if (pb_options_rotate(&pb_options))
		chunk->part = pb_session->rotation.generation + 1;
	chunk->cost_inside = pb_options.cost_inside;
	chunk->cost_outside = pb_options.cost_outside;
	chunk->cost_pages = pb_options.cost_pages;
	chunk->cost_error = pb_options.cost_error;
	chunk->cpu_first_ns = pb_now_ns(CLOCK_PROCESS_CPUTIME_ID);
	chunk->cpu_last_ns = chunk->cpu_first_ns;
	chunk->last[0] = moment();
	if (!first.monotonic_ns)
		first = first_moment(chunk->last[0]);
	chunk->first = first;
	copy_name(chunk->tracer, pb_options.tracer_name);
	if (!pb_sys(SYS_uname, &name))
		copy_name(chunk->host, name.nodename);
	pb_data_commit(&pb_session->file, &chunk->chunk);
	pb_session->chunk = chunk;
	return pb_slow_calls_begin();
}

int pb_session_events(void)
{
	int error = pb_session_file();

	if (error || pb_session->chunk)
		return error;
	error = pb_parent_write();
	if (!error)
		error = write_session();
	/*
	 * With rotation each file must be readable alone, even the file of a forked child.
	 */
	if (!error && pb_options_rotate(&pb_options)) {
		pb_session->rotation.since_ns = pb_now_ns(CLOCK_MONOTONIC);
		error = pb_maps_copy();
	}
	pb_data_note(&pb_session->file, error);
	return error;
}

int pb_session_next_file(void)
{
	int error = pb_session_file();

	if (!error)
		error = write_session();
	if (!error)
		pb_session->chunk->part++;
	return error;
}

void pb_session_forget_start(void)
{
	first = (struct pbd_moment){ 0 };
}
