/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Once it is loaded it tells the process (SIGUSR1), and never is done. */
#include <signal.h>
#include <unistd.h>

__attribute__((constructor)) static void stay(void)
{
	kill(getpid(), SIGUSR1);
	for (;;)
		pause();
}

void on_entry(void) {}
