/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "site_check.h"

#include "format/format.h"
#include "left_out.h"
#include "session/recording.h"
#include "session/session.h"
#include "session/untraceable_modules.h"
#include "system/moment.h"

#include <core/system/private.h>
#include <patchbay/patchbay.h>

#include <errno.h>
#include <time.h>

/*
 * Minimum time between two checks. The time grows if checks would need more than 1/PART of
 * a processor.
 */
#define PAUSE_NS 1000000000ull
#define PART 1000

static void note(const struct patchbay_site_info *site)
{
	pb_left_out_add(site->entry, PBD_LEFT_OUT_CHANGED);
}

static void note_and_count(const struct patchbay_site_info *site, void *nr)
{
	note(site);
	++*(size_t *)nr;
}

void pb_site_check_init(void)
{
	pb_private_on_changed(note);
}

void pb_site_check(void)
{
	size_t nr = 0;

	if (!pb_tracer)
		return;
	patchbay_rearm(note_and_count, &nr);
	if (nr)
		pb_left_out_write();
}

void pb_site_check_look(void)
{
	static uint64_t next_ns;
	const uint64_t now = pb_now_ns(CLOCK_MONOTONIC);
	uint64_t cost;

	if (now < next_ns)
		return;
	pb_site_check();
	/* Also look for modules in other namespaces, which no callback reports. */
	if (pb_tracer)
		pb_others_write();
	cost = (pb_now_ns(CLOCK_MONOTONIC) - now) * PART;
	next_ns = now + (cost > PAUSE_NS ? cost : PAUSE_NS);
}

/*
 * Retries while another thread is arming or disarming functions. The number of tries is
 * limited, because that thread may be waiting for this thread.
 */
#define NR_TRIES 100
#define BETWEEN_TRIES_NS 100000

static int look_at_sites(void (*visit)(const struct patchbay_site_info *site, void *arg),
			 void *arg)
{
	int error = pb_private_look_at_sites(visit, arg);

	for (int i = 1; error == -EBUSY && i < NR_TRIES; i++) {
		pb_pause_ns(BETWEEN_TRIES_NS);
		error = pb_private_look_at_sites(visit, arg);
	}
	return error;
}

/*
 * Changed functions. @nr counts all of them. @entries contains up to NR_ENTRIES, after
 * skipping @first.
 */
#define NR_ENTRIES 64

struct found {
	uint64_t first, nr;
	uint64_t entries[NR_ENTRIES];
};

static void add_found(const struct patchbay_site_info *site, void *arg)
{
	struct found *found = arg;
	const uint64_t at = found->nr++ - found->first;

	if (at < NR_ENTRIES)
		found->entries[at] = site->entry;
}

/* Like pb_left_out_write(), but allocates no memory. */
static void write_found(const struct found *found)
{
	struct pb_data_file *file = &pb_session->file;
	const uint64_t more = found->nr - found->first;
	const uint64_t nr = more < NR_ENTRIES ? more : NR_ENTRIES;
	struct pbd_left_out *chunk;
	int error;

	pb_guard(&pb_session->lock);
	chunk = !file->header ? NULL :
				pb_data_reserve(file, PBD_LEFT_OUT,
						sizeof(*chunk) +
							nr * sizeof(chunk->function[0]),
						&error);
	if (chunk) {
		for (uint64_t i = 0; i < nr; i++) {
			chunk->function[i].address = found->entries[i];
			chunk->function[i].flags = PBD_LEFT_OUT_CHANGED;
		}
		chunk->nr = nr;
		file->header->left_out += nr;
		pb_data_commit(file, &chunk->chunk);
	} else if (file->header) {
		pb_data_note(file, error);
	}
}

void pb_site_check_last(void)
{
	struct found found = { .nr = 0 };

	while (!look_at_sites(add_found, &found) && found.nr > found.first) {
		write_found(&found);
		found.first += NR_ENTRIES;
		if (found.nr <= found.first)
			break;
		found.nr = 0;
	}
}
