/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The gate, where clients knock (control.h): a datagram socket that accepts
 * only the secret of struct pb_control_point. A socket filter checks it, in the
 * system call of the client. So the queue never holds packets or descriptors of
 * other senders. Descriptors would have to be closed, and closing the last
 * descriptor of a file can block for any time (tcp(7) with SO_LINGER).
 */
#ifndef PB_TRACE_GATE_H
#define PB_TRACE_GATE_H

#include "format/control.h"

/*
 * Open a gate with a new name and a new secret, and publish both in @point. Returns a
 * descriptor or -errno. poll(2) reports input on it when a client knocks.
 */
int pb_gate_open(struct pb_control_point *point);

/*
 * Take the next client, without waiting. Returns its connection, which the
 * caller closes, or -errno. -EINVAL: the client sent none.
 */
int pb_gate_take(int gate);

#endif /* PB_TRACE_GATE_H */
