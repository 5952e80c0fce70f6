/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where clients knock (control.h): a datagram socket that takes nothing but the
 * secret of struct pb_control_point. A socket filter looks, in the system call of
 * the client. So nothing of a stranger's ever comes into the queue, above all no
 * descriptors: whoever has the last one of a file closes it, and to close it can
 * take as long as its other end or its file system likes (tcp(7) with SO_LINGER).
 */
#ifndef PB_TRACE_GATE_H
#define PB_TRACE_GATE_H

#include "control.h"

/*
 * A gate with a new name and a new secret, which @point says from then on. Returns
 * a descriptor, which poll(2) says has input when somebody knocks, or -errno.
 */
int pb_gate_open(struct pb_control_point *point);

/*
 * Who knocks next, without waiting: a connection, which the caller closes, or -errno.
 * -EINVAL: that one brought none.
 */
int pb_gate_take(int gate);

/* Where clients find it; NULL: nobody has listened yet. */
extern struct pb_control_point *pb_control_point;

#endif /* PB_TRACE_GATE_H */
