/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A set: several tracers on one function, as an array that the function's cell points to. A
 * set never changes. To add, remove, enable, disable or update a tracer, the library gives the
 * cell a new set, and frees the old set when no thread can be walking it.
 *
 * @entries and @exits have exactly the members to call, in the order of the calls, so a call
 * makes no checks. Disabled members are only in @cells, and their exits do not count in
 * @has_exits, @more and @told.
 */
#pragma once

#include <patchbay/patchbay.h>

/* The type of handlers and of cell->enter. */
typedef void pb_handler(uintptr_t ip, uintptr_t parent_ip,
			const struct patchbay_cell *cell, struct patchbay_regs *regs);

/*
 * The private cell of function @ip, whose slot points to @gate. Compiled for general
 * registers only. Async-signal-safe.
 */
const struct patchbay_cell *pb_gate_find(const struct patchbay_cell *gate,
					 uintptr_t ip);

/* cell->enter of a gate: calls pb_gate_find(), then enters the private cell. */
pb_handler pb_arch_enter_gate __attribute__((visibility("hidden")));

/* Is @cell a gate? Gates are marked by their func, which is never called. */
static inline int pb_is_gate(const struct patchbay_cell *cell)
{
	return cell->func == pb_arch_enter_gate;
}

/*
 * @retired: the next of a list of replaced sets
 * @nr:      the number of members, disabled or not; not 0
 * @fast:    all handlers are PATCHBAY_OPS_FAST, and no member has an exit
 * @fast_exits: some members have an exit, all handlers are PATCHBAY_OPS_FAST, and the
 *           function is simple for the members with an exit (call.h)
 * @has_exits: some members have an exit
 * @more:    the size in bytes of the members' words that do not fit into the frame of a call;
 *           a multiple of 16; trampolines read it
 * @told:    call->told of a call whose entry all members with an exit saw
 * @since:   the highest number of the members, disabled or not, and the state of calls with
 *           this set (call_state.h)
 * @enter:   cell->enter of a cell with this set: saves vector registers unless all handlers
 *           are FAST, and calls the body if any member has an exit
 * @entries: the entry handlers, in the order of arming
 * @exits:   the exit handlers, in the opposite order, without patchbay_no_exit()
 *
 * Both lists end with NULL. A list without handlers is pb_set_only_nothing.
 */
struct pb_set {
	struct pb_set *retired;
	size_t nr;
	int fast, fast_exits, has_exits;
	unsigned int more;
	uint64_t told;
	uint64_t since;
	patchbay_handler enter;
	const struct patchbay_cell *const *entries, *const *exits;
	struct patchbay_cell cells[];
};

/*
 * The set of a cell whose tracers were removed while a thread may still be inside: one
 * member that does nothing, and that does not count as a tracer.
 */
extern const struct pb_set pb_set_nobody;

/* A list of one member that does nothing, and NULL. Walks need not check for empty lists. */
extern const struct patchbay_cell *const pb_set_only_nothing[];

/*
 * Returns a cell with @ops as its only tracer, which is also the member for @ops in a set.
 * @since: the number of the arming batch, and the tracer's word
 */
struct patchbay_cell pb_ops_cell(struct patchbay_ops *ops,
				 const struct patchbay_record *record,
				 void *data, uint64_t since);

/*
 * Returns the tracers of @cell: the members of its set, or the cell itself. *@nr is their
 * number, which may be 0. @cell->ops is not NULL.
 */
const struct patchbay_cell *pb_set_cells(const struct patchbay_cell *cell,
					 size_t *nr);

/* The member of @cell for the tracer @ops, or NULL. */
const struct patchbay_cell *pb_set_find(const struct patchbay_cell *cell,
					const struct patchbay_ops *ops);

/* Returns a new set of the tracers @cells, in the order of arming. NULL: out of memory. */
struct pb_set *pb_set_new(const struct patchbay_cell *cells, size_t nr);

/*
 * Returns a new set: the tracers of @cell, without @less, with @more appended. Either may
 * be NULL. At least one tracer must remain. NULL: out of memory.
 */
struct pb_set *pb_set_change(const struct patchbay_cell *cell,
			     const struct patchbay_cell *more,
			     const struct patchbay_ops *less);

/*
 * Copy a set in two steps, so that the second cannot fail. pb_set_reserve() allocates a set
 * of @nr members. pb_set_renew() copies the tracers of @old, as they are enabled now.
 */
struct pb_set *pb_set_reserve(size_t nr);
void pb_set_renew(struct pb_set *set, const struct pb_set *old);

size_t pb_set_size(size_t nr);

/* Returns a word that none of @cells uses, for one more tracer with an exit; or -E2BIG. */
int pb_set_find_word(const struct patchbay_cell *cells, size_t nr);

/* Set the data of the tracer @ops in @set, which is not published yet. */
void pb_set_data(struct pb_set *set, const struct patchbay_ops *ops,
		 void *data);

/* Free @set, unless it is NULL or pb_set_nobody. */
void pb_set_free(struct pb_set *set);

/*
 * Call the entry handlers of @cell's set. Compiled without vector instructions. If all
 * handlers are FAST, pb_set_call_fast() is cell->enter, and checks for FAST again: the cell
 * may have got another set after the thread read cell->enter.
 */
pb_handler pb_set_call_fast, pb_set_call;

/* The enter function of a cell whose function has no tracer. */
pb_handler pb_enter_nothing;

/*
 * The entry and exit handlers in cells of tracers with a threshold. On x86-64 the direct
 * way does the same without a call (arch/x86_64/direct.h). A call would cost too much for
 * functions below the threshold.
 */
pb_handler pb_timed_entry, pb_timed_exit;
