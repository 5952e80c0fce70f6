/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Chooses threads (thread=GLOB). Threads that are not chosen record nothing and have no
 * buffer. A thread is checked only when it needs a buffer or another block, because a check
 * at each event would be slow.
 */
#ifndef PB_TRACE_THREAD_CHOICE_H
#define PB_TRACE_THREAD_CHOICE_H

#include <stdint.h>

/*
 * The name of a thread may change. A chosen thread is checked again when its block is full.
 * Any other thread is checked again at its first event after 10 us, then after 20 us, and
 * so on: the interval doubles up to pb_thread_look_ticks. Set pb_thread_look_ticks before
 * functions are armed.
 */
#define PB_THREAD_LOOK_NS 10000000
#define PB_THREAD_LOOK_SHORTENED 1000
extern uint64_t pb_thread_look_ticks;

/*
 * Is this thread recorded? Handlers may call this function. Preserves errno.
 * @is_new: the thread has no buffer yet. In a child of vfork(2) such a thread is not
 * recorded, because a buffer that the child makes would stay in the parent's memory.
 */
int pb_thread_is_chosen(int is_new);

/*
 * Call this if pb_thread_is_chosen() returns 0. Counts the call as lost if the only reason
 * is that the process is a child of vfork(2). Takes the same argument, and may be called in
 * the same contexts.
 */
void pb_thread_count_unrecorded(int is_new);

#endif /* PB_TRACE_THREAD_CHOICE_H */
