/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "handover.h"

#include "listen.h"
#include "system/sys.h"
#include "system/wake.h"
#include "visit.h"

#include <errno.h>
#include <stdio.h>

/*
 * The maximum number of pauses of 1 ms in each wait. On a busy machine, where the other
 * thread is slower, pauses are longer, too.
 */
#define WAIT_TRIES 4000

struct handed {
	const char *options;
	char *why;
	size_t size;
	int result;
	int is_done;
};

static struct handed *handed; /* NULL, or on the visitor's stack */
static int has_visitor;

static int is_done(const struct handed *mine)
{
	return __atomic_load_n(&mine->is_done, __ATOMIC_ACQUIRE);
}

/* Returns 0 if the listening thread has taken the request. */
static int take_back(struct handed *mine)
{
	return __atomic_compare_exchange_n(&handed, &(struct handed *){ mine }, NULL, 0,
					   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static int await(struct handed *mine, pb_begin_visit begin)
{
	int tries = WAIT_TRIES;

	while (!is_done(mine)) {
		if (!pb_visit_is_on() && take_back(mine))
			return begin(mine->options, mine->why, mine->size);
		if (--tries <= 0 && take_back(mine)) {
			snprintf(mine->why, mine->size,
				 "the thread that listens in it does not answer, or its last "
				 "recording has not ended");
			return -EAGAIN;
		}
		pb_pause_ns(1000000);
	}
	return mine->result;
}

static int hand_over(struct handed *mine, pb_begin_visit begin)
{
	if (!pb_visit_is_on())
		return begin(mine->options, mine->why, mine->size);
	__atomic_store_n(&handed, mine, __ATOMIC_SEQ_CST);
	pb_listen_wake();
	return await(mine, begin);
}

int pb_handover(const char *options, char *why, size_t size, pb_begin_visit begin)
{
	struct handed mine = { .options = options, .why = why, .size = size };
	int tries = WAIT_TRIES, result;

	while (__atomic_exchange_n(&has_visitor, 1, __ATOMIC_SEQ_CST)) {
		if (!--tries) {
			snprintf(why, size, "another command is still loading the runtime");
			return -EAGAIN;
		}
		pb_pause_ns(1000000);
	}
	result = hand_over(&mine, begin);
	__atomic_store_n(&has_visitor, 0, __ATOMIC_SEQ_CST);
	return result;
}

void pb_handover_look(pb_begin_visit begin)
{
	struct handed *one = __atomic_exchange_n(&handed, NULL, __ATOMIC_SEQ_CST);

	if (!one)
		return;
	one->result = begin(one->options, one->why, one->size);
	__atomic_store_n(&one->is_done, 1, __ATOMIC_RELEASE);
}

void pb_handover_forget(void)
{
	handed = NULL;
	has_visitor = 0;
}
