/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "text.h"

#include "os/linux.h"

#include <errno.h>
#include <string.h>

/*
 * Patches of one function are written by one call: between its slot and its
 * site there are only its pad, its hash and its landing pad, which have been
 * recognised. Nothing further is ever written back, others may be changing it.
 */
#define SPAN_GAP 16
#define SPAN_MAX 64

int pb_sync_core(void)
{
	return pb_os_sync_core();
}

static int matches(const struct pb_patch *patch)
{
	return !memcmp((const void *)patch->addr, patch->old, patch->len);
}

/* The index behind the last patch that is written together with @first. */
static size_t span_end(const struct pb_patch *patches, size_t first, size_t nr)
{
	size_t last = first;

	while (last + 1 < nr) {
		const struct pb_patch *next = &patches[last + 1];
		uintptr_t end = patches[last].addr + patches[last].len;

		if (next->addr - end > SPAN_GAP ||
		    next->addr + next->len - patches[first].addr > SPAN_MAX)
			break;
		last++;
	}
	return last + 1;
}

static int write_span(int handle, const struct pb_patch *patches, size_t nr)
{
	const struct pb_patch *last = &patches[nr - 1];
	uintptr_t start = patches[0].addr;
	size_t size = last->addr + last->len - start;
	uint8_t image[SPAN_MAX];

	memcpy(image, (const void *)start, size);
	for (size_t i = 0; i < nr; i++)
		memcpy(image + (patches[i].addr - start), patches[i].new,
		       patches[i].len);
	return pb_os_text_write(handle, start, image, size);
}

int pb_text_apply(const struct pb_patch *patches, size_t nr)
{
	int handle, error = 0;

	for (size_t i = 0; i < nr; i++)
		if (!matches(&patches[i]))
			return -EILSEQ;
	if (!nr)
		return 0;
	handle = pb_os_text_open();
	if (handle < 0)
		return handle;
	for (size_t i = 0, end; i < nr && !error; i = end) {
		end = span_end(patches, i, nr);
		error = write_span(handle, &patches[i], end - i);
	}
	pb_os_text_close(handle);
	return error;
}

int pb_text_write(int handle, uintptr_t addr, const void *old, const void *new,
		  size_t len)
{
	if (memcmp((const void *)addr, old, len))
		return -EILSEQ;
	return pb_os_text_write(handle, addr, new, len);
}
