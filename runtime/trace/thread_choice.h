/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * With thread=GLOB the threads that are not chosen record nothing and have no
 * buffer. So it is asked where a thread would be given one, or another block of
 * it: not where events are recorded.
 */
#ifndef PB_TRACE_THREAD_CHOICE_H
#define PB_TRACE_THREAD_CHOICE_H

#include <stdint.h>

/*
 * A name may change. One that is chosen is looked at again when its block is full;
 * one that is not, when it has an event some 10 us later, then 20 us and so on, at
 * last as many ticks later as are here. To be set before anything is traced.
 */
#define PB_THREAD_LOOK_NS 10000000
#define PB_THREAD_LOOK_SHORTENED 1000
extern uint64_t pb_thread_look_ticks;

/*
 * Is this thread to be recorded? Where sys.h's code may be called; keeps errno.
 * @is_new: it has no buffer yet. In a child of vfork(2) it gets none: its parent's
 * thread would go on with it, and others would take it for that of one that ended.
 */
int pb_thread_is_chosen(int is_new);

/*
 * Counts a call of a thread that pb_thread_is_chosen() refused, if it is lost: it was
 * made in a child of vfork(2) whose parent's thread has no buffer. Arguments, and where it
 * may be called: as there.
 */
void pb_thread_count_unrecorded(int is_new);

#endif /* PB_TRACE_THREAD_CHOICE_H */
