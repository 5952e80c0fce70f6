/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A client that keeps the last events of a process for when something has happened
 * (PB_CONTROL_WATCH in control.h) is told of it: a call took too long, or recording was
 * stopped by a function (stop_at). Handlers leave a mark and go on; the thread that
 * listens looks at it some fifty times a second, as long as there is a client.
 */
#ifndef PB_TRACE_WATCH_H
#define PB_TRACE_WATCH_H

#include <stdint.h>

/* How often the thread looks. */
#define PB_WATCH_LOOK_MS 20

/* In ticks; UINT64_MAX: nobody asks. */
extern uint64_t pb_watch_slow;
extern int pb_watch_seen;

/* Called with each duration that is recorded. */
static inline __attribute__((always_inline)) void
pb_watch_call(uint64_t duration)
{
	if (__builtin_expect(duration >= __atomic_load_n(&pb_watch_slow,
							 __ATOMIC_RELAXED),
			     0))
		__atomic_store_n(&pb_watch_seen, 1, __ATOMIC_RELAXED);
}

/*
 * All below are called by the listening thread. @text: a time, or "" for none. Keeps
 * the connection and returns 0; or -EINVAL, -ERANGE: no time; -EOPNOTSUPP: the tracer
 * has no durations; -EBUSY: somebody else watches.
 */
int pb_watch(int client, const char *text);
/* What to wait for, or -1; and it has moved: it is gone. */
int pb_watch_client(void);
void pb_watch_end(void);
/* Tell the client. */
void pb_watch_look(void);
/* In a forked child: the client is its parent's. */
void pb_watch_forget(void);

#endif /* PB_TRACE_WATCH_H */
