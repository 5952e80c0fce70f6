/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * *Visits*: recordings of a process that was started without this library. `patchbay record
 * -p PID` loads the library into the process (tool/attach), and makes a thread call
 * patchbay_trace_visit(). The command then holds the recording by a connection
 * (PB_CONTROL_HOLD in control.h). When the command closes the connection, or dies, the
 * recording ends: all functions are disarmed, and no thread, descriptor, or mapping of the
 * file remains. The libraries stay loaded, because their code may be on stacks. The objects
 * of threads stay for the next recording.
 *
 * Such a process calls setuid(), chroot(), seccomp() or longjmp() of the C library instead
 * of this library's wrappers. doc/reference.md describes the consequences.
 *
 * Programs can be attached to such a process (attach.h), with or without a recording. Each
 * command that has attached programs holds the runtime by another connection. The listening
 * thread continues when a recording begins or ends. When a command ends, programs of other
 * commands stay attached. Without a recording the visit is *idle*: its tracer is armed
 * nowhere, and a later recording replaces that tracer.
 *
 * A forked child is not recorded: it first disarms all functions. With follow=1 children
 * are recorded, each with its own listening thread. A child's recording ends unless the
 * command holds it.
 */
#ifndef PB_TRACE_VISIT_H
#define PB_TRACE_VISIT_H

#include <poll.h>
#include <stddef.h>

/*
 * Begin a visit. @options: as in PATCHBAY (options.h). Returns 0, or -errno and
 * the reason in @why. -EALREADY: the process is already recorded. -EAGAIN: try
 * again later, for example because a handler of the last recording is still
 * running.
 */
int patchbay_trace_visit(const char *options, char *why, size_t size);

/* Is there a visit? Any thread may call this. */
int pb_visit_is_on(void);
/* Is there an idle visit? Only the listening thread may call this. */
int pb_visit_is_idle(void);

/* Must the listening thread end? Only that thread calls this and all functions below. */
int pb_visit_is_over(void);
/* End the visit, if there is a visit. */
void pb_visit_end(void);

/*
 * Let @client hold the recording or, if @idle is not "", the runtime. @idle: the options
 * for the time without a recording. Returns 0 and keeps the connection, or -errno.
 */
int pb_visit_hold(int client, const char *idle);
/*
 * Add connections to @fds, which has space for 1 + PB_CONTROL_KEEPERS. Returns how many
 * were added.
 */
nfds_t pb_visit_poll(struct pollfd *fds);
/* Note which clients have disconnected, according to poll(2). */
void pb_visit_polled(const struct pollfd *fds, nfds_t nr);
/*
 * End recordings of disconnected clients, and begin the visits of other commands
 * (handover.h).
 */
void pb_visit_look(void);

#endif /* PB_TRACE_VISIT_H */
