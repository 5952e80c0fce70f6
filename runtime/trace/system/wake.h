/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Wakes the listening thread by a signal. Handlers may call these functions. The listening
 * thread blocks all signals, and reads this signal from a signalfd(2) in its own descriptor
 * table. A pipe would need a descriptor in the program's table, with a number that the
 * program expects to be free.
 */
#ifndef PB_TRACE_WAKE_H
#define PB_TRACE_WAKE_H

#include "format/control.h"

#include <signal.h>

/*
 * Programs and debuggers ignore this signal by default, so it is harmless if a thread of
 * the program gets it.
 */
#define PB_WAKE_SIGNAL SIGURG

/* Wake the thread of @point, if it exists. This function is no cancellation point. */
void pb_wake(const struct pb_control_point *point);

/*
 * Make the listening thread check for work now. Handlers may call this. Does nothing if no
 * thread listens.
 */
void pb_listen_wake(void);

/* The control point, for clients; NULL until a thread listens. */
extern struct pb_control_point *pb_control_point;

#endif /* PB_TRACE_WAKE_H */
