/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * With thread=GLOB, threads that are not chosen record nothing and have no
 * buffer. So the choice is made when a thread would get a buffer or another
 * block, and not for each event.
 */
#ifndef PB_TRACE_THREAD_CHOICE_H
#define PB_TRACE_THREAD_CHOICE_H

#include <stdint.h>

/*
 * A name may change. A chosen thread is looked at again when its block is full.
 * Another thread is looked at when it has an event some 10 us later, then 20
 * us, up to this number of ticks. Set it before anything is traced.
 */
#define PB_THREAD_LOOK_NS 10000000
#define PB_THREAD_LOOK_SHORTENED 1000
extern uint64_t pb_thread_look_ticks;

/*
 * Is this thread recorded? May be called where sys.h's code may. Keeps errno.
 * @is_new: it has no buffer yet. In a child of vfork(2) it gets none. Otherwise
 * its parent's thread would go on with it, and others would take it for that of
 * an ended thread.
 */
int pb_thread_is_chosen(int is_new);

/*
 * Counts a call that pb_thread_is_chosen() refused, if it is lost. That is a
 * call in a child of vfork(2) whose parent's thread has no buffer. Same
 * arguments and contexts as there.
 */
void pb_thread_count_unrecorded(int is_new);

#endif /* PB_TRACE_THREAD_CHOICE_H */
