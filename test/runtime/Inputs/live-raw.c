/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * live-raw PID VERSION VERB [SIZE]: one request, of which SIZE bytes are sent,
 * and what came back.
 */
#include "control.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

int main(int argc, char **argv)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct pb_control_request request = { 0 };
	struct pb_control_reply reply;
	size_t size = argc > 4 ? (size_t)atol(argv[4]) : sizeof(request);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	int length = sprintf(address.sun_path + 1, PB_CONTROL_NAME "%s", argv[1]);

	request.version = (uint32_t)atoi(argv[2]);
	request.verb = (uint32_t)atoi(argv[3]);
	memset(request.text, 'x', sizeof(request.text));
	if (connect(fd, (struct sockaddr *)&address,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
				(size_t)length))) {
		perror("connect");
		return 1;
	}
	send(fd, &request, size, MSG_NOSIGNAL);
	if (recv(fd, &reply, sizeof(reply), 0) == sizeof(reply))
		printf("version %u result %s\n", reply.version,
		       reply.result < 0 ? strerrorname_np(-reply.result) : "0");
	else
		puts("closed");
	return 0;
}
