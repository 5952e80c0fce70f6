/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Requests and replies of control.h, with their descriptors. */
#ifndef PB_TRACE_MESSAGE_H
#define PB_TRACE_MESSAGE_H

#include "format/control.h"

#include <sys/types.h>

/*
 * Receive up to @size bytes and *@nr descriptors, at most PB_CONTROL_FILES_MAX, without
 * waiting. Returns the number of bytes, or -errno and no descriptor.
 */
ssize_t pb_receive(int socket, void *to, size_t size, int *file, size_t *nr);

/*
 * @names, @program: descriptors that the client sent, or -1
 * @unexpected:      the descriptors do not match @request.files
 */
struct pb_message {
	struct pb_control_request request;
	int names, program;
	int unexpected;
};

/*
 * Read the request of @client without waiting and without removing it: descriptors stay
 * in the queue until the proof is verified. Returns 0 or an error as below.
 */
int pb_message_peek(int client, struct pb_control_request *request);
/*
 * Remove the request without its descriptors. Closing a socket with unread data
 * would reset the connection.
 */
void pb_message_drop(int client);

/*
 * Receive a request without waiting. Returns 0, and the caller closes the
 * message. Returns -EAGAIN, -ECONNRESET if the client sends no more, or another
 * -errno.
 */
int pb_message_receive(int client, struct pb_message *message);
void pb_message_close(struct pb_message *message);

/*
 * Carry out a request and reply (answer.c). Returns whether the connection is still
 * needed; attach.h or visit.h owns it then.
 */
int pb_answer(int client, struct pb_message *message);

/* Send the reply, with @file unless it is negative. */
void pb_message_reply(int client, const struct pb_control_reply *reply,
		      int file);

#endif /* PB_TRACE_MESSAGE_H */
