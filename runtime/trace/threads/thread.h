/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * All data that the library has about a thread, in one object: the ring for its events, its
 * own clock, and its counters.
 *
 * A thread gets an object when it first records something, and owns it until the kernel
 * says that the thread has ended. When the thread announces its end (libpatchbay calls
 * pb_thread_leaves() on it), its object goes to the end of a queue. The thread continues to
 * use the object, because later destructors may call traced functions. A new thread asks
 * the kernel about the threads of the first few objects in the queue, and takes over the
 * first object whose thread has ended. So the cost of a new thread does not depend on the
 * number of threads.
 *
 * Some threads do not announce their end: those made by clone(2), those whose first traced
 * call comes after all destructors, and all threads if the program has used up
 * pthread_key_create(). When more objects are needed, and there are twice as many objects
 * as there were threads at the last search, the recorder searches all objects for threads
 * that have ended. So there are at most twice as many objects as threads, and a new thread
 * asks about two others on average.
 */
#ifndef PB_TRACE_THREAD_H
#define PB_TRACE_THREAD_H

#include "own_clock.h"
#include "ring.h"
#include "switches.h"

struct pb_captures;
struct pb_tally;

#define PB_COMM_SIZE 16 /* the size of a thread's name, as in the kernel */

/*
 * In memory that fork() fills with zeros, also if the program calls clone(2) itself. So a
 * child has an object without a thread.
 * @number:  the thread's number, from 1 on in this process; 0: the object has no thread
 * @tid:     gettid(2) of the thread; 0: unknown (sandbox.c)
 * @comm:    the last known name of the thread
 * @leaving: the object is in the queue
 * @max_blocks: the number of block pointers of its ring
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

/* Read the name of the calling thread into its object. */
void pb_thread_ask_name(struct pb_thread_state *self);

/*
 * Write the present names of threads to the file. Call this at the end of a recording, and
 * before a client copies the file, with the session's lock held.
 */
void pb_threads_write_names(void);

/*
 * Objects for threads that begin when system calls are not allowed. pb_threads_make_spare()
 * makes them in advance, with the session's lock held, and returns 0 or -errno.
 * pb_thread_begin_spare() returns this thread's object or, without a lock, takes one of
 * these. It returns NULL if none is left.
 */
int pb_threads_make_spare(void);
struct pb_thread_state *pb_thread_begin_spare(void);

/*
 * The recording is over, and no thread is in a handler. pb_threads_forget() clears the
 * objects, which threads keep. Call pb_threads_begin_again() when the options of the next
 * recording are known. The caller of both holds the session's lock.
 */
void pb_threads_forget(void);
void pb_threads_begin_again(void);

/*
 * Make each thread continue in the next file (rotate.h). The caller holds the session's
 * lock.
 */
void pb_threads_leave_file(void);

/* The calling thread announces its end. Signals are blocked. */
void pb_thread_leaves(void);

#endif /* PB_TRACE_THREAD_H */
