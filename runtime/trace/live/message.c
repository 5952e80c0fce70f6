/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "message.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A buffer for descriptors, aligned for struct cmsghdr. */
union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(PB_CONTROL_FILES_MAX * sizeof(int))];
};

static int take_file(int **file, uint32_t files, uint32_t bit)
{
	return files & bit ? *(*file)++ : -1;
}

/*
 * Assigns the descriptors according to request.files, or closes all if their number
 * differs.
 */
static void sort_files(struct pb_message *message, int *file, size_t nr)
{
	const uint32_t known = PB_CONTROL_NAMES | PB_CONTROL_PROGRAM;
	uint32_t files = message->request.files;

	message->names = message->program = -1;
	message->unexpected = files & ~known ||
			      nr != (size_t)__builtin_popcount(files);
	if (message->unexpected) {
		while (nr--)
			close(file[nr]);
		return;
	}
	message->names = take_file(&file, files, PB_CONTROL_NAMES);
	message->program = take_file(&file, files, PB_CONTROL_PROGRAM);
}

/* Fills a short request with zeros, because requests of other versions may be shorter. */
static void complete(struct pb_control_request *request, ssize_t size)
{
	memset((char *)request + size, 0, sizeof(*request) - (size_t)size);
	request->text[sizeof(request->text) - 1] = '\0';
}

int pb_message_peek(int client, struct pb_control_request *request)
{
	ssize_t size = recv(client, request, sizeof(*request),
			    MSG_PEEK | MSG_DONTWAIT);

	if (size <= 0)
		return size ? -errno : -ECONNRESET;
	complete(request, size);
	return 0;
}

void pb_message_drop(int client)
{
	char byte;

	recv(client, &byte, sizeof(byte), MSG_DONTWAIT);
}

ssize_t pb_receive(int socket, void *to, size_t size, int *file, size_t *nr)
{
	struct iovec iov = { to, size };
	union control control;
	/* The kernel closes descriptors that do not fit into @control. */
	struct msghdr header = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = CMSG_LEN(*nr * sizeof(*file)),
	};
	const ssize_t received =
		recvmsg(socket, &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	const struct cmsghdr *files = received < 0 ? NULL : CMSG_FIRSTHDR(&header);

	*nr = 0;
	if (files && files->cmsg_level == SOL_SOCKET &&
	    files->cmsg_type == SCM_RIGHTS) {
		*nr = (files->cmsg_len - CMSG_LEN(0)) / sizeof(*file);
		memcpy(file, CMSG_DATA(files), *nr * sizeof(*file));
	}
	return received < 0 ? -errno : received;
}

int pb_message_receive(int client, struct pb_message *message)
{
	struct pb_control_request *request = &message->request;
	int file[PB_CONTROL_FILES_MAX] = { 0 };
	size_t nr = PB_CONTROL_FILES_MAX;
	const ssize_t size = pb_receive(client, request, sizeof(*request), file, &nr);

	if (size <= 0)
		return size ? (int)size : -ECONNRESET;
	complete(request, size);
	sort_files(message, file, nr);
	return 0;
}

void pb_message_close(struct pb_message *message)
{
	if (message->names >= 0)
		close(message->names);
	if (message->program >= 0)
		close(message->program);
	message->names = message->program = -1;
}

void pb_message_reply(int client, const struct pb_control_reply *reply,
		      int file)
{
	struct iovec iov = { (void *)reply, sizeof(*reply) };
	struct msghdr header = { .msg_iov = &iov, .msg_iovlen = 1 };
	union control control = { 0 };

	if (file >= 0) {
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(file));
		memcpy(CMSG_DATA(&control.header), &file, sizeof(file));
		header.msg_control = &control;
		header.msg_controllen = CMSG_SPACE(sizeof(file));
	}
	sendmsg(client, &header, MSG_NOSIGNAL);
}
