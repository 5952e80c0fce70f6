/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * pb_quiesce_begin() waits for a thread that may still have read an old cell, even on
 * CPUs that load the cell before the phase. This depends on the order of the thread's
 * steps around the barrier. A wait for a call that is counted as missed is tested
 * separately. The file also tests how readers are allocated, freed and reused.
 */
// REQUIRES: host-x86_64
// RUN: %clang -std=c11 -DPB_LIBC_MEMORY -D_GNU_SOURCE -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover %s -I %S/Inputs -I %patchbay_include -I %patchbay_source/runtime/core -o %t
// RUN: %t | FileCheck %s
// CHECK: {{^}}failures: 0 of 822{{$}}

#include "quiesce/handler_frame.c"
#include "quiesce/open_calls.c"
#include "quiesce/quiesce.c"
#include "quiesce/reader.c"
#include "quiesce/wait.c"

unsigned int pb_wait_limit = PATCHBAY_WAIT_LIMIT;

#include "table.h"

#include <stdlib.h>
#include <string.h>

static struct pb_reader *other; /* the reader of another thread */
static int enter, error;

int pb_os_restricted;

/*
 * Replaces the barrier. If a thread has loaded its cell before the barrier, it has also
 * loaded the phase and made its mark, in an order that the CPU chooses.
 */
int pb_sync_core(void)
{
	if (enter)
		other->outer.phase = pb_reader_phase;
	return error;
}

/* Replaces calls of the kernel. */
int pb_os_peek(const void *at, void *to, size_t size)
{
	memcpy(to, at, size);
	return 1;
}

int pb_os_differs(const uint32_t *at, uint32_t value)
{
	return *at != value;
}

enum { PROCESS = 10, SELF = 11, OTHER = 12 };

static int ended, ended_too; /* the first and the last number of the threads that
                                have ended */
static int own_number = SELF;

void pb_os_thread(int *process, int *number)
{
	*process = PROCESS;
	*number = own_number;
}

int pb_os_has_ended(int process, int number)
{
	return process == PROCESS && number >= ended && number <= ended_too;
}

static int no_memory;

void *pb_os_map_zeroes(size_t size, size_t multiple)
{
	return no_memory ? NULL : memset(aligned_alloc(multiple, size), 0, size);
}

void pb_os_unmap(void *memory, size_t size)
{
	(void)size;
	free(memory);
}

struct pb_stats pb_stats;
const struct pb_frame_mark pb_frame_mark = { 8, 7 };

/* Registers another thread, with the storage @storage. */
static struct pb_reader *take(const uintptr_t *storage, uint32_t number)
{
	const struct thread self = { PROCESS, (int)number, storage };
	uint64_t life;
	struct pb_reader *reader = claim(&self, &life);

	if (!reader)
		return NULL;
	clear(reader);
	reader->storage = storage;
	reader->process = PROCESS;
	reader->number = number;
	CHECK(end_busy(reader, life, TAKEN));
	return reader;
}

enum { ALL = 3 };

static struct patchbay_regs frames[ALL];
static struct pb_reader *selves[ALL];

static void use_frame(int i, uint32_t word)
{
	((uint32_t *)&frames[i])[2] = word;
}

static enum pb_entry enter_from(int i)
{
	use_frame(i, pb_frame_mark.value);
	return pb_thread_enter(&frames[i], &frames[i] + 1, &selves[i]);
}

/* Has the thread left? *@closely says whether its stack shows that. */
static int is_over(uint64_t phase, int *closely)
{
	pb_quiesce_thread(phase, closely);
	return pb_quiesce_over(phase);
}

/* A missed call inside a handler has a mark of its own. Only one such mark exists. */
static void nest(void)
{
	uint64_t phase = 0, later = 0;
	int over;

	other->outer.phase = PB_THREAD_OUTSIDE;
	pb_readers_init();
	CHECK(enter_from(0) == PB_ENTERED);
	CHECK(enter_from(1) == PB_ENTERED_TO_MISS);
	CHECK(enter_from(2) == PB_NOT_ENTERED && pb_stats.unseen == 1);
	CHECK(!pb_quiesce_begin(&phase));
	CHECK(!is_over(phase, &over) && !over);
	/* A jump left the outer handler; the call inside it may still be active. */
	use_frame(0, 0);
	CHECK(!is_over(phase, &over) && !over);
	CHECK(pb_thread_inside());
	pb_thread_leave(selves[1], PB_ENTERED_TO_MISS);
	CHECK(is_over(phase, &over) && over);
	CHECK(!pb_thread_inside());
	/* A jump left the inner call; the outer handler is active. */
	CHECK(enter_from(0) == PB_ENTERED);
	CHECK(enter_from(1) == PB_ENTERED_TO_MISS);
	CHECK(is_over(phase, &over) && over); /* these calls began after the phase */
	CHECK(!pb_quiesce_begin(&later));
	use_frame(1, 0);
	CHECK(!is_over(later, &over) && !over);
	pb_thread_leave(selves[0], PB_ENTERED);
	CHECK(!is_over(later, &over) && over);
	CHECK(!pb_thread_inside() && is_over(later, &over));
	CHECK(enter_from(1) == PB_ENTERED);
	pb_thread_leave(selves[1], PB_ENTERED);
}

static size_t count_taken(void)
{
	size_t nr = 0;

	for (size_t i = 0; i < nr_taken; i++)
		nr += pb_reader_life(at(i)) != 0;
	return nr;
}

/* Threads may end without the library's knowledge. */
static void end_threads(void)
{
	static uintptr_t storage[3 * NR_FIRST];
	struct pb_reader *reader;
	uint64_t life = pb_reader_life(other), phase;
	int over;

	CHECK(count_taken() == 2);
	/* The thread is in a handler, so the kernel is asked whether the thread exists. */
	other->outer = (struct pb_mark){ pb_reader_phase, 0 };
	CHECK(!pb_quiesce_begin(&phase));
	CHECK(pb_quiesce_thread(phase, &over) == OTHER && !over);
	ended = ended_too = OTHER;
	pb_os_restricted = 1; /* no question if system calls are forbidden */
	CHECK(pb_quiesce_until(phase, 1) < phase);
	pb_os_restricted = 0;
	CHECK(pb_quiesce_until(phase, 0) < phase);
	CHECK(pb_quiesce_until(phase, 1) == phase && pb_quiesce_over(phase));
	CHECK(count_taken() == 1 && !pb_reader_reclaim(other, life));
	/*
	 * Another thread owns the reader now, which the end of the first thread does
	 * not change.
	 */
	CHECK(take(&storage[0], OTHER + 1) == other && other->outer.phase == 0);
	CHECK(!pb_reader_reclaim(other, life) && count_taken() == 2);

	/* A thread reuses the reader only if its storage is at the same address. */
	CHECK(take(&storage[1], OTHER + 2) != other);
	reader = pb_reader_find();
	pb_thread.reader = 0;
	CHECK(pb_reader_take() == reader && count_taken() == 3);
	/* A thread with the same ID but other storage gets another reader, too. */
	other->number = SELF;
	storage[0] = value_in(other, &storage[0]);
	reader->storage = &storage[2];
	storage[2] = value_in(reader, &storage[2]);
	pb_thread.reader = 0;
	CHECK(pb_reader_take() != other && pb_reader_find() != reader);
	give_back(pb_reader_find(), pb_reader_life(pb_reader_find()));
	storage[0] = 0;
	pb_thread.reader = 0;
	CHECK(pb_reader_take() == other);

	/*
	 * All readers are in use. First the readers of ended threads are freed, then
	 * memory is allocated.
	 */
	for (uint32_t i = 3; nr_taken < NR_FIRST || count_taken() < NR_FIRST; i++)
		take(&storage[i], 1000 + i);
	CHECK(capacity() == NR_FIRST);
	ended = 1000;
	ended_too = 1999;
	for (uint32_t i = NR_FIRST; i < 2 * NR_FIRST - 10; i++)
		CHECK(take(&storage[i], 2000 + i));
	CHECK(capacity() == NR_FIRST);
	for (uint32_t i = 0; i < nr_taken; i++)
		if (at(i)->number < 2000)
			at(i)->number = 2000;
	no_memory = 1;
	CHECK(!take(&storage[3 * NR_FIRST - 1], 3000));
	no_memory = 0;
	pb_os_restricted = 1;
	CHECK(!take(&storage[3 * NR_FIRST - 1], 3000));
	pb_os_restricted = 0;
	reader = take(&storage[3 * NR_FIRST - 1], 3000);
	CHECK(reader == parts[0]);
	CHECK(capacity() == 2 * NR_FIRST);
	/* Before system calls are restricted, the library allocates enough readers. */
	pb_private_restrict(1);
	CHECK(capacity() - nr_taken >= NR_SPARE && pb_os_restricted);
	pb_private_restrict(0);

	/* In a forked child all readers are free except this thread's. */
	own_number = SELF + 100;
	CHECK(make_busy(at(5), at(5)->life));
	forked_child();
	CHECK(count_taken() == 1 && pb_reader_find()->number == SELF + 100);
}

/* A signal handler makes a traced call, or forks, while a reader is allocated. */
static void interrupt_taking(void)
{
	struct pb_reader *reader = pb_reader_find(), *signals;
	const struct thread self = { PROCESS, SELF, &pb_thread.reader };
	uint64_t life;

	give_back(reader, pb_reader_life(reader));
	pb_thread.reader = 0;
	reader = claim(&self, &life);
	clear(reader);
	reader->storage = &pb_thread.reader;
	signals = pb_reader_take(); /* the signal handler's call, before publish(),
	                               gets another one */
	CHECK(signals && signals != reader);
	publish(reader, life);
	CHECK(pb_reader_find() == signals && count_taken() == 1);
	give_back(signals, pb_reader_life(signals));
	pb_thread.reader = 0;
	reader = claim(&self, &life);
	clear(reader);
	reader->storage = &pb_thread.reader;
	CHECK(end_busy(reader, life, TAKEN));
	CHECK(pb_reader_take() == reader); /* after the publication, the same reader */
	CHECK(pb_reader_find() == reader && count_taken() == 1);
	give_back(reader, pb_reader_life(reader));
	pb_thread.reader = 0;
	reader = claim(&self, &life);
	clear(reader);
	forked_child();
	publish(reader, life); /* no effect: the reader belongs to another thread now */
	CHECK(!pb_thread.reader && count_taken() == 0);
	CHECK(pb_reader_take() && count_taken() == 1);
}

/*
 * Destructors of other keys make calls until the last round. Then the reader is freed.
 */
static void end_by_key(void)
{
	struct pb_reader *self = pb_reader_take();

	CHECK(enter_from(0) == PB_ENTERED); /* pthread_exit() left this call */
	for (int i = 1; i < PTHREAD_DESTRUCTOR_ITERATIONS; i++) {
		thread_exit(&key);
		CHECK(pb_reader_find() == self && !self->outer.phase);
	}
	thread_exit(&key);
	CHECK(!pb_thread.reader && count_taken() == 0);
	thread_exit(&key);
	CHECK(enter_from(0) == PB_ENTERED && count_taken() == 1);
	pb_thread_leave(selves[0], PB_ENTERED);
}

int main(void)
{
	_Alignas(8) static uint32_t frame[16] = { [2] = 7 };
	uint64_t phase = 0, before;
	int64_t first = 0, second = 0;
	int over;

	other = take((const uintptr_t *)&frame[14], OTHER);
	CHECK(!pb_quiesce_begin(&phase));
	CHECK(pb_quiesce_over(phase));

	enter = 1;
	CHECK(!pb_quiesce_begin(&phase));
	CHECK(!pb_quiesce_over(phase));
	other->outer.phase = PB_THREAD_OUTSIDE;
	CHECK(pb_quiesce_over(phase));

	/* A thread that enters later has seen the store, and is ignored. */
	enter = 0;
	CHECK(!pb_quiesce_begin(&phase));
	other->outer.phase = pb_reader_phase;
	CHECK(pb_quiesce_over(phase));

	/* Without a barrier the phase does not begin, because the state is unknown. */
	error = -EPERM;
	before = pb_reader_phase;
	CHECK(pb_quiesce_begin(&phase) == -EPERM);
	CHECK(pb_reader_phase == before);
	CHECK(pb_wait() == -EPERM);
	error = 0;

	/* A handler counts as running until other code overwrites the mark in its frame. */
	enter = 1;
	CHECK(!pb_quiesce_begin(&phase));
	other->outer.frame = (uintptr_t)frame;
	CHECK(!pb_quiesce_over(phase));
	pb_quiesce_thread(phase, &over);
	CHECK(!over);
	patchbay_set_wait_limit(1);
	enter = 0;
	CHECK(pb_wait() == -ETIMEDOUT);
	CHECK(pb_stats.timeouts == 1);
	frame[2] = 8;
	pb_quiesce_thread(phase, &over);
	CHECK(over);
	CHECK(!pb_wait());
	/* A later caller gets the same result. */
	CHECK(pb_quiesce_until(phase, 0) < phase);
	CHECK(pb_over_until(phase, &first) == phase);
	CHECK(pb_over_until(phase, &second) == phase);
	/* The location of the handler's frame is unknown, so the wait times out. */
	other->outer.frame = 0;
	CHECK(pb_wait() == -ETIMEDOUT);
	nest();
	end_threads();
	interrupt_taking();
	end_by_key();
	printf("failures: %d of %d\n", failures, checks);
	return failures != 0;
}
