/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A client may watch a process (PB_CONTROL_WATCH in control.h). The process tells the
 * client when a call took too long, or when a function of stop-at= has stopped recording.
 * Handlers only set a flag, which the listening thread checks fifty times a second while a
 * client watches.
 */
#ifndef PB_TRACE_WATCH_H
#define PB_TRACE_WATCH_H

/* The interval between checks. */
#define PB_WATCH_LOOK_MS 20

/*
 * Begin to watch for @client. @text: the time of PB_CONTROL_WATCH, or "" for none. On
 * success keeps the connection and returns 0. Returns -EINVAL or -ERANGE for an invalid
 * time, -EOPNOTSUPP if the tracer has no durations, or -EBUSY if another client watches.
 * The listening thread calls this and all functions below.
 */
int pb_watch(int client, const char *text);
/*
 * Returns the client's descriptor for poll(2), or -1. When poll(2) reports this descriptor,
 * the client has disconnected: call pb_watch_end().
 */
int pb_watch_client(void);
void pb_watch_end(void);
/* Report new slow calls, and the end of recording, to the client. */
void pb_watch_look(void);
/* Called in a forked child: forget the parent's client. */
void pb_watch_forget(void);

#endif /* PB_TRACE_WATCH_H */
