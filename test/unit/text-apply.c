/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Patches are merged into writes, and other bytes stay unchanged. The text is an array,
 * and system calls are logged.
 */
// RUN: %clang -std=c11 -DPB_LIBC_MEMORY -D_GNU_SOURCE -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover %s -I %S/Inputs -I %patchbay_include -I %patchbay_source/runtime/core -o %t
// RUN: %t | FileCheck %s
// CHECK: {{^}}failures: 0 of 461{{$}}

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static int compare(const void *a, const void *b, size_t size);
#define memcmp compare
#include "system/text.c"
#undef memcmp

#include "table.h"

static _Alignas(BLOCK) uint8_t text[4 * BLOCK];
static struct {
	uintptr_t addr;
	size_t len;
} writes[1000];
static int nr_writes, write_error;

enum { HANDLE = 7 };

int pb_os_text_write(int handle, uintptr_t addr, const void *bytes, size_t len)
{
	CHECK(handle == HANDLE);
	writes[nr_writes].addr = addr - (uintptr_t)text;
	writes[nr_writes++].len = len;
	if (write_error)
		return write_error;
	memcpy((void *)addr, bytes, len);
	return 0;
}

int pb_sync_core(void)
{
	return 0;
}

/* Opening the text is tested elsewhere. */
int pb_engine_is_locked(void)
{
	return 0;
}

void pb_os_text_forget(void)
{
}

int pb_os_text_open(void)
{
	return HANDLE;
}

void pb_os_text_close(int handle)
{
	CHECK(handle == HANDLE);
}

/* Another writer changes the text between the library's two reads. */
static size_t foreign;

static int compare(const void *a, const void *b, size_t size)
{
	if (foreign)
		text[foreign] = 0xcc;
	foreign = 0;
	return memcmp(a, b, size);
}

static struct pb_patch patches[400];
static size_t nr;

/* Adds a patch that replaces @len bytes of 0x11 at @offset by 0x22. */
static void add(size_t offset, uint8_t len)
{
	struct pb_patch *patch = &patches[nr++];

	*patch = (struct pb_patch){ .addr = (uintptr_t)text + offset,
				    .len = len };
	memset(text + offset, 0x11, len);
	memset(patch->old, 0x11, len);
	memset(patch->new, 0x22, len);
}

static void begin(void)
{
	nr = 0;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (uint8_t)(i * 7 / 3);
}

static int apply(int rewrite)
{
	nr_writes = 0;
	return pb_text_apply(HANDLE, patches, nr, rewrite);
}

/* Are the patches written, and all other bytes as begin() set them? */
static int all_there(void)
{
	static uint8_t want[sizeof(text)];

	for (size_t i = 0; i < sizeof(text); i++)
		want[i] = (uint8_t)(i * 7 / 3);
	for (size_t i = 0; i < nr; i++)
		memcpy(want + (patches[i].addr - (uintptr_t)text),
		       patches[i].new, patches[i].len);
	return !memcmp(text, want, sizeof(text));
}

static int wrote(int which, size_t offset, size_t len)
{
	return which < nr_writes && writes[which].addr == offset &&
	       writes[which].len == len;
}

/*
 * Adds patches for functions, one every @stride bytes from @from to @to: slot and
 * displacement.
 */
static void add_functions(size_t from, size_t to, size_t stride)
{
	for (size_t at = from; at + stride <= to; at += stride) {
		add(at, 8);
		add(at + 17, 4);
	}
}

static void few(void)
{
	begin();
	CHECK(!apply(1) && !nr_writes);
	add(100, 1);
	add(200, 8);
	add(300, 4);
	CHECK(!apply(1) && all_there() && nr_writes == 3);
	CHECK(wrote(0, 100, 1) && wrote(1, 200, 8) && wrote(2, 300, 4));
	/* Patches of one function. */
	begin();
	add_functions(96, 160, 64);
	add(BLOCK + 1, 1);
	CHECK(!apply(1) && all_there() && nr_writes == 2);
	CHECK(wrote(0, 96, 21) && wrote(1, BLOCK + 1, 1));
	/* The first patch is far from the two others. */
	begin();
	add(100, 1);
	add(200, 1);
	add(210, 1);
	CHECK(!apply(1) && all_there() && nr_writes == 2);
	CHECK(wrote(0, 100, 1) && wrote(1, 200, 11));
	/*
	 * Bytes between patches must not be rewritten, so each patch needs its own
	 * write.
	 */
	begin();
	add_functions(96, 160, 64);
	CHECK(!apply(0) && all_there() && nr_writes == 2);
	CHECK(wrote(0, 96, 8) && wrote(1, 113, 4));
	/*
	 * Within a block, adjacent patches of generated code are merged. No other byte
	 * is written.
	 */
	begin();
	for (size_t i = 0; i < 20; i++)
		add(BLOCK - 80 + 8 * i, 8);
	add(2 * BLOCK, 4);
	CHECK(!apply(0) && all_there() && nr_writes == 3);
	CHECK(wrote(0, BLOCK - 80, 80) && wrote(1, BLOCK, 80));
}

static void many(void)
{
	begin();
	add_functions(64, 3 * BLOCK, 64);
	CHECK(!apply(1) && all_there() && nr_writes == 3);
	CHECK(wrote(0, 64, BLOCK - 64 - 64 + 21));
	CHECK(wrote(1, BLOCK, BLOCK - 64 + 21));
	begin();
	add_functions(64, 3 * BLOCK, 64);
	CHECK(!apply(0) && all_there() && nr_writes == (int)nr);
	/* Seven patches in a block are written one by one, eight by one write. */
	begin();
	for (size_t i = 0; i < 7; i++)
		add(i * 500, 1);
	CHECK(!apply(1) && all_there() && nr_writes == 7);
	begin();
	for (size_t i = 0; i < 8; i++)
		add(i * 500, 1);
	CHECK(!apply(1) && all_there() && nr_writes == 1 && wrote(0, 0, 3501));
	/* Patches cover a block; one patch crosses its end. */
	begin();
	for (size_t i = 0; i < BLOCK; i += 32)
		add(i + (i == BLOCK - 32 ? 31 : 0), 1);
	CHECK(!apply(1) && all_there() && wrote(0, 0, BLOCK));
	begin();
	for (size_t i = 0; i < 8; i++)
		add(i * 500, 1);
	add(BLOCK - 4, 8);
	CHECK(!apply(1) && all_there() && nr_writes == 2);
	CHECK(wrote(1, BLOCK - 4, 8));
	/* The patches are not sorted. */
	begin();
	for (size_t i = 16; i-- > 0;)
		add(i * 100, 1);
	CHECK(!apply(1) && all_there() && nr_writes == 16);
}

static void unexpected(void)
{
	/* If one byte of a patch differs, no byte of the block is written. */
	begin();
	add_functions(0, BLOCK, 64);
	text[BLOCK - 64 + 20] ^= 1;
	CHECK(apply(1) == -EILSEQ && nr_writes == 0);
	begin();
	add(100, 8);
	text[107] ^= 1;
	CHECK(apply(1) == -EILSEQ && nr_writes == 0);
	CHECK(apply(0) == -EILSEQ && nr_writes == 0);
	/* The byte after a patch is not compared. */
	begin();
	add(100, 7);
	CHECK(!apply(1) && all_there());
	/* A breakpoint that appears between the reads, and between patches, remains. */
	begin();
	add_functions(0, BLOCK, 64);
	foreign = 1000;
	CHECK(!apply(1) && text[1000] == 0xcc && nr_writes == 1);
	text[1000] = (uint8_t)(1000 * 7 / 3);
	CHECK(all_there());
	/* If the breakpoint is inside a patch, no byte is written. */
	begin();
	add_functions(0, BLOCK, 64);
	foreign = 20;
	CHECK(apply(1) == -EILSEQ && nr_writes == 0 && text[20] == 0xcc);
}

static void errors(void)
{
	begin();
	add(0, 1);
	add(1000, 1);
	write_error = -EACCES;
	CHECK(apply(1) == -EACCES && nr_writes == 1);
	write_error = 0;
}

static void one(void)
{
	const uint8_t old = 0x11, new = 0x22;

	begin();
	add(5, 1);
	nr_writes = 0;
	CHECK(pb_text_write(HANDLE, patches[0].addr, &new, &old, 1) == -EILSEQ);
	CHECK(nr_writes == 0);
	CHECK(!pb_text_write(HANDLE, patches[0].addr, &old, &new, 1) && all_there());
	CHECK(!pb_sync_core());
}

int main(void)
{
	few();
	many();
	unexpected();
	errors();
	one();
	printf("failures: %d of %d\n", failures, checks);
	return failures != 0;
}
