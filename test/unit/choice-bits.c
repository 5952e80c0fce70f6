/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A selection of up to some hundred functions has the same content as an array of them.
 */
// RUN: %clang -std=c11 -DPB_LIBC_MEMORY -D_GNU_SOURCE -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover %s -I %S/Inputs -I %patchbay_source/runtime/core -o %t
// RUN: env ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=1 %t | FileCheck %s
// CHECK: {{^}}failures: 0 of 132853{{$}}

#include "types/choice.c"

#include "table.h"

#define MOST 200

/*
 * Does @choice have exactly every @step-th function from @first on, except multiples of
 * @hidden?
 */
static int is(const struct pb_choice *choice, size_t first, size_t step,
	      size_t hidden)
{
	size_t next = 0;

	for (size_t i = 0; i <= choice->nr; i++) {
		size_t want = i;

		while (want < choice->nr &&
		       (want < first || (want - first) % step ||
			(hidden && !(want % hidden))))
			want++;
		next = pb_choice_next(choice, i);
		if (next != want)
			return 0;
		if (i < choice->nr && pb_choice_has(choice, i) != (want == i))
			return 0;
	}
	return next == choice->nr;
}

static void all(size_t nr)
{
	struct pb_choice choice, others;

	CHECK_ROW(nr, !pb_choice_init(&choice, nr, 0) && is(&choice, nr, 1, 0));
	CHECK_ROW(nr, !pb_choice_init(&others, nr, 0));
	pb_choice_add_all(&choice);
	CHECK_ROW(nr, is(&choice, 0, 1, 0));
	CHECK_ROW(nr, !(nr % 64) || !(choice.bits[nr / 64] >> nr % 64));
	for (size_t i = 0; i < nr; i += 3)
		pb_choice_add(&others, i, 0);
	pb_choice_remove(&choice, &others);
	CHECK_ROW(nr, is(&choice, 0, 1, 3) && is(&others, 0, 3, 0));
	pb_choice_free(&choice);
	pb_choice_free(&others);
}

static void drop_row(struct pb_choice *choice, size_t i, size_t end)
{
	for (; i < end; i++)
		pb_choice_drop(choice, i);
}

/*
 * Are rows equal to the single bits? With @remove, removing rows must remove exactly
 * the rows' bits.
 */
static int has_rows(struct pb_choice *choice, int remove)
{
	size_t i = pb_choice_next(choice, 0), others = 0;

	while (i < choice->nr) {
		const size_t end = pb_choice_row_end(choice, i);

		if (end <= i || end > choice->nr)
			return 0;
		for (size_t in = i; in < end; in++)
			if (!pb_choice_has(choice, in))
				return 0;
		/* A row ends only before a missing bit, unless the row is very long. */
		if (end < choice->nr && pb_choice_has(choice, end) &&
		    end - i < 63 * 64)
			return 0;
		if (remove && end - i > 2) {
			drop_row(choice, i + 1, end - 1);
			if (!pb_choice_has(choice, i) ||
			    !pb_choice_has(choice, end - 1) ||
			    pb_choice_next(choice, i + 1) != end - 1)
				return 0;
		}
		others += end - i;
		i = pb_choice_next(choice, end);
	}
	return others > 0;
}

/* Checks the end of each run of equal bits, with several limits of the search. */
static void alike(const struct pb_choice *choice)
{
	for (size_t i = 0; i < choice->nr; i += 1 + i % 5) {
		size_t end = i + 1;

		while (end < choice->nr &&
		       pb_choice_has(choice, end) == pb_choice_has(choice, i))
			end++;
		CHECK_ROW(i, pb_choice_same_end(choice, i, choice->nr) == end);
		CHECK_ROW(i, pb_choice_same_end(choice, i, end) == end);
		CHECK_ROW(i, pb_choice_same_end(choice, i, i + 1) == i + 1);
		CHECK_ROW(i, pb_choice_same_end(choice, i, i + (end - i) / 2) ==
				     i + (end - i) / 2);
	}
}

static void rows(size_t nr, size_t step)
{
	struct pb_choice choice;

	CHECK_ROW(nr, !pb_choice_init(&choice, nr, 0));
	pb_choice_add_all(&choice);
	CHECK_ROW(nr, has_rows(&choice, 0));
	for (size_t i = step; i < nr; i += step)
		drop_row(&choice, i, i + 1);
	for (size_t i = 0; i < nr; i++)
		CHECK_ROW(i, pb_choice_has(&choice, i) == (!i || i % step != 0));
	alike(&choice);
	CHECK_ROW(nr, has_rows(&choice, 0) && has_rows(&choice, 1));
	alike(&choice);
	drop_row(&choice, 0, nr);
	CHECK_ROW(nr, pb_choice_next(&choice, 0) == nr);
	alike(&choice);
	/* Use every second row. */
	pb_choice_add_all(&choice);
	for (size_t i = step; i < nr; i += 2 * step) {
		drop_row(&choice, i, i + step < nr ? i + step : nr);
		CHECK_ROW(i, pb_choice_next(&choice, i) ==
				     (i + step < nr ? i + step : nr));
	}
	for (size_t i = 0; i < nr; i++)
		CHECK_ROW(i, pb_choice_has(&choice, i) == !(i / step % 2));
	alike(&choice);
	pb_choice_add_all(&choice);
	CHECK_ROW(nr, is(&choice, 0, 1, 0));
	pb_choice_free(&choice);
}

static void some(void)
{
	struct pb_choice choice;

	CHECK(!pb_choice_init(&choice, MOST, 1));
	/* Clear the items that an earlier test left in this memory. */
	memset(choice.items, 0, MOST * sizeof(*choice.items));
	for (size_t i = 5; i < MOST; i += 65)
		pb_choice_add(&choice, i, 7);
	CHECK(is(&choice, 5, 65, 0) && choice.items[135] == 7);
	/* The first item counts, even if it is added last. */
	pb_choice_add(&choice, 70, 8);
	pb_choice_add(&choice, 135, 6);
	CHECK(is(&choice, 5, 65, 0));
	CHECK(choice.items[5] == 7 && choice.items[70] == 7);
	CHECK(choice.items[135] == 6);
	pb_choice_free(&choice);
	/* A size of more than a megabyte is refused, first for items, then for bits. */
	CHECK(pb_choice_init(&choice, 1 << 20, 1) == -ENOMEM);
	CHECK(pb_choice_init(&choice, 1 << 25, 0) == -ENOMEM);
}

int main(void)
{
	for (size_t nr = 1; nr <= MOST; nr++)
		all(nr);
	for (size_t step = 2; step < 2 * MOST; step += 1 + step / 3)
		rows(5 * MOST - step, step);
	some();
	printf("failures: %d of %d\n", failures, checks);
	return failures != 0;
}
