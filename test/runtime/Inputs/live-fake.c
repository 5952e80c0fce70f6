/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Listens where `patchbay live` looks, and is not what it says. NOTE is the
 * version in the note. CASE is one of the enum's.
 */
#include "control.h"

#include <patchbay/abi.h>

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <signal.h>
#include <unistd.h>

/* Who listens is a child; nobody does; the place is none; it says nothing. */
enum { HELD = 1, GONE, PLACE, SILENT };

static struct pb_control_point point = { .version = PB_CONTROL_VERSION };
struct pb_control_point *forged __attribute__((used)) = &point;

#define STRING(x) #x
#define NUMBER(x) STRING(x)
__asm__(".pushsection .note.forged, \"a\", %note\n"
	"	.long 9, 8, " NUMBER(PATCHBAY_NOTE_CONTROL) "\n"
	"	.asciz \"Patchbay\"\n"
	"	.balign 4\n"
	"	.long " NUMBER(NOTE) ", forged - .\n"
	"	.popsection\n");

/* The connection that comes with a packet. */
static int take(int gate)
{
	struct pb_control_point knock;
	struct iovec iov = { &knock, sizeof(knock) };
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr header = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	int client;

	recvmsg(gate, &header, 0);
	memcpy(&client, CMSG_DATA(&control.header), sizeof(client));
	return client;
}

static void answer(int gate)
{
	const struct pb_control_greeting greeting = {
		.version = PB_CONTROL_VERSION,
		.place = PB_CONTROL_PLACES,
	};

	for (;;) {
		int client = take(gate);

		if (CASE == PLACE || CASE == HELD)
			send(client, &greeting, sizeof(greeting), MSG_NOSIGNAL);
		if (CASE != SILENT)
			close(client);
	}
}

static void listen_and_answer(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

	strcpy(address.sun_path + 1, point.name);
	bind(fd, (struct sockaddr *)&address,
	     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			 strlen(point.name)));
	puts("ready");
	fflush(stdout);
	answer(fd);
}

int main(void)
{
	sprintf(point.name, "patchbay/forged-%d", getpid());
	if (CASE == GONE) {
		puts("ready");
		fflush(stdout);
		pause();
	}
	if (CASE != HELD)
		listen_and_answer();
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		listen_and_answer();
	}
	pause();
	return 0;
}
