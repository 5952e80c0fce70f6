/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "thread_choice.h"

#include "count_losses.h"
#include "ring.h"
#include "session/syscalls.h"

#include <linux/prctl.h>
#include <patchbay/exit.h>

uint64_t pb_thread_look_ticks;

/* When to check this rejected thread again; 0: the thread is chosen, or not checked yet. */
static __thread uint64_t look_again __attribute__((tls_model("initial-exec")));
/* The time between the last check and the next one. */
static __thread uint64_t patience __attribute__((tls_model("initial-exec")));

/* Accepts the same two characters as `patchbay report --thread`. */
static int is_negated(const char *set)
{
	return set[1] == '!' || set[1] == '^';
}

/*
 * Returns the ] that ends the set at @glob. Returns NULL if the set has no end: [ is then
 * an ordinary character.
 */
static const char *set_end(const char *glob)
{
	glob += is_negated(glob) ? 3 : 2;
	while (glob[-1] && *glob && *glob != ']')
		glob++;
	return glob[-1] && *glob ? glob : NULL;
}

static int is_in_set(const char *set, const char *end, char c)
{
	int negated = is_negated(set), found = 0;

	for (set += 1 + negated; set < end; set++) {
		if (set[1] == '-' && set + 2 < end) {
			found |= set[0] <= c && c <= set[2];
			set += 2;
		} else {
			found |= *set == c;
		}
	}
	return found != negated;
}

/*
 * Does what fnmatch(3) does, without vector registers. After a mismatch, only the last *
 * must be retried with one more character.
 */
static int matches(const char *glob, const char *text)
{
	const char *star = NULL, *from = NULL;

	for (;;) {
		const char *end = *glob == '[' ? set_end(glob) : NULL;

		if (*glob == '*') {
			star = ++glob;
			from = text;
			continue;
		}
		if (end ? *text && is_in_set(glob, end, *text) :
			  *glob == '?' && *text) {
			glob = end ? end + 1 : glob + 1;
			text++;
			continue;
		}
		if (!end && *glob != '?') {
			const char *c = glob + (*glob == '\\' && glob[1]);

			if (*c == *text) {
				if (!*text)
					return 1;
				glob = c + 1;
				text++;
				continue;
			}
		}
		if (!star || !*from)
			return 0;
		glob = star;
		text = ++from;
	}
}

/* Is @text the decimal number @number? */
static int is_number(const char *text, uint64_t number)
{
	uint64_t value = 0;

	for (; *text >= '0' && *text <= '9' && value <= number; text++)
		value = value * 10 + (uint64_t)(*text - '0');
	return !*text && value == number;
}

static int look(void)
{
	uint64_t tid = (uint64_t)pb_sys(SYS_gettid);
	char comm[16];

	pb_sys(SYS_prctl, PR_GET_NAME, comm);
	for (size_t i = 0; i < pb_options.nr_threads; i++)
		if (matches(pb_options.threads[i], comm) ||
		    is_number(pb_options.threads[i], tid))
			return 1;
	return 0;
}

/*
 * In a sandbox the names of threads are unreadable, so only threads that are already chosen
 * are recorded.
 */
static int was_chosen(int is_new)
{
	if (!pb_options.nr_threads)
		return 1;
	if (is_new && !look_again)
		pb_ring_lose(PBD_LOST_SANDBOX);
	return !is_new;
}

void pb_thread_count_unrecorded(int is_new)
{
	if (is_new && !pb_sandboxed && pb_session_is_vforked() &&
	    (!pb_options.nr_threads || look()))
		pb_count_loss(PBD_LOST_CHILD);
}

int pb_thread_is_chosen(int is_new)
{
	uint64_t now;

	if (pb_sandboxed)
		return was_chosen(is_new);
	if (is_new && pb_session_is_vforked())
		return 0;
	if (!pb_options.nr_threads)
		return 1;
	now = patchbay_clock();
	if (look_again && (int64_t)(now - look_again) < 0)
		return 0;
	if (look()) {
		look_again = patience = 0;
		return 1;
	}
	/* New threads soon get a name, so the first checks are close together. */
	patience = patience ? 2 * patience :
			      pb_thread_look_ticks / PB_THREAD_LOOK_SHORTENED;
	if (patience > pb_thread_look_ticks)
		patience = pb_thread_look_ticks;
	look_again = now + patience;
	return 0;
}
