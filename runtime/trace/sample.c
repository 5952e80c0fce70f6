/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tracers with sample=1/N: of the calls that a thread makes of a function the first is
 * recorded, and each N-th behind it. Each thread counts for itself (tally.h), so
 * nothing is shared; and since it counts all of them, the file says how often the
 * function was called. A call that is not recorded takes no more of the stack, where
 * that can be had.
 *
 * cell->data is a struct pb_index of places in the tables of threads, and @of what
 * cell->data is of the tracers that record all calls.
 */
#include "index.h"
#include "sample.h"
#include "tally.h"
#include "tracers.h"

#include <counter.h>
#include <patchbay/exit.h>

uint64_t pb_sample;
uint64_t pb_nr_places;

/* What an exit handler finds of a call that is not recorded: no time is that. */
#define NOT_RECORDED 0

/* As the handlers of tracers that record all calls have it. */
static inline struct patchbay_cell plain(const struct patchbay_cell *cell)
{
	const struct pb_index *index = cell->data;

	return (struct patchbay_cell){ .data = index->of,
				       .record = cell->record,
				       .ops = cell->ops,
				       .since = cell->since };
}

/*
 * Is this call to be recorded? A signal handler that comes in between may make it one
 * call more or less until the next; none is counted twice.
 */
static int is_chosen(const struct patchbay_cell *cell, uintptr_t ip)
{
	const struct pb_index *index = cell->data;
	struct pbd_sample *sample;

	if (!__atomic_load_n(&pb_recording, __ATOMIC_RELAXED))
		return 0;
	sample = (struct pbd_sample *)pb_tally_get(pb_index_get(index, ip),
						   (uintptr_t)index->of + ip);
	if (!sample)
		return 0;
	pb_local_add(&sample->calls, 1);
	if (sample->left) {
		sample->left--;
		return 0;
	}
	sample->left = pb_sample - 1;
	return 1;
}

void pb_sample_function_entry(uintptr_t ip, uintptr_t parent_ip,
			      const struct patchbay_cell *cell,
			      struct patchbay_regs *regs)
{
	if (is_chosen(cell, ip)) {
		struct patchbay_cell of = plain(cell);

		pb_function_entry(ip, parent_ip, &of, regs);
	}
}

void pb_sample_function_values(uintptr_t ip, uintptr_t parent_ip,
			       const struct patchbay_cell *cell,
			       struct patchbay_regs *regs)
{
	if (is_chosen(cell, ip)) {
		struct patchbay_cell of = plain(cell);

		pb_values_entry(ip, parent_ip, &of, regs);
	}
}

static inline void forgo_exit(const struct patchbay_cell *cell,
			      struct patchbay_regs *regs)
{
	*patchbay_session_word(cell, regs) = NOT_RECORDED;
	patchbay_forgo_exit(regs);
}

void pb_sample_duration_entry(uintptr_t ip, uintptr_t parent_ip,
			      const struct patchbay_cell *cell,
			      struct patchbay_regs *regs)
{
	(void)parent_ip;
	if (is_chosen(cell, ip))
		*patchbay_session_word(cell, regs) = patchbay_clock();
	else
		forgo_exit(cell, regs);
}

void pb_sample_graph_entry(uintptr_t ip, uintptr_t parent_ip,
			   const struct patchbay_cell *cell,
			   struct patchbay_regs *regs)
{
	if (is_chosen(cell, ip)) {
		struct patchbay_cell of = plain(cell);

		pb_graph_entry(ip, parent_ip, &of, regs);
	} else {
		forgo_exit(cell, regs);
	}
}

void pb_sample_exit(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell,
		    struct patchbay_regs *regs)
{
	if (*patchbay_session_word(cell, regs) != NOT_RECORDED) {
		struct patchbay_cell of = plain(cell);

		pb_graph_exit(ip, parent_ip, &of, regs);
	}
}

void pb_sample_values_exit(uintptr_t ip, uintptr_t parent_ip,
			   const struct patchbay_cell *cell,
			   struct patchbay_regs *regs)
{
	if (*patchbay_session_word(cell, regs) != NOT_RECORDED) {
		struct patchbay_cell of = plain(cell);

		pb_values_graph_exit(ip, parent_ip, &of, regs);
	}
}
