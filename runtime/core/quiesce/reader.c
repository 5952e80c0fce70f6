/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "quiesce/reader.h"

#include "quiesce/open_calls.h"
#include "system/linux.h"
#include "system/private.h"
#include "system/stats.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>

#define load(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define store(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)

__thread struct pb_thread pb_thread;

uint64_t pb_reader_phase = PB_PHASE_FIRST;

/*
 * The lowest bits of @life are the state. The other bits count transitions to TAKEN and
 * FREE.
 *
 *	FREE -> BUSY	by the thread that takes the reader
 *	TAKEN -> BUSY	by the thread that gives the reader back or takes it over
 *	BUSY -> TAKEN, BUSY -> FREE	by the same thread, with the next count
 *
 * Each step is one compare-and-exchange, which succeeds in only one thread. The thread that
 * made a reader BUSY owns the reader's other fields, and no thread waits for the reader. If
 * the owner is killed meanwhile, or leaves a signal handler by siglongjmp(), the reader leaks.
 */
enum { FREE, TAKEN, BUSY, STATE = 3 };

/*
 * The arena: static readers, and parts that are mapped when needed. Each part doubles the
 * number of readers.
 */
#define NR_FIRST 256
#define NR_PARTS 16

static struct pb_reader first[NR_FIRST];
static struct pb_reader *parts[NR_PARTS];

/* The number of readers, from the start of the arena, that were ever taken. */
static size_t nr_taken;

/* Map this many unused readers before system calls are restricted: none can be mapped later. */
#define NR_SPARE 4096

/*
 * glibc and musl keep the values of a thread's first keys in the thread itself. There
 * pthread_setspecific() only stores, and may be called in a signal handler. For other keys
 * glibc allocates memory, so the library does not use those.
 */
#define KEYS_INLINE 32

static pthread_key_t key;
static int have_key;

/* The thread-exit callback of libpatchbay-trace, or NULL. */
static void (*retire)(void);

static size_t part_size(unsigned int part)
{
	return (size_t)NR_FIRST << part;
}

static size_t capacity(void)
{
	unsigned int part = 0;

	while (part < NR_PARTS && load(&parts[part]))
		part++;
	return part_size(part);
}

static struct pb_reader *at(size_t index)
{
	unsigned int part = 0;

	if (index < NR_FIRST)
		return &first[index];
	while (index >= 2 * part_size(part))
		part++;
	return &load(&parts[part])[index - part_size(part)];
}

/* Other threads and signal handlers may call this at the same time. */
static int map_part(void)
{
	struct pb_reader *new;
	unsigned int part = 0;
	size_t size;

	while (part < NR_PARTS && load(&parts[part]))
		part++;
	if (part == NR_PARTS)
		return 0;
	size = part_size(part) * sizeof(*new);
	new = pb_os_map_zeroes(size, 4096);
	if (new && !pb_compare_and_swap(&parts[part], NULL, new))
		pb_os_unmap(new, size);
	return new != NULL;
}

static int is_restricted(void)
{
	return __atomic_load_n(&pb_os_restricted, __ATOMIC_RELAXED);
}

void pb_private_restrict(int now)
{
	while (now && capacity() - load(&nr_taken) < NR_SPARE)
		if (!map_part())
			break;
	__atomic_store_n(&pb_os_restricted, now, __ATOMIC_RELAXED);
}

static int change_life(struct pb_reader *reader, uint64_t from, uint64_t to)
{
	return pb_compare_and_swap(&reader->life, from, to);
}

static int make_busy(struct pb_reader *reader, uint64_t life)
{
	return change_life(reader, life, (life & ~(uint64_t)STATE) | BUSY);
}

/* Move a reader that the caller has made BUSY to @state. Returns its new life, or 0. */
static uint64_t end_busy(struct pb_reader *reader, uint64_t life, uint64_t state)
{
	const uint64_t busy = (life & ~(uint64_t)STATE) | BUSY;
	const uint64_t next = (life & ~(uint64_t)STATE) + (STATE + 1) + state;

	/* change_life() fails in a child that a signal handler has just forked: forked_child(). */
	return change_life(reader, busy, next) ? next : 0;
}

static void clear(struct pb_reader *reader)
{
	store(&reader->outer.phase, PB_THREAD_OUTSIDE);
	store(&reader->outer.frame, 0);
	store(&reader->inner.frame, 0);
	reader->storage = NULL;
	reader->process = reader->number = 0;
	reader->nested = reader->rounds = 0;
}

static int give_back(struct pb_reader *reader, uint64_t life)
{
	if (!make_busy(reader, life))
		return 0;
	clear(reader);
	end_busy(reader, life, FREE);
	return 1;
}

uint64_t pb_reader_life(const struct pb_reader *reader)
{
	uint64_t life = load(&reader->life);

	return (life & STATE) == TAKEN ? life : 0;
}

struct pb_reader *pb_reader_at(size_t index)
{
	return index < load(&nr_taken) ? at(index) : NULL;
}

/* The address that pb_thread.reader is relative to, for the thread that owns @storage. */
static uintptr_t base_of(const uintptr_t *storage)
{
#if PB_READER_IS_RELATIVE
	return (uintptr_t)__builtin_thread_pointer() +
	       ((uintptr_t)storage - (uintptr_t)&pb_thread.reader);
#else
	(void)storage;
	return 0;
#endif
}

static uintptr_t value_in(const struct pb_reader *reader, const uintptr_t *storage)
{
	return (uintptr_t)reader - base_of(storage);
}

int pb_reader_is_in(const struct pb_reader *reader, const uintptr_t *storage,
		    uintptr_t value)
{
	return value == value_in(reader, storage);
}

struct pb_reader *pb_reader_find(void)
{
	uintptr_t value = pb_thread.reader;

	return value ? (struct pb_reader *)(value + base_of(&pb_thread.reader)) : NULL;
}

/* The kernel's ids of a thread (0: unknown), and the address of its pb_thread.reader. */
struct thread {
	int process, number;
	const uintptr_t *storage;
};

/*
 * A child of vfork(2) shares its parent's storage, but has its own process id. The parent
 * continues to use a reader that the child takes. So the end of the child must not free the
 * reader: the child's process id differs from @process.
 */
static int has_ended(const struct pb_reader *reader, int process)
{
	return reader->number && (int)reader->process == process &&
	       pb_os_has_ended(process, (int)reader->number);
}

int pb_reader_reclaim(struct pb_reader *reader, uint64_t life)
{
	int process, number;

	if (is_restricted())
		return 0;
	pb_os_thread(&process, &number);
	/* give_back() fails if the reader changed after the caller read @life. */
	return has_ended(reader, process) && give_back(reader, life);
}

/*
 * Did @reader belong to an earlier thread, which the calling thread has replaced? The calling
 * thread has no reader. Yes if both threads have their storage at the same address. Yes if the
 * kernel has reused the thread id, and the memory of the old storage has been overwritten.
 * (If that memory is intact, the program may switch thread pointers: then one kernel thread
 * has several readers.)
 */
static int was_of_other(const struct pb_reader *reader, const struct thread *self)
{
	const uintptr_t *storage = reader->storage;

	if (storage == self->storage)
		return 1;
	return self->number && storage && reader->number == (uint32_t)self->number &&
	       reader->process == (uint32_t)self->process &&
	       pb_os_differs((const uint32_t *)storage,
			     (uint32_t)value_in(reader, storage));
}

/*
 * Raise nr_taken to @end. Do this before a thread marks a reader below @end, because waiters
 * look at nr_taken readers.
 */
static void count_taken_until(size_t end)
{
	size_t nr = load(&nr_taken);

	while (nr < end && !__atomic_compare_exchange_n(&nr_taken, &nr, end, 0,
							__ATOMIC_ACQ_REL,
							__ATOMIC_ACQUIRE))
		;
}

/* Make BUSY the first reader that was never taken. Returns NULL if the arena has none. */
static struct pb_reader *claim_next(uint64_t *life)
{
	for (size_t i = load(&nr_taken); i < capacity(); i++) {
		struct pb_reader *reader = at(i);
		int claimed;

		*life = load(&reader->life);
		claimed = (*life & STATE) == FREE && make_busy(reader, *life);
		/* Also if another thread has claimed reader @i, but has not raised nr_taken yet. */
		count_taken_until(i + 1);
		if (claimed)
			return reader;
	}
	return NULL;
}

/*
 * Make BUSY a reader that was taken before: the reader of a thread that the calling thread has
 * replaced, or a free reader. Returns NULL if there is none. Sets *@missed if another thread or
 * a signal handler has taken the free reader first.
 */
static struct pb_reader *claim_used(const struct thread *self, uint64_t *life,
				    int *missed)
{
	const size_t nr = load(&nr_taken);
	struct pb_reader *unused = NULL;
	uint64_t unused_life = 0;

	for (size_t i = 0; i < nr; i++) {
		struct pb_reader *reader = at(i);

		*life = load(&reader->life);
		if ((*life & STATE) == TAKEN && was_of_other(reader, self) &&
		    make_busy(reader, *life))
			return reader;
		if ((*life & STATE) == FREE && !unused) {
			unused = reader;
			unused_life = *life;
		}
	}
	*life = unused_life;
	*missed = unused && !make_busy(unused, unused_life);
	return *missed ? NULL : unused;
}

/*
 * All readers are taken: free or map at least one. Threads that need a reader share a pass over
 * the arena. Each of these asks the kernel about the owners of the next readers, until an owner
 * has ended. If a pass reclaims fewer than a quarter of the readers, the arena grows. So on
 * average a new thread asks the kernel a few times.
 */
static int make_room(const struct thread *self)
{
	static size_t next, given_back;

	while (!is_restricted()) {
		const size_t nr = load(&nr_taken);
		size_t i;
		uint64_t life;

		/* Another thread has mapped more readers already. */
		if (capacity() > nr)
			return 1;
		i = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);
		life = i < nr ? pb_reader_life(at(i)) : 0;
		if (life && has_ended(at(i), self->process) && give_back(at(i), life)) {
			__atomic_fetch_add(&given_back, 1, __ATOMIC_RELAXED);
			return 1;
		}
		if (i < nr)
			continue;
		store(&next, 0);
		if (__atomic_exchange_n(&given_back, 0, __ATOMIC_RELAXED) < nr / 4)
			return map_part();
	}
	return 0;
}

static struct pb_reader *claim(const struct thread *self, uint64_t *life)
{
	struct pb_reader *reader;
	int missed;

	do {
		reader = claim_used(self, life, &missed);
		if (!reader && !missed)
			reader = claim_next(life);
	} while (!reader && (missed || make_room(self)));
	return reader;
}

/*
 * Make @reader the calling thread's reader. A signal handler may have registered the thread
 * first, with @reader or with another reader. In the second case free @reader.
 */
static void publish(struct pb_reader *reader, uint64_t life)
{
	const uintptr_t value = value_in(reader, &pb_thread.reader);
	uintptr_t none = 0;

	life = end_busy(reader, life, TAKEN);
	if (life && !__atomic_compare_exchange_n(&pb_thread.reader, &none,
						 value, 0,
						 __ATOMIC_RELAXED,
						 __ATOMIC_RELAXED) &&
	    none != value)
		give_back(reader, life);
	pb_open_calls_begin();
}

/*
 * Did the C library create this thread? A program may create threads by clone(2), without the
 * C library's thread descriptor, which holds the values of keys. Only threads of the C library
 * have a dynamic thread vector, at a place that the ABI defines.
 */
static int is_of_libc(void)
{
#if defined(__GLIBC__) && defined(__x86_64__)
	return ((uintptr_t *)__builtin_thread_pointer())[1] != 0;
#elif defined(__GLIBC__) && defined(__aarch64__)
	return ((uintptr_t *)__builtin_thread_pointer())[0] != 0;
#else
	return 1;
#endif
}

/*
 * Without a key no destructor frees the reader when the thread ends. Then a later thread takes
 * the reader over: a thread with storage at the same address, or one that finds no free reader.
 */
struct pb_reader *pb_reader_take(void)
{
	struct thread self = { .storage = &pb_thread.reader };

	if (pb_thread.reader)
		return pb_reader_find();
	if (!is_restricted())
		pb_os_thread(&self.process, &self.number);
	while (!pb_thread.reader) {
		uint64_t life;
		struct pb_reader *reader = claim(&self, &life);

		if (!reader)
			return NULL;
		clear(reader);
		reader->storage = self.storage;
		reader->process = (uint32_t)self.process;
		reader->number = (uint32_t)self.number;
		store(&reader->next_phase, load(&pb_reader_phase));
		publish(reader, life);
	}
	if (have_key && is_of_libc())
		pthread_setspecific(key, &key);
	return pb_reader_find();
}

static void block_signals(sigset_t *saved)
{
	sigset_t all;

	sigfillset(&all);
	/* If SIGTRAP were blocked, a breakpoint or single step would kill the process. */
	sigdelset(&all, SIGTRAP);
	pthread_sigmask(SIG_SETMASK, &all, saved);
}

/* The stack of an ending thread is empty: none of its handlers will continue. */
static void leave_handlers(struct pb_reader *self)
{
	if (!self->outer.phase && !self->inner.frame)
		return;
	pb_count(&pb_stats.left);
	store(&self->outer.phase, PB_THREAD_OUTSIDE);
	store(&self->outer.frame, 0);
	store(&self->inner.frame, 0);
}

/*
 * The key's destructor: the thread ends. Destructors of other keys may make traced calls, so
 * the reader is freed in the last round. A traced call after that takes another reader.
 */
static void thread_exit(void *arg)
{
	struct pb_reader *self = pb_reader_find();
	void (*also)(void) = load(&retire);
	uint64_t life = self ? pb_reader_life(self) : 0;
	sigset_t saved;

	if (!life)
		return;
	block_signals(&saved);
	leave_handlers(self);
	if (!self->rounds && also)
		also();
	if (++self->rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
		pthread_setspecific(key, arg);
	} else {
		pb_open_calls_end();
		pb_thread.reader = 0;
		give_back(self, life);
	}
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
}

int pb_private_at_thread_exit(void (*func)(void))
{
	pb_readers_init();
	if (!have_key)
		return -EAGAIN;
	return pb_compare_and_swap(&retire, NULL, func) ? 0 : -EBUSY;
}

/*
 * Free the readers of other threads: the child has only the thread that forked. A signal
 * handler may take a reader between any two steps. Then @life has changed, and the
 * compare-and-exchange fails.
 */
static void forked_child(void)
{
	const size_t nr = load(&nr_taken);
	struct pb_reader *self;
	int process = 0, number = 0;

	for (size_t i = 0; i < nr; i++) {
		struct pb_reader *reader = at(i);
		uint64_t life = load(&reader->life);

		if ((life & STATE) == FREE || reader == pb_reader_find())
			continue;
		if ((life & STATE) == TAKEN && !make_busy(reader, life))
			continue;
		clear(reader);
		end_busy(reader, life, FREE);
	}
	if (!is_restricted())
		pb_os_thread(&process, &number);
	self = pb_reader_find();
	pb_open_calls_fork();
	if (self) {
		self->process = (uint32_t)process;
		self->number = (uint32_t)number;
	}
}

static void init(void)
{
	have_key = !pthread_key_create(&key, thread_exit) && key < KEYS_INLINE;
	pthread_atfork(NULL, NULL, forked_child);
}

void pb_readers_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, init);
}
