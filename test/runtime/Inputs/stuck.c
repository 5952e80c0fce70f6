/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A constructor that sends SIGUSR1 to the process, and never returns. */
#include <signal.h>
#include <unistd.h>

__attribute__((constructor)) static void stay(void)
{
	kill(getpid(), SIGUSR1);
	for (;;)
		pause();
}

void on_entry(void) {}
