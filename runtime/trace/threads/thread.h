/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The state of a thread, in one object: its event ring, its clock, and its counters.
 *
 * A thread gets an object at its first event, and owns the object until the kernel reports
 * that the thread has ended. When the thread announces its end (libpatchbay calls
 * pb_thread_leaves() on it), its object goes to the end of a queue. The thread continues to
 * use the object, because later destructors may call traced functions. A new thread asks
 * the kernel about the threads of the first few objects in the queue, and takes over the
 * first object whose thread has ended. The cost of a new thread is therefore independent of
 * the number of threads.
 *
 * Some threads do not announce their end: threads made by clone(2), threads whose first
 * traced call comes after all destructors, and all threads if the program has used up
 * pthread_key_create(). When more objects are needed, and there are twice as many objects
 * as there were threads at the last search, a new thread searches all objects for threads
 * that have ended. So there are at most twice as many objects as threads, and the search
 * costs a new thread two system calls on average.
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
 * fork() and clone(2) fill the object with zeros, so in a child it has no thread.
 * @number:  the thread's number, from 1 on in this process; 0: the object has no thread
 * @tid:     gettid(2) of the thread; 0: unknown (sandbox.c)
 * @comm:    the last known name of the thread
 * @leaving: the object is in the queue
 * @max_blocks: the number of block pointers of @ring
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

/* NULL until the thread's first event. */
extern __thread struct pb_thread_state *pb_self
	__attribute__((tls_model("initial-exec")));

/*
 * Returns this thread's object; makes one if necessary. Returns NULL and sets *@error on
 * failure. The caller holds the session's lock.
 */
struct pb_thread_state *pb_thread_begin(int *error);

/* Read the name of the calling thread into its object. */
void pb_thread_ask_name(struct pb_thread_state *self);

/*
 * Write the present names of threads to the file. Called at the end of a recording, and
 * before a client copies the file. The caller holds the session's lock.
 */
void pb_threads_write_names(void);

/*
 * Spare objects are for threads that begin when system calls are forbidden (sandbox.c).
 * pb_threads_make_spare() makes them, with the session's lock held, and returns 0 or
 * -errno. pb_thread_begin_spare() takes no lock, and returns this thread's object, a spare
 * object, or NULL if no spare object is left.
 */
int pb_threads_make_spare(void);
struct pb_thread_state *pb_thread_begin_spare(void);

/*
 * pb_threads_forget() clears the objects, which threads keep for the next recording. Call
 * this function at the end of a recording, when no thread is in a handler. Call
 * pb_threads_begin_again() when the options of the next recording are known. The caller of
 * both holds the session's lock.
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
