/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "quiesce/handler_frame.h"

#include "system/linux.h"

/* The smallest page size. */
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

int pb_handler_is_gone(const struct pb_reader *reader, uintptr_t frame)
{
	return !__atomic_load_n(&pb_os_restricted, __ATOMIC_RELAXED) &&
	       pb_os_differs(mark_of(frame), value_of(reader));
}

/* Does the frame (struct patchbay_regs and the mark) overlap the stack from @from to @to? */
static int overlaps(uintptr_t frame, uintptr_t from, uintptr_t to)
{
	uintptr_t start = frame, end = frame + sizeof(struct patchbay_regs);

	if (pb_frame_mark.at < 0)
		start = (uintptr_t)mark_of(frame);
	return start < to && end > from;
}

/* Other functions of the library use this much stack, so the thread has it. */
#define ROOM ((uintptr_t)8192)

/*
 * Overwrite the stack down to @start, where an abandoned frame is. Other threads detect by the
 * memory of the frame that it is gone (pb_handler_is_gone()).
 */
static __attribute__((noinline)) void use_stack_to(uintptr_t start)
{
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	volatile char room[here - start + sizeof(uint32_t)];

	for (size_t i = 0; i + sizeof(uint32_t) <= sizeof(room); i += sizeof(uint32_t))
		*(volatile uint32_t *)&room[i] = 0;
}

/*
 * A frame is gone if it is in the stack that is now in use, or shortly below. Overwrite a
 * frame that is below, but use no more stack than that, because the thread may have no more.
 */
__attribute__((noinline)) int
pb_handler_is_surely_gone(const struct pb_reader *self, uintptr_t frame,
			  uintptr_t to)
{
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	const uintptr_t mark = (uintptr_t)mark_of(frame);

	if (!overlaps(frame, here - ROOM, to))
		return pb_handler_is_gone(self, frame);
	if (!overlaps(frame, here, to))
		use_stack_to(mark < frame ? mark : frame);
	return 1;
}

int pb_handler_is_overwritten(const struct pb_reader *self, uintptr_t frame,
			      uintptr_t from, uintptr_t to)
{
	const uint32_t *mark = mark_of(frame);

	/* Only the library uses the stack from @from to @to: the frame is gone. */
	if (overlaps(frame, from, to))
		return 1;
	/* Read the mark only in the pages of the library's stack: other pages may be unmapped. */
	return ((((uintptr_t)mark ^ from) & -PAGE) == 0 ||
		(((uintptr_t)mark ^ (to - 1)) & -PAGE) == 0) &&
	       __atomic_load_n(mark, __ATOMIC_RELAXED) != value_of(self);
}

void pb_mark_handler_frame(const struct patchbay_regs *frame,
			   const struct pb_reader *reader)
{
	/* The trampoline is still running, so its frame is writable. */
	if (pb_frame_mark.value)
		*(uint32_t *)(uintptr_t)mark_of((uintptr_t)frame) = pb_frame_mark.value;
	else
		*(uint64_t *)(uintptr_t)mark_of((uintptr_t)frame) =
			(uint64_t)(uintptr_t)reader;
}
