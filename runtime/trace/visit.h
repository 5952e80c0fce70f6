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
 * Forked children are not recorded: a child's first act is to disarm everything. With
 * follow=1 they are, each by a thread of its own that listens; the command has to hold
 * them, too, or their recordings end by themselves.
 */
#ifndef PB_TRACE_VISIT_H
#define PB_TRACE_VISIT_H

#include <stddef.h>

/*
 * @options: as PATCHBAY (options.h). Returns 0, and it is recorded; or -errno, and @why
 * has words: -EALREADY: it is recorded already. -EAGAIN: a handler of the last
 * recording is still running.
 */
int patchbay_trace_visit(const char *options, char *why, size_t size);

/* All below are called by the listening thread. Whether it is to end. */
int pb_visit_is_over(void);
/* Its end; nothing if it is no visit. */
void pb_visit_end(void);

/* A client holds it. Returns 0, and keeps the connection, or -errno. */
int pb_visit_hold(int client);
/* What to wait for, or -1; and it has moved. */
int pb_visit_holder(void);
void pb_visit_let_go(void);

#endif /* PB_TRACE_VISIT_H */
