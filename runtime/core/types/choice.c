/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "system/memory.h"
#include "types/choice.h"

#include <errno.h>
#include <string.h>

static size_t nr_words(const struct pb_choice *choice)
{
	return (choice->nr + 63) / 64;
}

int pb_choice_init(struct pb_choice *choice, size_t nr, int items)
{
	choice->nr = nr;
	choice->bits = pb_calloc(nr_words(choice), sizeof(*choice->bits));
	choice->items = items ? pb_malloc(nr * sizeof(*choice->items)) : NULL;
	if (choice->bits && (!items || choice->items))
		return 0;
	pb_choice_free(choice);
	return -ENOMEM;
}

void pb_choice_free(struct pb_choice *choice)
{
	pb_free(choice->bits);
	pb_free(choice->items);
}

int pb_choice_copy(struct pb_choice *choice, const struct pb_choice *from)
{
	int error = pb_choice_init(choice, from->nr, 0);

	if (!error)
		memcpy(choice->bits, from->bits, nr_words(from) * sizeof(*from->bits));
	return error;
}

void pb_choice_add(struct pb_choice *choice, size_t i, uint32_t item)
{
	if (choice->items &&
	    (!pb_choice_has(choice, i) || item < choice->items[i]))
		choice->items[i] = item;
	choice->bits[i / 64] |= UINT64_C(1) << i % 64;
}

void pb_choice_add_all(struct pb_choice *choice)
{
	const size_t nr = nr_words(choice);

	memset(choice->bits, 0xff, nr * sizeof(*choice->bits));
	choice->bits[nr - 1] >>= nr * 64 - choice->nr;
}

void pb_choice_remove(struct pb_choice *choice, const struct pb_choice *others)
{
	for (size_t i = 0; i < nr_words(choice); i++)
		choice->bits[i] &= ~others->bits[i];
}

size_t pb_choice_same_end(const struct pb_choice *choice, size_t i, size_t end)
{
	const uint64_t like = pb_choice_has(choice, i) ? UINT64_MAX : 0;

	while (i < end) {
		const uint64_t others = (choice->bits[i / 64] ^ like) >> i % 64;

		if (others) {
			i += (size_t)__builtin_ctzll(others);
			break;
		}
		i = (i | 63) + 1;
	}
	return i < end ? i : end;
}
