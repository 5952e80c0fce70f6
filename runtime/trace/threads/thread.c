/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "thread.h"

#include "captures.h"
#include "session/syscalls.h"
#include "system/file_name.h"
#include "tally.h"

#include <fcntl.h>
#include <linux/prctl.h>

/* The number of objects per allocation: in general, and for a sandbox. */
#define NR_NEW 16
#define NR_SPARE 256

/* A new thread asks the kernel about at most this many ended threads. */
#define NR_ASKED 4

/*
 * With fewer objects than this, do not search for threads that have ended without
 * announcing it.
 */
#define NR_FEW 64

__thread struct pb_thread_state *pb_self
	__attribute__((tls_model("initial-exec")));
struct pb_ring pb_no_ring;
__thread uintptr_t pb_ring_distance __attribute__((tls_model("initial-exec")));
__thread struct pb_own_clock *pb_own_clock
	__attribute__((tls_model("initial-exec")));

/* A copy of @max_blocks of this thread's object that survives fork(). */
static __thread uint64_t max_blocks __attribute__((tls_model("initial-exec")));

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
 * Has the thread ended? Returns 0 also while another thread of this process has the same
 * id.
 */
static int is_gone(const struct pb_thread_state *thread, long pid)
{
	return pb_sys(SYS_tgkill, pid, thread->tid, 0) == -ESRCH;
}

/*
 * Take the object of a thread that has ended. Objects of other threads go to the end of the
 * queue, so that a thread that does not end for long (a main thread after pthread_exit())
 * does not block the queue.
 */
static struct pb_thread_state *take_over(void)
{
	long pid = pb_sys(SYS_getpid);

	for (int asked = 0; asked < NR_ASKED; asked++) {
		struct pb_thread_state *thread = dequeue();

		if (!thread)
			return NULL;
		/* An earlier recording with smaller buffers made this object: drop it. */
		if (thread->max_blocks < pb_ring_max_blocks())
			continue;
		if (is_gone(thread, pid))
			return thread;
		enqueue(thread);
	}
	return NULL;
}

/* The head of objects that were allocated together. */
struct pb_thread_lot {
	struct pb_thread_lot *next;
	uint64_t nr;
	uint64_t size; /* size of each object */
	uint64_t max_blocks;
	char padding[96];
};

_Static_assert(sizeof(struct pb_thread_lot) == 128, "as objects are aligned");

static struct pb_thread_state *object(struct pb_thread_lot *lot, uint64_t nr)
{
	return (void *)((char *)(lot + 1) + nr * lot->size);
}

/* Iterates over the objects of all lots. */
#define EACH_OBJECT(of)                                                        \
	for (struct pb_thread_lot *lot = pb_session->lots; lot; lot = lot->next) \
		for (uint64_t nr = 0; nr < lot->nr && ((of) = object(lot, nr)); nr++)

/*
 * The size of an object with the block pointers of its ring, which follow the object.
 * Rounded up to two cache lines, to avoid false sharing: each event writes to the first
 * line, and processors prefetch lines in pairs.
 */
static size_t object_size(uint64_t blocks)
{
	size_t size = sizeof(struct pb_thread_state) +
		      blocks * sizeof(struct pbd_block *);

	return (size + 127) & ~(size_t)127;
}

/*
 * The number of block pointers in new objects. The number never decreases, because
 * recordings with large buffers cannot reuse objects with few pointers.
 */
static uint64_t blocks_of_next(void)
{
	uint64_t now = pb_ring_max_blocks();
	uint64_t before =
		pb_session->newest_lot ? pb_session->newest_lot->max_blocks : 0;

	return now > before ? now : before;
}

static int make_new(uint64_t nr)
{
	const uint64_t blocks = blocks_of_next();
	struct pb_thread_lot *lot;
	int error;

	lot = pb_session_alloc(sizeof(*lot) + nr * object_size(blocks), &error);
	if (!lot)
		return error;
	lot->nr = nr;
	lot->size = object_size(blocks);
	lot->max_blocks = blocks;
	lot->next = pb_session->lots;
	pb_session->lots = lot;
	pb_session->nr_objects += nr;
	pb_session->newest_lot = lot;
	__atomic_store_n(&pb_session->nr_new_threads, nr, __ATOMIC_RELEASE);
	return 0;
}

/*
 * Take an unused object, or return NULL. Several threads may call this at the same time,
 * without the lock.
 */
static struct pb_thread_state *take_new(void)
{
	uint64_t *nr = &pb_session->nr_new_threads;
	uint64_t left = __atomic_load_n(nr, __ATOMIC_ACQUIRE);
	struct pb_thread_state *new;

	do {
		if (!left)
			return NULL;
	} while (!__atomic_compare_exchange_n(nr, &left, left - 1, 1,
					      __ATOMIC_ACQUIRE,
					      __ATOMIC_ACQUIRE));
	new = object(pb_session->newest_lot, left - 1);
	new->max_blocks = pb_session->newest_lot->max_blocks;
	return new;
}

static struct pb_thread_state *make(int *error)
{
	if (!pb_session->nr_new_threads)
		*error = make_new(NR_NEW);
	return take_new();
}

/* Wastes the unused objects of the previous lot, at most NR_NEW. */
int pb_threads_make_spare(void)
{
	return make_new(NR_SPARE);
}

void pb_thread_ask_name(struct pb_thread_state *self)
{
	pb_sys(SYS_prctl, PR_GET_NAME, self->comm);
}

/*
 * Update the thread's name in the file: threads are often named only after their first
 * calls. (With thread= the file keeps the name that matched.)
 */
static void write_name(struct pb_thread_state *of)
{
	pb_ring_write_name(of);
	pb_tally_write_name(of);
}

/* Does /proc belong to the PID namespace of this process? */
static int is_own_proc(void)
{
	char link[10];
	const long size = pb_sys(SYS_readlinkat, AT_FDCWD, "/proc/self", link, sizeof(link));
	uint64_t pid = 0;

	for (long i = 0; i < size; i++)
		pid = pid * 10 + (uint64_t)(link[i] - '0');
	return pid == (uint64_t)pb_sys(SYS_getpid);
}

/*
 * Read the name of another thread. Returns 0 if the thread has ended, or if there is no
 * /proc.
 */
static int ask_other(struct pb_thread_state *other)
{
	char path[PB_FD_NAME_MAX], comm[PB_COMM_SIZE];
	long size;

	pb_comm_name(path, other->tid);
	size = pb_read_path(path, comm, sizeof(comm));
	if (size <= 0)
		return 0;
	/* The last byte is a newline. */
	for (size_t i = (size_t)size - 1; i < sizeof(comm); i++)
		comm[i] = '\0';
	pb_copy(other->comm, comm, sizeof(comm));
	return 1;
}

/*
 * Must the thread's name still be written? pb_thread_leaves() has already written the names
 * of threads that have announced their end.
 */
static int is_named_now(const struct pb_thread_state *of)
{
	return of->number && of->tid && !of->leaving;
}

void pb_threads_write_names(void)
{
	struct pb_thread_state *of;

	if (pb_options.nr_threads)
		return;
	/* A forked child has no lots, but continues with its parent's object. */
	if (pb_self && is_named_now(pb_self)) {
		pb_thread_ask_name(pb_self);
		write_name(pb_self);
	}
	if (!pb_session->lots || !is_own_proc())
		return;
	EACH_OBJECT(of)
		if (of != pb_self && is_named_now(of) && ask_other(of))
			write_name(of);
}

/* Initialize this thread's object, which is new or belonged to a thread that has ended. */
static void begin(struct pb_thread_state *self)
{
	self->number = __atomic_add_fetch(&pb_session->nr_threads, 1,
					  __ATOMIC_RELAXED);
	self->losses = NULL;
	self->ring.block = (struct pbd_block **)(self + 1);
}

static void publish(struct pb_thread_state *self)
{
	if (self == pb_self)
		self->max_blocks = max_blocks;
	else
		max_blocks = self->max_blocks;
	pb_own_clock = &self->clock;
	pb_ring_distance = (uintptr_t)&self->ring - (uintptr_t)&pb_no_ring;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	pb_self = self;
}

/* Queue the objects of threads that have ended without announcing it. */
static void enqueue_ended(void)
{
	const long pid = pb_sys(SYS_getpid);
	uint64_t nr_others = pb_session->nr_objects;
	struct pb_thread_state *of;

	EACH_OBJECT(of) {
		if (!of->tid || of->leaving || !is_gone(of, pid))
			continue;
		of->leaving = 1;
		enqueue(of);
		nr_others--;
	}
	pb_session->nr_objects_to_look = 2 * nr_others;
}

/* Take the object of a thread that has ended, or a new one. */
static struct pb_thread_state *find_object(int *error)
{
	struct pb_thread_state *self = take_over();

	if (!self && !pb_session->nr_new_threads && pb_session->nr_objects >= NR_FEW &&
	    pb_session->nr_objects >= pb_session->nr_objects_to_look) {
		enqueue_ended();
		self = take_over();
	}
	if (!self)
		self = make(error);
	if (self)
		self->leaving = 0;
	return self;
}

struct pb_thread_state *pb_thread_begin(int *error)
{
	/*
	 * @number is 0 if fork(), or the end of an earlier recording, has cleared the
	 * object.
	 */
	struct pb_thread_state *self = pb_self;

	if (self && self->number)
		return self;
	/* Replace an object from an earlier recording with smaller buffers. */
	if (!self || max_blocks < pb_ring_max_blocks())
		self = find_object(error);
	if (!self)
		return NULL;
	begin(self);
	self->tid = (uint32_t)pb_sys(SYS_gettid);
	pb_thread_ask_name(self);
	/*
	 * The object belonged to an ended thread: continue or release its ring, release the
	 * rest.
	 */
	if (self != pb_self) {
		pb_ring_take_over(self);
		pb_own_clock_release(&self->clock);
		pb_switches_end(&self->switches);
		pb_tally_release(self->tally);
		self->tally = NULL;
		if (self->captures)
			self->captures->top = 0;
	}
	if (!self->switches.page)
		pb_switches_begin_thread(&self->switches, self->tid);
	publish(self);
	return self;
}

static void forget(struct pb_thread_state *self)
{
	self->ring = (struct pb_ring){ 0 };
	pb_own_clock_release(&self->clock);
	pb_switches_end(&self->switches);
	pb_tally_forget(self->tally);
	self->losses = NULL;
	self->number = 0;
}

/*
 * Make @thread begin a block in the new file. If @thread has already reserved a record in
 * the old file, it completes that record.
 */
static void leave_file(struct pb_thread_state *thread)
{
	__atomic_store_n(&thread->ring.end, 0, __ATOMIC_RELAXED);
	pb_tally_forget(thread->tally);
	thread->losses = NULL;
}

void pb_threads_leave_file(void)
{
	struct pb_thread_state *of;

	EACH_OBJECT(of)
		leave_file(of);
}

/* Drop the unused objects if they have too few block pointers for the next recording. */
static void forget_small(void)
{
	struct pb_thread_state *thread, *first = pb_session->first_leaving;

	if (pb_session->newest_lot->max_blocks >= pb_ring_max_blocks())
		return;
	pb_session->first_leaving = pb_session->last_leaving = NULL;
	pb_session->nr_new_threads = 0;
	while ((thread = first)) {
		first = thread->next;
		thread->leaving = 0;
		thread->tid = 0;
	}
}

void pb_threads_forget(void)
{
	struct pb_thread_state *of;

	EACH_OBJECT(of)
		forget(of);
}

void pb_threads_begin_again(void)
{
	if (pb_session->newest_lot)
		forget_small();
}

/*
 * A signal handler that interrupts this function may also take an object for the thread.
 * This function then finds @pb_self set and wastes its own object.
 */
struct pb_thread_state *pb_thread_begin_spare(void)
{
	struct pb_thread_state *self;

	if (pb_self)
		return pb_self->number ? pb_self : NULL;
	self = take_new();
	if (!self)
		return NULL;
	self->leaving = 0;
	begin(self);
	pb_copy(self->comm, pb_session->comm, sizeof(self->comm));
	if (!pb_self)
		publish(self);
	return pb_self;
}

void pb_thread_leaves(void)
{
	pb_sigset signals;

	/*
	 * An object with an id but without a number is from an earlier recording, and must
	 * be queued, too.
	 */
	if (!pb_self || !(pb_self->number || pb_self->tid) ||
	    pb_self->leaving || !pb_syscalls_begin())
		return;
	pb_signal_lock(&pb_session->lock, &signals);
	if (pb_self->number && pb_self->tid && !pb_options.nr_threads) {
		pb_thread_ask_name(pb_self);
		write_name(pb_self);
	}
	pb_self->leaving = 1;
	enqueue(pb_self);
	pb_signal_unlock(&pb_session->lock, signals);
	pb_syscalls_end();
}
