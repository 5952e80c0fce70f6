/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A client may watch a process (PB_CONTROL_WATCH in control.h). The process tells it
 * when a call took too long, or when a function of stop_at has stopped recording.
 * Handlers only set a flag, which the listening thread checks fifty times a second
 * while there is a client.
 */
#ifndef PB_TRACE_WATCH_H
#define PB_TRACE_WATCH_H

/* Interval between checks. */
#define PB_WATCH_LOOK_MS 20

/*
 * The listening thread calls all functions below. Begins to watch for @client. @text:
 * the time of PB_CONTROL_WATCH, or "" for none. Keeps the connection and returns 0.
 * Returns -EINVAL or -ERANGE for an invalid time, -EOPNOTSUPP if the tracer has no
 * durations, or -EBUSY if another client watches.
 */
int pb_watch(int client, const char *text);
/*
 * The client's descriptor for poll(2), or -1. Call pb_watch_end() when poll(2)
 * reports it: the client has gone.
 */
int pb_watch_client(void);
void pb_watch_end(void);
/* Tell the client about events. */
void pb_watch_look(void);
/* In a forked child: forget the client, which is its parent's. */
void pb_watch_forget(void);

#endif /* PB_TRACE_WATCH_H */
