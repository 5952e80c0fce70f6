/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A set of functions of a module: one bit for each. Clearing and searching must be fast,
 * because filters often choose one of very many functions.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * @nr:    the number of records
 * @bits:  one for each record, and zeros after the last
 * @items: NULL, or for each function the index of the item in the filter's list that chose it
 */
struct pb_choice {
	size_t nr;
	uint64_t *bits;
	uint32_t *items;
};

/*
 * Initialize @choice for @nr functions, none of them chosen. @nr is not 0. @items: allocate
 * @choice->items, too. Returns 0 or -ENOMEM.
 */
int pb_choice_init(struct pb_choice *choice, size_t nr, int items);
void pb_choice_free(struct pb_choice *choice);

/* Copy @from, without its items. Returns 0 or -ENOMEM. */
int pb_choice_copy(struct pb_choice *choice, const struct pb_choice *from);

/* Add function @i, which list item @item chooses. Keeps the lowest item of a function. */
void pb_choice_add(struct pb_choice *choice, size_t i, uint32_t item);
void pb_choice_add_all(struct pb_choice *choice);
void pb_choice_remove(struct pb_choice *choice, const struct pb_choice *others);

static inline int pb_choice_has(const struct pb_choice *choice, size_t i)
{
	return choice->bits[i / 64] >> i % 64 & 1;
}

/* The first chosen function from @i on, or @choice->nr. */
static inline size_t pb_choice_next(const struct pb_choice *choice, size_t i)
{
	while (i < choice->nr) {
		uint64_t rest = choice->bits[i / 64] >> i % 64;

		/* The common case: all functions are chosen. */
		if (rest & 1)
			return i;
		if (rest)
			return i + (size_t)__builtin_ctzll(rest);
		i = (i | 63) + 1;
	}
	return choice->nr;
}

/*
 * Returns the end of the run that begins with function @i, at most @end. The functions of
 * a run are all chosen, or all not chosen.
 */
size_t pb_choice_same_end(const struct pb_choice *choice, size_t i, size_t end);

/*
 * Returns the end of a run of chosen functions that begins with @i, or of its first 4096
 * functions. Most runs are long, and a loop over a run tests no bits.
 */
static inline size_t pb_choice_row_end(const struct pb_choice *choice, size_t i)
{
	const size_t end = i + 4096;

	return pb_choice_same_end(choice, i, end < choice->nr ? end : choice->nr);
}

static inline void pb_choice_drop(struct pb_choice *choice, size_t i)
{
	choice->bits[i / 64] &= ~(UINT64_C(1) << i % 64);
}
