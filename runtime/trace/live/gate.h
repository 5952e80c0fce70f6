/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The gate, where clients knock (control.h): a datagram socket that accepts only the secret
 * of struct pb_control_point. A socket filter checks each packet in the system call of the
 * sender, so the queue never contains packets or descriptors of other senders. The process
 * would have to close such descriptors, and closing the last descriptor of a file can block
 * for any time (tcp(7) with SO_LINGER).
 */
#ifndef PB_TRACE_GATE_H
#define PB_TRACE_GATE_H

#include "format/control.h"

/*
 * Open a gate with a new name and a new secret, and publish both in @point. Returns a
 * descriptor, on which poll(2) reports input when a client knocks, or -errno.
 */
int pb_gate_open(struct pb_control_point *point);

/*
 * Take the next client, without waiting. Returns its connection, which the caller closes,
 * or -errno. -EINVAL: the client sent no connection.
 */
int pb_gate_take(int gate);

#endif /* PB_TRACE_GATE_H */
