/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Recordings of a process that has begun without this library. `patchbay record
 * -p PID` loads it into the process (tool/attach), and makes a thread call
 * patchbay_trace_visit(). It then holds the recording by a connection
 * (PB_CONTROL_HOLD in control.h). When the command closes the connection, or
 * dies, the recording ends. Everything is disarmed, and no thread, descriptor,
 * or mapping of the file is left. The libraries stay, since their code may be
 * on stacks. The data about threads stays for the next recording, empty.
 *
 * In such a process the C library's functions come before this library's
 * wrappers. So this library does not see calls of setuid(), chroot(), seccomp()
 * or longjmp(). README.md describes the consequences.
 *
 * Programs can be attached to such a process (attach.h), with or without a recording.
 * Each command that has attached some keeps the runtime by a connection of its own. When
 * a recording begins or ends, the listening thread goes on. When one command ends, the
 * programs of the others stay. Without a recording the visit is idle: it has a tracer
 * that is armed nowhere. A later recording replaces it.
 *
 * Forked children are not recorded: a child first disarms everything. With
 * follow=1 they are, each with its own listening thread. The command must hold
 * them, too, or their recordings end.
 */
#ifndef PB_TRACE_VISIT_H
#define PB_TRACE_VISIT_H

#include <poll.h>
#include <stddef.h>

/*
 * @options: as PATCHBAY (options.h). Returns 0, and the process is recorded.
 * Otherwise returns -errno, and the reason in @why. -EALREADY: the process is
 * recorded already. -EAGAIN: a handler of the last recording is still running,
 * or something else that will end.
 */
int patchbay_trace_visit(const char *options, char *why, size_t size);

/* Any thread may call it. */
int pb_visit_is_on(void);
/* Is nothing recorded, but programs are attached? The listening thread calls it. */
int pb_visit_is_idle(void);

/* The listening thread calls all functions below. Must it end? */
int pb_visit_is_over(void);
/* End the visit. Does nothing if there is none. */
void pb_visit_end(void);

/*
 * A client holds the recording or, if @idle is not "", keeps the runtime. The
 * runtime uses the options @idle when nothing is recorded any more. Returns 0
 * and keeps the connection, or -errno.
 */
int pb_visit_hold(int client, const char *idle);
/*
 * Add connections to @fds, which has room for 1 + PB_CONTROL_KEEPERS. Returns
 * how many were added.
 */
nfds_t pb_visit_poll(struct pollfd *fds);
/* Note the clients that have gone, according to poll(2). */
void pb_visit_polled(const struct pollfd *fds, nfds_t nr);
/* End what these clients held, and answer requests of other commands (handover.h). */
void pb_visit_look(void);

#endif /* PB_TRACE_VISIT_H */
