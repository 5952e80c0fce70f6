/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Queued patches are written in the right order and at the right time, and the text is
 * open only as long as necessary. The test logs writes, and lets one fail.
 */
// RUN: %clang -std=c11 -DPB_LIBC_MEMORY -D_GNU_SOURCE -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover %s -I %S/Inputs -I %patchbay_include -I %patchbay_source/runtime/core -o %t
// RUN: %t | FileCheck %s
// CHECK: {{^}}failures: 0 of 36{{$}}

#include "change/text_queue.c"

#include "table.h"

enum { HANDLE = 7, MANY = 3 * ROOM };

const int pb_arch_rewrite = 1;

static int opens, open_now, open_error, write_error, nr_writes;
static size_t nr_written, last_size;
static uintptr_t last_addr;
static int sorted;

int pb_text_open(void)
{
	if (open_error)
		return open_error;
	opens++;
	open_now++;
	return HANDLE;
}

void pb_text_close(int handle)
{
	CHECK(handle == HANDLE);
	open_now--;
}

int pb_text_apply(int handle, const struct pb_patch *patches, size_t nr,
		  int rewrite)
{
	CHECK(handle == HANDLE && rewrite);
	nr_writes++;
	last_size = nr;
	if (write_error)
		return write_error;
	for (size_t i = 0; i < nr; i++) {
		sorted &= !i || patches[i - 1].addr < patches[i].addr;
		last_addr = patches[i].addr;
	}
	nr_written += nr;
	return 0;
}

int pb_engine_is_locked(void)
{
	return 0;
}

static struct pb_text_queue begin(size_t nr, int whole)
{
	struct pb_text_queue queue = { .handle = -EBADF };

	opens = nr_writes = 0;
	nr_written = last_size = 0;
	sorted = 1;
	CHECK(pb_text_queue_init(&queue, nr, whole) == 0);
	return queue;
}

static int add(struct pb_text_queue *queue, uintptr_t addr)
{
	int error = pb_text_queue_room(queue, 1);

	queue->patches[queue->nr++] = (struct pb_patch){ .addr = addr };
	return error;
}

static void few(void)
{
	struct pb_text_queue queue = begin(3, 0);

	/* Without patches, the text is neither opened nor written. */
	CHECK(pb_text_flush(&queue) == 0 && !opens && !nr_writes);
	queue.handle = pb_text_open();
	CHECK(opens == 1);
	add(&queue, 30);
	add(&queue, 10);
	add(&queue, 20);
	CHECK(!nr_writes);
	CHECK(pb_text_flush(&queue) == 0 && nr_written == 3);
	CHECK(sorted && last_addr == 30 && nr_writes == 1);
	/* The text stays open for more patches. */
	add(&queue, 40);
	CHECK(pb_text_flush(&queue) == 0 && nr_written == 4);
	CHECK(opens == 1 && open_now);
	pb_text_queue_free(&queue);
	CHECK(!open_now);
}

static void many(int whole)
{
	struct pb_text_queue queue = begin(MANY, whole);

	queue.handle = pb_text_open();
	/* Patches are added in a mixed order. */
	for (uintptr_t i = 0; i < MANY; i++)
		add(&queue, i * 1021 % MANY);
	CHECK(nr_writes == (whole ? 0 : 2));
	CHECK(pb_text_flush(&queue) == 0 && nr_written == MANY && sorted);
	CHECK(nr_writes == (whole ? 1 : 3));
	pb_text_queue_free(&queue);
}

static void errors(void)
{
	struct pb_text_queue queue = begin(2, 0);

	queue.handle = pb_text_open();
	/* A failed write is not repeated later. */
	write_error = -EACCES;
	add(&queue, 10);
	add(&queue, 20);
	CHECK(add(&queue, 30) == -EACCES && last_size == 2);
	write_error = 0;
	CHECK(pb_text_flush(&queue) == 0 && last_size == 1);
	pb_text_queue_free(&queue);

	/* If the text cannot be opened, the write fails. */
	queue = begin(2, 0);
	open_error = -ENODEV;
	queue.handle = pb_text_open();
	CHECK(pb_text_flush(&queue) == 0);
	add(&queue, 10);
	CHECK(pb_text_flush(&queue) == -ENODEV && nr_writes == 0);
	open_error = 0;
	pb_text_queue_free(&queue);
	CHECK(!open_now);
}

int main(void)
{
	few();
	many(0);
	many(1);
	errors();
	printf("failures: %d of %d\n", failures, checks);
	return failures != 0;
}
