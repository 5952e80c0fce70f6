/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * All that the library keeps of a thread, in one object: the ring that its
 * events go to, its own clock, and what it counts calls in.
 *
 * An object is made when its thread is first to record something. It stays that
 * thread's until the kernel says that there is no such thread any more. When the
 * thread ends (libpatchbay calls pb_thread_leaves() in it) the object is put at
 * the end of a queue, and goes on being used: destructors that run later may
 * call traced functions. A thread that begins looks at the first few objects in
 * the queue, asks the kernel about their threads, and takes over the first one
 * whose thread is gone. So what a thread pays when it begins does not depend on
 * how many others there are, and nobody is asked about threads that have not
 * said that they end.
 *
 * Threads that nobody tells of when they end (made by clone(2) as such, or whose first
 * traced call comes after all destructors, or in a program that has used up
 * pthread_key_create()) do not get into the queue by themselves. When more objects are
 * needed, and there are many, and twice as many as there were threads at the last such
 * time, the kernel is asked about each thread. So memory is that of twice the threads, and
 * a thread that begins asks about two others on average.
 */
#ifndef PB_TRACE_THREAD_H
#define PB_TRACE_THREAD_H

#include "own_clock.h"
#include "ring.h"
#include "switches.h"

struct pb_captures;
struct pb_tally;

#define PB_COMM_SIZE 16 /* of a thread's name, as the kernel has it */

/*
 * In memory that fork() fills with zeros, so that a child, however it was made,
 * finds an object without a thread and not its parent's.
 * @number:  of the thread it belongs to, from 1 in this process; 0: nobody's
 * @tid:     gettid(2) of that; 0: not known (sandbox.h)
 * @comm:    its name when it was asked for last
 * @leaving: it is in the queue
 * @max_blocks: so many its ring has room for
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

/* NULL until the thread is first to record something. */
extern __thread struct pb_thread_state *pb_self
	__attribute__((tls_model("initial-exec")));

/*
 * This thread's object, made if there is none, or NULL and *@error. Called with
 * the session's lock held.
 */
struct pb_thread_state *pb_thread_begin(int *error);

/* Ask for its name again. */
void pb_thread_ask_name(struct pb_thread_state *self);

/*
 * What threads have recorded into says from now on how they are called now; for the end
 * of a recording, and for who copies the file. With the session's lock held.
 */
void pb_threads_write_names(void);

/*
 * For threads that begin when no system calls may be made: make objects in
 * advance, with the session's lock held, returns 0 or -errno; and take one of
 * these, unless this thread has one, without a lock, or NULL.
 */
int pb_threads_make_spare(void);
struct pb_thread_state *pb_thread_begin_spare(void);

/*
 * The recording is over: nobody is in a handler, or will be before the next one. All
 * objects stay those of their threads, without anything in them. With the session's
 * lock held. The second is called when options of the next one are known.
 */
void pb_threads_forget(void);
void pb_threads_begin_again(void);

/* Each begins anew in the next file: rotate.h. With the session's lock held. */
void pb_threads_leave_file(void);

/* Called in a thread that ends, with signals blocked. */
void pb_thread_leaves(void);

#endif /* PB_TRACE_THREAD_H */
