/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Listens where `patchbay live` connects, but misbehaves. NOTE is the version in the
 * note. CASE is a value of the enum.
 */
#include "format/control.h"

#include <patchbay/abi.h>

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum {
	HELD = 1, /* a child listens at the address */
	GONE,     /* no process listens */
	PLACE,    /* the address is unusable */
	SILENT,   /* no answer */
	SLOW,     /* an answer after seconds: the process is stopped most of the time */
	MUTE,     /* a greeting, then no answer */
};

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

/* Receives the connection that a packet contains. */
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

static long *beats; /* written by the listener, read by the process that stops it */

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

#define ANSWER_SECONDS 3

static void answer_slowly(int client)
{
	const struct pb_control_reply reply = { .version = PB_CONTROL_VERSION,
						.tracer = "slow" };
	struct pb_control_request request;
	double end;

	recv(client, &request, sizeof(request), 0);
	for (end = now() + ANSWER_SECONDS; now() < end;)
		__atomic_fetch_add(beats, 1, __ATOMIC_RELAXED);
	send(client, &reply, sizeof(reply), MSG_NOSIGNAL);
}

/*
 * Stops the listener repeatedly, as cpulimit(1) does, but lets the listener run for a
 * moment after each stop.
 */
static void stop_again_and_again(pid_t listener)
{
	for (;;) {
		long before;

		kill(listener, SIGSTOP);
		usleep(60000);
		before = __atomic_load_n(beats, __ATOMIC_RELAXED);
		kill(listener, SIGCONT);
		/* The listener does not count before the first request. */
		for (int i = 0; i < 50 && before == __atomic_load_n(beats, __ATOMIC_RELAXED); i++)
			usleep(1000);
	}
}

static void answer(int gate)
{
	const struct pb_control_greeting greeting = {
		.version = PB_CONTROL_VERSION,
		.place = CASE == SLOW || CASE == MUTE ? 0 : PB_CONTROL_PLACES,
	};

	for (;;) {
		int client = take(gate);

		if (CASE != SILENT)
			send(client, &greeting, sizeof(greeting), MSG_NOSIGNAL);
		if (CASE == SLOW)
			answer_slowly(client);
		if (CASE != SILENT && CASE != MUTE)
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
	if (CASE == SLOW) {
		pid_t listener = getpid();

		beats = mmap(NULL, sizeof(*beats), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			stop_again_and_again(listener);
		}
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
