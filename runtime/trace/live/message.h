/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Receives requests and sends replies (control.h), with their descriptors. */
#ifndef PB_TRACE_MESSAGE_H
#define PB_TRACE_MESSAGE_H

#include "format/control.h"

#include <sys/types.h>

/*
 * Receive up to @size bytes and *@nr descriptors (at most PB_CONTROL_FILES_MAX), without
 * waiting. Returns the number of bytes, or -errno and no descriptors. Sets *@nr to the
 * number of descriptors.
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
 * Read the request of @client without waiting, and leave it in the queue with its
 * descriptors until the proof is verified. Returns 0 or an error of pb_message_receive().
 */
int pb_message_peek(int client, struct pb_control_request *request);
/*
 * Remove the request from the queue without receiving its descriptors. Otherwise closing
 * the socket would reset the connection.
 */
void pb_message_drop(int client);

/*
 * Receive a request without waiting. Returns 0, -EAGAIN, -ECONNRESET if the client has
 * closed its side, or another -errno. After success the caller closes the message.
 */
int pb_message_receive(int client, struct pb_message *message);
void pb_message_close(struct pb_message *message);

/*
 * Carry out a request and reply (answer.c). Returns 1 if attach.h, visit.h or watch.h now
 * owns the connection.
 */
int pb_answer(int client, struct pb_message *message);

/* Send the reply, with @file unless it is negative. */
void pb_message_reply(int client, const struct pb_control_reply *reply,
		      int file);

#endif /* PB_TRACE_MESSAGE_H */
