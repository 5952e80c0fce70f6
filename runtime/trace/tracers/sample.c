/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tracers with sample=1/N. Of each N calls of a function in a thread, the first is
 * *chosen*. Each thread has its own counters (tally.h). The counters include all calls, so
 * readers know the number of calls of each function.
 *
 * Tracers with an exit choose among a thread's outermost calls, and record each chosen call
 * with all calls within it, a *tree*, so that self times are correct. Calls in other trees
 * give up their exits, which saves stack space on some architectures. The tracer without an
 * exit cannot detect outermost calls, so it records each chosen call alone.
 *
 * Calls within a tree have lower frames, as in under.c. A signal handler on an alternate
 * stack at higher addresses begins another tree. When the handler has returned, calls in
 * the interrupted tree also begin other trees.
 *
 * cell->data is a struct pb_index of places in the threads' tables. The index's @of is the
 * cell->data of tracers without sample=.
 */
#include "functions/index.h"
#include "session/recording.h"
#include "threads/tally.h"
#include "tracers.h"

#include <counter.h>
#include <patchbay/exit.h>

/* The N of sample=1/N. */
static uint64_t one_in;
/* The number of the recording in this process. */
static uint64_t era;

/* Session word of a call that is not recorded, instead of a time. */
#define NOT_RECORDED 0

/* Returns a copy of the cell with the data for handlers of tracers without sample=. */
static inline struct patchbay_cell plain(const struct patchbay_cell *cell)
{
	const struct pb_index *index = cell->data;

	return (struct patchbay_cell){ .data = index->of,
				       .record = cell->record,
				       .ops = cell->ops,
				       .since = cell->since };
}

/*
 * The frame of the outermost open call, plus RECORDED if its tree is recorded; 0: no call
 * is open. A single word, so that changes are atomic with respect to signal handlers.
 */
static __thread uintptr_t tree __attribute__((tls_model("initial-exec")));
#define RECORDED ((uintptr_t)1)
/*
 * The era in which the tree began. A tree of an earlier recording is invalid, because its
 * exit may have happened between the recordings.
 */
static __thread uint64_t tree_era __attribute__((tls_model("initial-exec")));

void pb_sample_set(uint64_t n)
{
	one_in = n;
	era++;
}

/*
 * Count the call. Returns 1 if it is chosen. A signal handler that interrupts this function
 * may shift the next chosen call by one; the count of calls stays exact.
 */
static int is_chosen(const struct patchbay_cell *cell, uintptr_t ip, int is_outermost)
{
	const struct pb_index *index = cell->data;
	struct pbd_sample *sample;

	sample = (struct pbd_sample *)pb_tally_get(pb_index_get(index, ip),
						   (uintptr_t)index->of + ip);
	if (!sample)
		return 0;
	pb_local_add(&sample->calls, 1);
	if (!is_outermost)
		return 0;
	if (sample->left) {
		sample->left--;
		return 0;
	}
	sample->left = one_in - 1;
	return 1;
}

static int is_recording(void)
{
	return __atomic_load_n(&pb_recording, __ATOMIC_RELAXED);
}

/* Returns 1 if the call is in a recorded tree. An outermost call begins a tree. */
static int enter(const struct patchbay_cell *cell, uintptr_t ip,
		 struct patchbay_regs *regs)
{
	const uintptr_t frame = (uintptr_t)regs;
	int is_outermost, chosen;

	if (tree_era != era) {
		tree = 0;
		tree_era = era;
	}
	is_outermost = frame > tree;
	if (is_recording()) {
		chosen = is_chosen(cell, ip, is_outermost);
		if (is_outermost)
			tree = frame | (chosen ? RECORDED : 0);
		if (tree & RECORDED)
			return 1;
	}
	*patchbay_session_word(cell, regs) = NOT_RECORDED;
	/* Keep the exit of the outermost call, which ends the tree. */
	if (tree != frame)
		patchbay_forgo_exit(regs);
	return 0;
}

/* Returns 1 if the call is in a recorded tree. Ends the tree with its outermost call. */
static int leave(const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	if ((tree & ~RECORDED) == (uintptr_t)regs)
		tree = 0;
	return *patchbay_session_word(cell, regs) != NOT_RECORDED;
}

PB_HANDLER(pb_sample_function_entry)
{
	if (is_recording() && is_chosen(cell, ip, 1)) {
		struct patchbay_cell of = plain(cell);

		pb_function_entry(ip, parent_ip, &of, regs);
	}
}

PB_HANDLER(pb_sample_function_values)
{
	if (is_recording() && is_chosen(cell, ip, 1)) {
		struct patchbay_cell of = plain(cell);

		pb_values_entry(ip, parent_ip, &of, regs);
	}
}

PB_HANDLER(pb_sample_duration_entry)
{
	if (enter(cell, ip, regs))
		*patchbay_session_word(cell, regs) = patchbay_clock();
}

PB_HANDLER(pb_sample_graph_entry)
{
	if (enter(cell, ip, regs)) {
		struct patchbay_cell of = plain(cell);

		pb_graph_entry(ip, parent_ip, &of, regs);
	}
}

PB_HANDLER(pb_sample_exit)
{
	if (leave(cell, regs)) {
		struct patchbay_cell of = plain(cell);

		pb_threshold_graph_exit(ip, parent_ip, &of, regs);
	}
}

PB_HANDLER(pb_sample_values_exit)
{
	if (leave(cell, regs)) {
		struct patchbay_cell of = plain(cell);

		pb_values_graph_exit(ip, parent_ip, &of, regs);
	}
}
