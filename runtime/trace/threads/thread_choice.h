/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Chooses threads (thread=GLOB). Threads that are not chosen record nothing and have no
 * buffer. A thread is checked when it would get a buffer or another block, not at each
 * event.
 */
#ifndef PB_TRACE_THREAD_CHOICE_H
#define PB_TRACE_THREAD_CHOICE_H

#include <stdint.h>

/*
 * The name of a thread may change. A chosen thread is checked again when its block is full.
 * Any other thread is checked again at its first event after some 10 us, then after 20 us,
 * and so on, up to this number of ticks. Set this before anything is traced.
 */
#define PB_THREAD_LOOK_NS 10000000
#define PB_THREAD_LOOK_SHORTENED 1000
extern uint64_t pb_thread_look_ticks;

/*
 * Is this thread recorded? May be called wherever sys.h's code may. Preserves errno.
 * @is_new: the thread has no buffer yet. In a child of vfork(2) such a thread is not
 * recorded: its parent's thread would continue to use the buffer, which others would take
 * for that of an ended thread.
 */
int pb_thread_is_chosen(int is_new);

/*
 * pb_thread_is_chosen() has refused to record a call: count it as lost if only a child of
 * vfork(2) was the reason. May be called wherever pb_thread_is_chosen() may, with the same
 * argument.
 */
void pb_thread_count_unrecorded(int is_new);

#endif /* PB_TRACE_THREAD_CHOICE_H */
