/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * To wake the thread that listens, from handlers and wherever sys.h's code may be called: by
 * a signal for that thread alone, which it has blocked, as all others, and reads from a
 * descriptor (signalfd(2)) of its own table. Whatever takes a descriptor of the program's
 * table, even for a moment, makes another thread get another number than the lowest that
 * was free, on which programs rely.
 */
#ifndef PB_TRACE_WAKE_H
#define PB_TRACE_WAKE_H

#include "control.h"

#include <signal.h>

/* Ignored by default, and by debuggers, should it ever come to a thread of the program. */
#define PB_WAKE_SIGNAL SIGURG

/* Nothing if nobody listens. No cancellation point. */
void pb_wake(const struct pb_control_point *point);

/* Called by the thread that listens: a descriptor for poll(2), or -errno. */
int pb_wake_open(void);
/* It has been seen. */
void pb_wake_take(int fd);

#endif /* PB_TRACE_WAKE_H */
