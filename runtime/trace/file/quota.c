/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "quota.h"

#include "arena.h"
#include "data_file.h"
#include "options/options.h"
#include "system/sys.h"
#include "system/wake.h"

#include <sys/mman.h>

static uint64_t *own; /* used without an arena; shared with forked children */
static int refused;

static uint64_t *used(void)
{
	static uint64_t unshared;
	struct pba_arena *head = pb_arena_head();
	long mapped;

	if (!head && !own) {
		mapped = pb_sys(SYS_mmap, NULL, sizeof(*own), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0ul);
		own = mapped < 0 && mapped > -4096 ? &unshared : (uint64_t *)mapped;
	}
	return head ? &head->size_used : own;
}

static void change(uint32_t by)
{
	struct pba_arena *head = pb_arena_head();

	if (head && pb_options.max_size)
		__atomic_fetch_add(&head->size_changing, by, __ATOMIC_SEQ_CST);
}

void pb_quota_begin(void)
{
	change(1);
}

void pb_quota_end(void)
{
	change(-1u);
}

/*
 * Returns the limit. Without an arena, the limit for a rotating process is the space that
 * the command keeps free (tool/recording/Rotation.cpp).
 */
static uint64_t most(void)
{
	const uint64_t max = pb_options.max_size, least = pb_options.rotate_size;

	if (pb_arena_head() || !pb_options_rotate(&pb_options))
		return max;
	return least > max / 4 ? least : max / 4;
}

int pb_quota_take(uint64_t bytes)
{
	if (!pb_options.max_size ||
	    __atomic_add_fetch(used(), bytes, __ATOMIC_RELAXED) <= most())
		return 0;
	pb_quota_give(bytes);
	/* Wake the listening thread, which makes threads try again. */
	if (!__atomic_exchange_n(&refused, 1, __ATOMIC_RELAXED))
		pb_listen_wake();
	return -PB_OVER_SIZE;
}

void pb_quota_give(uint64_t bytes)
{
	if (pb_options.max_size)
		__atomic_fetch_sub(used(), bytes, __ATOMIC_RELAXED);
}

void pb_quota_count(int64_t bytes)
{
	if (!pb_arena_head() && pb_options.max_size)
		__atomic_fetch_add(used(), (uint64_t)bytes, __ATOMIC_RELAXED);
}

int pb_quota_was_refused(void)
{
	return __atomic_exchange_n(&refused, 0, __ATOMIC_RELAXED);
}
