/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What bulk.c and bulk_check.c find out is to be done, and bulk_text.c does. */
#ifndef PB_CORE_BULK_TEXT_H
#define PB_CORE_BULK_TEXT_H

#include "arch/arch.h"
#include "change/place.h"
#include "system/text_block.h"
#include "types/choice.h"

#include "arch_bulk.h"

/* Groups are found by shape, in a table of more places than there are cells. */
#define PB_NR_SHAPES 512

/*
 * Functions of a shape that are to be armed.
 * @reach: pb_bulk_reach() of their sites, at the entry and behind a landing pad; 0: none
 *         was looked at yet
 */
struct pb_bulk_group {
	struct pb_group group;
	uintptr_t reach[2];
};

/*
 * What is to be done to a module.
 * @choice:  to which functions
 * @nr:      how many these are
 * @own:     those of them, @nr_own, that have a cell of their own and keep it: their
 *           slot stays. No bits: none has
 * @refused: others that were asked for, whose sites are not what they should be
 * @groups:  to be armed: by shape; @by_shape has them as a hash table, @last is the
 *           one that was found last
 * @swaps:   cells that are given another set, with @nr_swapped functions: none of these
 *           is among @choice (bulk_swap.h)
 * @asked:   the functions that the tracer's @check is asked about, as far as they are
 *           below @ask_below: the first that cannot be armed for another reason is before
 *           it. No bits: it has none
 * @slots:   some slots are not what they have to be
 * @first:   none of its sites was armed so far, so no thread looks at slots
 * @parts:   to be disarmed: some share their cell with others that are not
 *
 * Of functions to be armed:
 * @slot_of: by owner, what the slots of its functions say, if one of them has been found
 *           to be for us, so that they all are; or PB_BULK_NO_SLOT
 */
struct pb_bulk_module {
	struct pb_bulk_module *next;
	struct pb_module *module;
	struct pb_choice choice, own, refused, asked;
	size_t nr, nr_own, nr_swapped, ask_below;
	struct pb_group *groups, *swaps;
	struct pb_bulk_group *by_shape[PB_NR_SHAPES], *last;
	unsigned int nr_groups;
	int slots, parts, first;
	uintptr_t slot_of[PB_NR_SHARED];
};

/* What nothing leads to: no function of the owner was looked at yet. */
#define PB_BULK_NO_SLOT ((uintptr_t)-1)

struct pb_bulk {
	struct pb_request *request;
	struct pb_bulk_module *modules;
	struct pb_text_block block;
	int handle;
};

/*
 * Hide the value of @pointer from the compiler. Otherwise it derives more pointers from
 * @pointer, advances all of them in the loop, and runs out of registers.
 */
#define PB_KEEP_ONE(pointer) __asm__("" : "+r"(pointer))

/* The group of functions with @shape, or NULL. */
static inline struct pb_bulk_group *pb_bulk_group(struct pb_bulk_module *b,
						  uint32_t shape)
{
	unsigned int at = shape * 2654435761u >> 23;

	if (b->last && b->last->group.shape == shape)
		return b->last;
	while (b->by_shape[at] && b->by_shape[at]->group.shape != shape)
		at = (at + 1) % PB_NR_SHAPES;
	return b->last = b->by_shape[at];
}

static inline int pb_bulk_is_own(const struct pb_bulk_module *b, size_t i)
{
	return b->own.bits && pb_choice_has(&b->own, i);
}

/*
 * Find out which functions of @b are to be armed, and their groups; nothing is changed
 * by it. Returns 0, PB_NOT_BULK, PB_UNSETTLED or a negative errno (bulk.h).
 *
 * pb_bulk_ask() asks the tracer's @check, and takes out functions that it refuses. It
 * comes after pb_bulk_check() of all modules, since @check may only be asked once. Returns
 * 0 or a negative errno. Both not under the engine lock.
 */
int pb_bulk_check(struct pb_bulk *bulk, struct pb_bulk_module *b);
int pb_bulk_ask(struct pb_bulk *bulk, struct pb_bulk_module *b);

/* Function @i keeps the cell of its own that it has. Returns 0 or -ENOMEM. */
int pb_bulk_add_own(struct pb_bulk_module *b, size_t i);

/*
 * Arm the functions, or disarm them: all, or none and an error. Under the engine lock; @bulk->handle is of pb_text_open(), or its error.
 */
int pb_bulk_arm(struct pb_bulk *bulk);
int pb_bulk_disarm(struct pb_bulk *bulk);

#endif /* PB_CORE_BULK_TEXT_H */
