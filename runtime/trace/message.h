/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Requests and replies of control.h, with the descriptors that come along. */
#ifndef PB_TRACE_MESSAGE_H
#define PB_TRACE_MESSAGE_H

#include "control.h"

/*
 * @names, @program: descriptors that came along, or -1
 * @unexpected:      others came than @request.files says
 */
struct pb_message {
	struct pb_control_request request;
	int names, program;
	int unexpected;
};

/*
 * What @client has sent, without waiting and without taking it: descriptors stay
 * where they are until the proof has been looked at. Returns 0 or an error as below.
 */
int pb_message_peek(int client, struct pb_control_request *request);
/* Take it, without descriptors: a socket that is closed before resets the other. */
void pb_message_drop(int client);

/*
 * What @client has sent, without waiting. Returns 0, and the caller closes the
 * message; or -EAGAIN, -ECONNRESET: it sends no more, or another -errno.
 */
int pb_message_receive(int client, struct pb_message *message);
void pb_message_close(struct pb_message *message);

/* The reply, and @file with it unless that is negative. */
void pb_message_reply(int client, const struct pb_control_reply *reply,
		      int file);

#endif /* PB_TRACE_MESSAGE_H */
