/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls quick() and slow() for ever; slow() takes 2 ms. Prints "ready" after the first
 * calls. With an argument it makes no further calls then.
 */
#include "check.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

OPAQUE int quick(int a) { return a + 1; }
OPAQUE int slow(int a)
{
	const struct timespec wait = { .tv_nsec = 2000000 };

	nanosleep(&wait, NULL);
	return a + 1;
}

/* Replaces a function of the C library that the listening thread also calls. */
ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	return syscall(SYS_recvmsg, fd, message, flags);
}

OPAQUE int rest(int a) { return a + 1; }

/*
 * Checks that the program does not see the listening thread's socket among its descriptors.
 */
static int listens(void)
{
	int domain, type;
	socklen_t size = sizeof(int);

	for (int fd = 0; fd < 1024; fd++)
		if (!getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) &&
		    !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) &&
		    domain == AF_UNIX && type == SOCK_DGRAM)
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	int n = 0;

	(void)argv;
	for (int i = 0;; i++) {
		n = slow(quick(rest(n)));
		if (i == 5) {
			CHECK(!listens());
			puts("ready");
			fflush(stdout);
			while (argc > 1)
				pause();
		}
	}
}
