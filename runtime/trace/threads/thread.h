/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * All data that the library keeps about a thread, in one object: the ring for
 * its events, its own clock, and its counters.
 *
 * The recorder makes an object when the thread first records something. The object belongs to
 * the thread until the kernel says that the thread has ended. When the thread announces its
 * end (libpatchbay calls pb_thread_leaves() in it), its object goes to the end of a queue. The
 * thread continues to use the object, because later destructors may call traced functions. A
 * new thread looks at the first few objects in the queue, and asks the kernel about their
 * threads. It takes over the first object whose thread has ended. So the cost of a new thread
 * does not depend on the number of threads.
 *
 * Some threads do not announce their end: a program may create them by clone(2), or may have
 * used up pthread_key_create(), or their first traced call comes after all destructors. The
 * recorder looks for such threads when it needs more objects, has many, and has twice as many
 * as there were threads at the last look. It then asks the kernel about each thread. So there
 * are at most twice as many objects as threads, and a new thread asks about two others on
 * average.
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
 * In memory that fork() fills with zeros. So a child finds an object without a thread and not
 * its parent's, by whatever call it was created.
 * @number:  the thread's number, from 1 on in this process; 0: the object has no thread
 * @tid:     gettid(2) of the thread; 0: not known (sandbox.c)
 * @comm:    the last known name of the thread
 * @leaving: the object is in the queue
 * @max_blocks: the number of blocks that its ring has room for
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

/* Read the name of the calling thread again. */
void pb_thread_ask_name(struct pb_thread_state *self);

/*
 * Write the present names of threads to the file. Call this at the end of a recording, and
 * before a client copies the file, with the session's lock held.
 */
void pb_threads_write_names(void);

/*
 * For threads that begin when system calls are not allowed. pb_threads_make_spare() makes
 * objects in advance. Call it with the session's lock held; it returns 0 or -errno.
 * pb_thread_begin_spare() takes one of these without a lock, unless this thread has one. It
 * returns NULL if none is left.
 */
int pb_threads_make_spare(void);
struct pb_thread_state *pb_thread_begin_spare(void);

/*
 * The recording is over. No thread is in a handler, and none enters one before the next
 * recording. pb_threads_forget() empties the objects, which threads keep. Call
 * pb_threads_begin_again() when the options of the next recording are known. The caller of
 * both holds the session's lock.
 */
void pb_threads_forget(void);
void pb_threads_begin_again(void);

/* Each thread begins again in the next file: rotate.h. The caller holds the session's lock. */
void pb_threads_leave_file(void);

/* The calling thread announces its end. Signals are blocked. */
void pb_thread_leaves(void);

#endif /* PB_TRACE_THREAD_H */
