/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "quiesce/open_calls.h"

#include "system/linux.h"
#include "system/private.h"

/* The sum of the counts of ended threads. */
static int64_t of_ended;

void pb_open_calls_begin(void)
{
	/* A signal handler may interrupt the direct way while the count is -1. */
	if (pb_thread.reader && pb_thread.open_calls >= PB_OPEN_CALLS_FIRST / 2)
		pb_thread.open_calls += PB_OPEN_CALLS_FIRST;
}

void pb_open_calls_end(void)
{
	if (pb_thread.open_calls < 0)
		pb_thread.open_calls -= PB_OPEN_CALLS_FIRST;
	__atomic_fetch_add(&of_ended, pb_thread.open_calls, __ATOMIC_RELAXED);
	pb_thread.open_calls = 0;
}

void pb_open_calls_fork(void)
{
	__atomic_store_n(&of_ended, 0, __ATOMIC_RELAXED);
	pb_thread.open_calls = pb_thread.reader ? PB_OPEN_CALLS_FIRST : 0;
}

/*
 * Returns the count of @reader's thread. If the thread has ended without notice, its storage
 * may be unmapped or reused. In that case the storage does not refer to @reader: returns 0.
 */
static int64_t count_of(const struct pb_reader *reader)
{
	const uintptr_t *storage = reader->storage;
	struct pb_thread of;

	if (storage == &pb_thread.reader)
		of = pb_thread;
	else if (!storage || __atomic_load_n(&pb_os_restricted, __ATOMIC_RELAXED) ||
		 !pb_os_peek(storage, &of, sizeof(of)) ||
		 !pb_reader_is_in(reader, storage, of.reader))
		return 0;
	return of.open_calls < 0 ? of.open_calls - PB_OPEN_CALLS_FIRST : 0;
}

int64_t pb_private_open_calls(void)
{
	int64_t sum = __atomic_load_n(&of_ended, __ATOMIC_RELAXED);
	const struct pb_reader *reader;

	for (size_t i = 0; (reader = pb_reader_at(i)); i++)
		if (pb_reader_life(reader))
			sum += count_of(reader);
	return sum;
}
