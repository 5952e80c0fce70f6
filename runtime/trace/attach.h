/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs that `patchbay attach` has attached. Called by the listening thread. */
#ifndef PB_TRACE_ATTACH_H
#define PB_TRACE_ATTACH_H

#include "message.h"

#include <poll.h>

/* Of attached programs, each with a connection. */
#define PB_ATTACHED_MAX 64

/*
 * Carry out a request of PB_CONTROL_ATTACH that came from @client. Returns the
 * number of functions: @client is then kept until the program is detached; or a
 * negative errno, and what is wrong has been said to @client.
 */
int pb_attach(int client, const struct pb_message *message);

/*
 * Tell clients what has come into ring buffers. Returns the milliseconds until
 * this is to be done again, or -1.
 */
int pb_attach_tick(void);

/* What to wait for; returns how many of @fds, of at most PB_ATTACHED_MAX. */
nfds_t pb_attach_poll(struct pollfd *fds);
/* Detach programs whose clients have gone, as poll(2) has said. */
void pb_attach_polled(const struct pollfd *fds, nfds_t nr);

/* Detach all of them. */
void pb_attach_end(void);

/*
 * In a forked child of a visit (visit.h): what is attached is its parent's business, and so
 * are connections, whose numbers are not this thread's. Objects stay loaded.
 */
void pb_attach_leave(void);

/*
 * In one of a process that listens from its start: connections are its parent's. What was
 * attached stays so, for as long as the child lives.
 */
void pb_attach_forget(void);

#endif /* PB_TRACE_ATTACH_H */
