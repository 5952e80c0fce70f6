/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "wake_take.h"

#include "system/wake.h"

#include <errno.h>
#include <sys/signalfd.h>
#include <unistd.h>

int pb_wake_open(void)
{
	sigset_t signals;
	int fd;

	sigemptyset(&signals);
	sigaddset(&signals, PB_WAKE_SIGNAL);
	fd = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

void pb_wake_take(int fd)
{
	struct signalfd_siginfo one;

	/* One read removes several wake-ups: it is no real-time signal. */
	while (read(fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}
