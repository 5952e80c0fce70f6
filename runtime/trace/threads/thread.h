/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * All data that the library keeps about a thread, in one object: the ring for
 * its events, its own clock, and its counters.
 *
 * The recorder makes an object when the thread first records something. The
 * object belongs to the thread until the kernel says that the thread has gone.
 * When the thread ends (libpatchbay calls pb_thread_leaves() in it) the object
 * goes to the end of a queue. The thread goes on using it, since later
 * destructors may call traced functions. A new thread looks at the first few
 * objects in the queue, and asks the kernel about their threads. It takes over
 * the first object whose thread has gone. So the cost of a new thread does not
 * depend on the number of threads. The kernel is not asked about threads that
 * have not announced their end.
 *
 * Some threads do not announce their end. A program may make them directly by
 * clone(2), or may have used up pthread_key_create(). Or their first traced
 * call comes after all destructors. The recorder looks for them when it needs
 * more objects, has many, and has twice as many as there were threads at the
 * last look. It then asks the kernel about each thread. So the memory is that
 * of twice the threads. A thread that begins asks about two others on average.
 */
#ifndef PB_TRACE_THREAD_H
#define PB_TRACE_THREAD_H

#include "own_clock.h"
#include "ring.h"
#include "switches.h"

struct pb_captures;
struct pb_tally;

#define PB_COMM_SIZE 16 /* of a thread's name, as in the kernel */

/*
 * In memory that fork() fills with zeros, so that a child, however it was made,
 * finds an object without a thread, not its parent's.
 * @number:  the thread's number, from 1 in this process; 0: no thread's
 * @tid:     gettid(2) of the thread; 0: not known (sandbox.c)
 * @comm:    its last known name
 * @leaving: the object is in the queue
 * @max_blocks: blocks that its ring has room for
 */
struct pb_thread_state {
	struct pb_ring ring;
	struct pb_own_clock clock;
	struct pb_switches switches;
	struct pb_tally *tally;
	struct pb_captures *captures; /* NULL: none yet */
	struct pbd_loss_counts *losses; /* NULL: none yet */
	uint32_t number;
	uint32_t tid;
	char comm[PB_COMM_SIZE];
	uint32_t leaving;
	uint64_t max_blocks;
	struct pb_thread_state *next;
};

/* NULL until the thread first records something. */
extern __thread struct pb_thread_state *pb_self
	__attribute__((tls_model("initial-exec")));

/*
 * Returns this thread's object, and makes it if necessary. Returns NULL and
 * sets *@error on failure. The caller holds the session's lock.
 */
struct pb_thread_state *pb_thread_begin(int *error);

/* Read its name again. */
void pb_thread_ask_name(struct pb_thread_state *self);

/*
 * Write the present names of threads to the file, at the end of a recording, or
 * before a client copies the file. The caller holds the session's lock.
 */
void pb_threads_write_names(void);

/*
 * For threads that begin when no system calls may be made. The first makes
 * objects in advance, with the session's lock held, and returns 0 or -errno.
 * The second takes one of these without a lock, unless this thread has one. It
 * returns NULL if none is left.
 */
int pb_threads_make_spare(void);
struct pb_thread_state *pb_thread_begin_spare(void);

/*
 * The recording is over. No thread is in a handler, or enters one before the
 * next recording. Threads keep their objects, which become empty. The caller
 * holds the session's lock. Call the second one when the options of the next
 * recording are known.
 */
void pb_threads_forget(void);
void pb_threads_begin_again(void);

/*
 * Each thread begins again in the next file: rotate.h. The caller holds the
 * session's lock.
 */
void pb_threads_leave_file(void);

/* Called in a thread that ends, with signals blocked. */
void pb_thread_leaves(void);

#endif /* PB_TRACE_THREAD_H */
