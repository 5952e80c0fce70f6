/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "thread.h"

#include "histogram.h"
#include "session.h"

/* So many objects are allocated at once. */
#define NR_NEW 16

/* So many threads that end are asked after when one begins. */
#define NR_ASKED 4

__thread struct pb_thread_state *pb_self
	__attribute__((tls_model("initial-exec")));
__thread struct pb_ring *pb_ring __attribute__((tls_model("initial-exec")));
__thread struct pb_own_clock *pb_own_clock
	__attribute__((tls_model("initial-exec")));

__thread int pb_untraced __attribute__((tls_model("initial-exec")));
__thread int pb_locked __attribute__((tls_model("initial-exec")));

static void enqueue(struct pb_thread_state *thread)
{
	thread->next = NULL;
	if (pb_session->last_leaving)
		pb_session->last_leaving->next = thread;
	else
		pb_session->first_leaving = thread;
	pb_session->last_leaving = thread;
}

static struct pb_thread_state *dequeue(void)
{
	struct pb_thread_state *first = pb_session->first_leaving;

	if (first)
		pb_session->first_leaving = first->next;
	if (!pb_session->first_leaving)
		pb_session->last_leaving = NULL;
	return first;
}

/*
 * The id may be another thread's by now, of this process: then it is asked again
 * when that one is gone, too.
 */
static int is_gone(const struct pb_thread_state *thread, long pid)
{
	return pb_sys(SYS_tgkill, pid, thread->tid, 0) == -ESRCH;
}

/*
 * The object of a thread that is gone. One that stays for long (a main thread
 * that has called pthread_exit()) must not keep others from being found, so it
 * goes to the end of the queue.
 */
static struct pb_thread_state *take_over(void)
{
	long pid = pb_sys(SYS_getpid);

	for (int asked = 0; asked < NR_ASKED; asked++) {
		struct pb_thread_state *thread = dequeue();

		if (!thread || is_gone(thread, pid))
			return thread;
		enqueue(thread);
	}
	return NULL;
}

/*
 * The object and, behind it, what its ring keeps of blocks; whole cache lines, of
 * which processors fetch two at a time, since each event writes to the first.
 */
static size_t object_size(void)
{
	size_t size = sizeof(struct pb_thread_state) +
		      pb_ring_max_blocks() * sizeof(struct pbd_block *);

	return (size + 127) & ~(size_t)127;
}

static struct pb_thread_state *make(int *error)
{
	struct pb_thread_state *thread;

	if (!pb_session->nr_new_threads) {
		void *memory = pb_session_alloc(NR_NEW * object_size(), error);

		if (!memory)
			return NULL;
		pb_session->new_threads = memory;
		pb_session->nr_new_threads = NR_NEW;
	}
	thread = (void *)pb_session->new_threads;
	pb_session->new_threads += object_size();
	pb_session->nr_new_threads--;
	return thread;
}

struct pb_thread_state *pb_thread_begin(int *error)
{
	struct pb_thread_state *self = pb_self; /* wiped by fork() */

	if (self && self->tid)
		return self;
	if (!self)
		self = take_over();
	if (!self)
		self = make(error);
	if (!self)
		return NULL;
	self->tid = (uint32_t)pb_sys(SYS_gettid);
	self->number = ++pb_session->nr_threads;
	self->leaving = 0;
	self->ring.block = (struct pbd_block **)(self + 1);
	pb_ring_begin(&self->ring, self->number, self->tid);
	pb_own_clock_release(&self->clock);
	pb_histogram_release(self->histograms);
	self->histograms = NULL;
	self->losses = NULL;
	pb_self = self;
	pb_own_clock = &self->clock;
	pb_ring = &self->ring;
	return self;
}

void pb_thread_leaves(void)
{
	pb_sigset signals;

	if (!pb_self || !pb_self->tid || pb_self->leaving)
		return;
	pb_signal_lock(&pb_session->lock, &signals);
	pb_self->leaving = 1;
	enqueue(pb_self);
	pb_signal_unlock(&pb_session->lock, signals);
}
