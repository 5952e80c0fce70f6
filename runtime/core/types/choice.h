/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A set of functions of a module. It has one bit for each function, because clearing and
 * searching it must be fast: often one of very many functions is chosen.
 */
#ifndef PB_CORE_CHOICE_H
#define PB_CORE_CHOICE_H

#include <stddef.h>
#include <stdint.h>

/*
 * @nr:    the number of records
 * @bits:  one for each record, and zeros after the last
 * @items: NULL, or for each chosen function the index of the list's item
 */
struct pb_choice {
	size_t nr;
	uint64_t *bits;
	uint32_t *items;
};

/* Choose none of @nr functions; @nr is not 0. Returns 0 or -ENOMEM. */
int pb_choice_init(struct pb_choice *choice, size_t nr, int items);
void pb_choice_free(struct pb_choice *choice);

/* Copy @from, without its items. Returns 0 or -ENOMEM. */
int pb_choice_copy(struct pb_choice *choice, const struct pb_choice *from);

/* If several items choose a function, keep the first of the list. */
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

		/* If all are chosen, it is the next one. */
		if (rest & 1)
			return i;
		if (rest)
			return i + (size_t)__builtin_ctzll(rest);
		i = (i | 63) + 1;
	}
	return choice->nr;
}

/*
 * The end, at most @end, of the functions from @i on that are chosen if @i is, and not
 * chosen if @i is not.
 */
size_t pb_choice_same_end(const struct pb_choice *choice, size_t i, size_t end);

/*
 * The end of a row of chosen functions that begins with @i, or of its first thousands.
 * Most rows are long, and a loop over a row looks at no bits.
 */
static inline size_t pb_choice_row_end(const struct pb_choice *choice, size_t i)
{
	const size_t end = i + 4096;

	return pb_choice_same_end(choice, i, end < choice->nr ? end : choice->nr);
}

/* Functions from @i to @end - 1 are no longer chosen. */
void pb_choice_remove_row(struct pb_choice *choice, size_t i, size_t end);

#endif /* PB_CORE_CHOICE_H */
