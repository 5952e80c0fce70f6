/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Recordings of a process that has begun without us. `patchbay record -p PID` loads
 * this library into it (tool/attach), has a thread call patchbay_trace_visit(), and
 * then holds the recording by a connection (PB_CONTROL_HOLD in control.h). When that
 * is closed, or the command was killed, the recording ends: everything is disarmed,
 * and no thread, descriptor, or mapping of the file is left. The libraries stay, as
 * their code may be on stacks, and so does what is kept of threads, empty, for the
 * next time.
 *
 * The C library's functions that this library has, too, are not called in such a
 * process: those of the C library come first. So nobody sees that it calls setuid(),
 * chroot(), seccomp() or longjmp(); what follows from that is in README.md.
 *
 * Programs can be attached to such a process (attach.h), with or without a recording. Each
 * command that has done so keeps the runtime there by a connection of its own: when the
 * recording ends, or begins, the thread that listens goes on, and when one command ends
 * the programs of the others stay. Without a recording the visit is idle: it has a tracer
 * that is armed nowhere. Who wants to record begins one in its place.
 *
 * Forked children are not recorded: a child's first act is to disarm everything. With
 * follow=1 they are, each by a thread of its own that listens; the command has to hold
 * them, too, or their recordings end by themselves.
 */
#ifndef PB_TRACE_VISIT_H
#define PB_TRACE_VISIT_H

#include <poll.h>
#include <stddef.h>

/*
 * @options: as PATCHBAY (options.h). Returns 0, and it is recorded; or -errno, and @why
 * has words: -EALREADY: it is recorded already. -EAGAIN: a handler of the last
 * recording is still running, or something else that will end.
 */
int patchbay_trace_visit(const char *options, char *why, size_t size);

/* By any thread. */
int pb_visit_is_on(void);
/* By the listening thread: nothing is recorded, and programs are attached. */
int pb_visit_is_idle(void);

/* All below are called by the listening thread. Whether it is to end. */
int pb_visit_is_over(void);
/* Its end; nothing if it is no visit. */
void pb_visit_end(void);

/*
 * A client holds the recording; or, if @idle is not "", keeps the runtime, which, when
 * nothing is recorded any more, goes on with these options. Returns 0, and keeps the
 * connection, or -errno.
 */
int pb_visit_hold(int client, const char *idle);
/* What to wait for; returns how many of @fds, of at most 1 + PB_CONTROL_KEEPERS. */
nfds_t pb_visit_poll(struct pollfd *fds);
/* Those that have gone, as poll(2) has said. */
void pb_visit_polled(const struct pollfd *fds, nfds_t nr);
/* Do what follows from that, and what others have asked for (handover.h). */
void pb_visit_look(void);

#endif /* PB_TRACE_VISIT_H */
