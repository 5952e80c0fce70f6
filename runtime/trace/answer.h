/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is done for a client that may control this process (listen.h). */
#ifndef PB_TRACE_ANSWER_H
#define PB_TRACE_ANSWER_H

#include "message.h"

/*
 * Carry out a request and reply. Is the connection still needed? Then it is
 * attach.h's.
 */
int pb_answer(int client, struct pb_message *message);

#endif /* PB_TRACE_ANSWER_H */
