/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Wakes the listening thread, from handlers and wherever sys.h's code may be
 * called. Sends a signal to that thread only. The thread blocks all signals,
 * and reads this one from a signalfd(2) in its own descriptor table. A
 * descriptor in the program's table, for example of a pipe, would take a number
 * that the program expects to be the lowest free one.
 */
#ifndef PB_TRACE_WAKE_H
#define PB_TRACE_WAKE_H

#include "format/control.h"

#include <signal.h>

/*
 * A signal that programs and debuggers ignore by default, in case that a thread
 * of the program gets it.
 */
#define PB_WAKE_SIGNAL SIGURG

/* Wake the thread of @point, if there is one. No cancellation point. */
void pb_wake(const struct pb_control_point *point);

/*
 * Make the listening thread check now. Handlers may call this. Does nothing if
 * no thread listens.
 */
void pb_listen_wake(void);

/* The control point, for clients; NULL until a thread listens. */
extern struct pb_control_point *pb_control_point;

#endif /* PB_TRACE_WAKE_H */
