/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tracers with sample=1/N record a thread's first call of a function, and each
 * N-th call after it. Each thread counts for itself (tally.h), so threads share
 * nothing. A thread counts all calls, so the file has the function's number of
 * calls. A call that is not recorded needs no stack for its exit, where the
 * architecture supports that.
 *
 * cell->data is a struct pb_index of places in the threads' tables. Its @of is
 * the cell->data that tracers use that record all calls.
 */
#include "functions/index.h"
#include "sample.h"
#include "session/recording.h"
#include "threads/tally.h"
#include "tracers.h"

#include <counter.h>
#include <patchbay/exit.h>

uint64_t pb_sample;

/* An exit handler finds this in a call that is not recorded. No time has this value. */
#define NOT_RECORDED 0

/* The cell as handlers expect it that record all calls. */
static inline struct patchbay_cell plain(const struct patchbay_cell *cell)
{
	const struct pb_index *index = cell->data;

	return (struct patchbay_cell){ .data = index->of,
				       .record = cell->record,
				       .ops = cell->ops,
				       .since = cell->since };
}

/*
 * Is this call recorded? An interrupting signal handler may shift the next
 * recorded call by one. No call is counted twice.
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
