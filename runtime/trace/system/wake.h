/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Wakes the listening thread, from handlers and wherever sys.h's code may be
 * called. It sends a signal to that thread alone. The thread blocks it, like
 * all signals, and reads it from a signalfd(2) in its own descriptor table. It
 * must not use the program's table, even for a moment. Otherwise another thread
 * would not get the lowest free number, and programs rely on that.
 */
#ifndef PB_TRACE_WAKE_H
#define PB_TRACE_WAKE_H

#include "format/control.h"

#include <signal.h>

/*
 * Programs and debuggers ignore it by default, should a thread of the program
 * ever get it.
 */
#define PB_WAKE_SIGNAL SIGURG

/* Does nothing if no thread listens. No cancellation point. */
void pb_wake(const struct pb_control_point *point);

/*
 * Make the thread check at once, before a check is due. Handlers may call
 * it. Does nothing if no thread listens.
 */
void pb_listen_wake(void);

/* Where clients find it; NULL before a thread has listened. */
extern struct pb_control_point *pb_control_point;

#endif /* PB_TRACE_WAKE_H */
