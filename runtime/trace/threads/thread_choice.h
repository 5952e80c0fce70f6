/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * With thread=GLOB, threads that are not chosen record nothing and have no buffer. The choice
 * is made when a thread would get a buffer or another block, and not for each event.
 */
#ifndef PB_TRACE_THREAD_CHOICE_H
#define PB_TRACE_THREAD_CHOICE_H

#include <stdint.h>

/*
 * The name of a thread may change. A chosen thread is looked at again when its block is full.
 * Any other thread is looked at again at its first event after some 10 us, then after 20 us,
 * and so on, up to this number of ticks. Set this before anything is traced.
 */
#define PB_THREAD_LOOK_NS 10000000
#define PB_THREAD_LOOK_SHORTENED 1000
extern uint64_t pb_thread_look_ticks;

/*
 * Is this thread recorded? May be called wherever sys.h's code may. Keeps errno.
 * @is_new: the thread has no buffer yet. In a child of vfork(2) it gets none: otherwise its
 * parent's thread would continue in that buffer, and others would take it for the buffer of an
 * ended thread.
 */
int pb_thread_is_chosen(int is_new);

/*
 * Count a call that pb_thread_is_chosen() has refused, if it is lost. That is a call in a child
 * of vfork(2) whose parent's thread has no buffer. May be called wherever pb_thread_is_chosen()
 * may, with the same argument.
 */
void pb_thread_count_unrecorded(int is_new);

#endif /* PB_TRACE_THREAD_CHOICE_H */
