/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "left.h"

#include "os/linux.h"

/* No page is smaller. */
#define PAGE ((uintptr_t)4096)

static const uint32_t *mark_of(uintptr_t frame)
{
	return (const uint32_t *)(frame + (uintptr_t)(intptr_t)pb_frame_mark.at);
}

static uint32_t value_of(const struct pb_reader *reader)
{
	return pb_frame_mark.value ? pb_frame_mark.value :
				     (uint32_t)(uintptr_t)reader;
}

int pb_left_is_gone(const struct pb_reader *reader, uintptr_t frame)
{
	return !__atomic_load_n(&pb_os_restricted, __ATOMIC_RELAXED) &&
	       pb_os_differs(mark_of(frame), value_of(reader));
}

/* A frame is at least struct patchbay_regs and the mark. */
static int overlaps(uintptr_t frame, uintptr_t from, uintptr_t to)
{
	uintptr_t start = frame, end = frame + sizeof(struct patchbay_regs);

	if (pb_frame_mark.at < 0)
		start = (uintptr_t)mark_of(frame);
	return start < to && end > from;
}

/*
 * @room is as much as the library needs elsewhere, too. It is below all that is in
 * use on this stack, and while it is ours nobody else has anything there. It is
 * written to for the sake of other threads, which look at memory only.
 */
__attribute__((noinline)) int
pb_left_is_surely_gone(const struct pb_reader *self, uintptr_t frame,
		       uintptr_t to)
{
	volatile char room[8192];

	for (size_t i = 0; i < sizeof(room); i += sizeof(uint32_t))
		*(volatile uint32_t *)&room[i] = 0;
	return overlaps(frame, (uintptr_t)room, to) ||
	       pb_left_is_gone(self, frame);
}

int pb_left_is_reused(const struct pb_reader *self, uintptr_t frame,
		      uintptr_t from, uintptr_t to)
{
	const uint32_t *mark = mark_of(frame);

	/* In the middle of our own stack nobody else has anything. */
	if (overlaps(frame, from, to))
		return 1;
	/* What is in the same page as our own stack can be read. */
	return ((((uintptr_t)mark ^ from) & -PAGE) == 0 ||
		(((uintptr_t)mark ^ (to - 1)) & -PAGE) == 0) &&
	       __atomic_load_n(mark, __ATOMIC_RELAXED) != value_of(self);
}

void pb_left_mark_frame(const struct patchbay_regs *frame,
			const struct pb_reader *reader)
{
	/* The trampoline's frame is in memory that can be written to. */
	if (!pb_frame_mark.value)
		*(uint64_t *)(uintptr_t)mark_of((uintptr_t)frame) =
			(uint64_t)(uintptr_t)reader;
}
