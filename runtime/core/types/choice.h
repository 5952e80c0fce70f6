/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Some functions of a module. Often it is one of very many that is looked for,
 * so a bit for each is all that there is to be cleared and searched.
 */
#ifndef PB_CORE_CHOICE_H
#define PB_CORE_CHOICE_H

#include <stddef.h>
#include <stdint.h>

/*
 * @nr:    of records
 * @bits:  one for each, and zeros behind the last
 * @items: NULL, or for each that is chosen the index of the list's item
 */
struct pb_choice {
	size_t nr;
	uint64_t *bits;
	uint32_t *items;
};

/* None of @nr, which is not 0; with @items or not. Returns 0 or -ENOMEM. */
int pb_choice_init(struct pb_choice *choice, size_t nr, int items);
void pb_choice_free(struct pb_choice *choice);

/* Copy @from, without its items. Returns 0 or -ENOMEM. */
int pb_choice_copy(struct pb_choice *choice, const struct pb_choice *from);

/* Of several items that choose a function, the first of the list is kept. */
void pb_choice_add(struct pb_choice *choice, size_t i, uint32_t item);
void pb_choice_add_all(struct pb_choice *choice);
void pb_choice_remove(struct pb_choice *choice, const struct pb_choice *others);

static inline int pb_choice_has(const struct pb_choice *choice, size_t i)
{
	return choice->bits[i / 64] >> i % 64 & 1;
}

/* The first at @i or behind; @choice->nr if there is none. */
static inline size_t pb_choice_next(const struct pb_choice *choice, size_t i)
{
	while (i < choice->nr) {
		uint64_t rest = choice->bits[i / 64] >> i % 64;

		/* Where all are chosen it is the next one. */
		if (rest & 1)
			return i;
		if (rest)
			return i + (size_t)__builtin_ctzll(rest);
		i = (i | 63) + 1;
	}
	return choice->nr;
}

/*
 * Where functions end, at @end at the latest, that are chosen as @i is, or are not. It
 * looks no further than that.
 */
size_t pb_choice_same_end(const struct pb_choice *choice, size_t i, size_t end);

/*
 * Where the row ends that begins with @i, which is chosen: those behind it without a gap,
 * or the first thousands of them. Mostly rows are long, and a loop over one has nothing
 * to do with bits.
 */
static inline size_t pb_choice_row_end(const struct pb_choice *choice, size_t i)
{
	const size_t end = i + 4096;

	return pb_choice_same_end(choice, i, end < choice->nr ? end : choice->nr);
}

/* Those from @i to below @end are chosen no longer. */
void pb_choice_remove_row(struct pb_choice *choice, size_t i, size_t end);

#endif /* PB_CORE_CHOICE_H */
