/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Carries out the requests of clients that may control this process (listen.h). */
#ifndef PB_TRACE_ANSWER_H
#define PB_TRACE_ANSWER_H

#include "message.h"

/*
 * Carry out a request and reply. Returns whether the connection is still
 * needed; attach.h or visit.h owns it then.
 */
int pb_answer(int client, struct pb_message *message);

#endif /* PB_TRACE_ANSWER_H */
