/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Programs that `patchbay attach` has attached. The listening thread calls
 * these functions.
 */
#ifndef PB_TRACE_ATTACH_H
#define PB_TRACE_ATTACH_H

#include "message.h"

#include <poll.h>

/* The maximum number of attached programs. Each program has a connection. */
#define PB_ATTACHED_MAX 64

/*
 * Carry out a PB_CONTROL_ATTACH request from @client. Returns the number of functions, and
 * keeps @client until the program is detached. On error sends @client the reason, and
 * returns -errno.
 */
int pb_attach(int client, const struct pb_message *message);

/*
 * Send clients the new contents of the programs' ring buffers. Returns the
 * milliseconds until the next call is due, or -1.
 */
int pb_attach_tick(void);

/*
 * Add the clients to @fds, which has space for PB_ATTACHED_MAX. Returns how many were
 * added.
 */
nfds_t pb_attach_poll(struct pollfd *fds);
/* Detach programs whose clients have disconnected, according to poll(2). */
void pb_attach_polled(const struct pollfd *fds, nfds_t nr);

/* Detach all programs. */
void pb_attach_end(void);

/*
 * Call this in a forked child of a visited process (visit.h). Detaches all programs,
 * because the programs and the connections belong to the parent. Objects stay loaded.
 * Closes no descriptors, because the listening thread's descriptor numbers are invalid in
 * the child.
 */
void pb_attach_leave(void);

/*
 * Call this in a forked child of a process that listens from its start. Forgets the
 * connections, which belong to the parent. Programs stay attached until the child ends.
 */
void pb_attach_forget(void);

#endif /* PB_TRACE_ATTACH_H */
